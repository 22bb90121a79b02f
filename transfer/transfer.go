// Package transfer moves resources into files in such a way that people can rely
// on it: one with [Get], all that is below a URL with [Mirror].
//
// A file gets its name when it is complete and verified, and not before. What
// fails for a while is tried again, and read on once it is proved that the remote
// resource is still the same; see [retry.Engine]. A process that is killed at any
// moment leaves nothing that looks complete and is not, and the same call later
// gives the same files.
//
// Any [access.Engine] will do. Get and Mirror put a retry.Engine around it
// themselves. Limits are the caller's:
//
//	client := &locus.Client{Dial: dialer.DialContext, Limiter: &limit.Limiter{PerServer: 4}}
//	report, err := transfer.Mirror(ctx, client, u, root, transfer.MirrorOptions{Jobs: 4})
//
// Everything is written below an os.Root. The clock is that of package time, so
// that testing/synctest governs it.
//
// Notable divergences:
//   - Texts that FTP would send in type A are mirrored in type I, as they are
//     stored (RFC 1738 §3.2.3 leaves the choice to the client).
//   - A page of HTML is kept under a name that ends in ".html"; pages that servers
//     make of directories are not kept.
//   - RFC 9309 §2.3.1.3: of the server that the URL names robots.txt is asked for,
//     and obeyed for what links lead to, but not for that URL.
package transfer
