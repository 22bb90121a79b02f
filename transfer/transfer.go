// Package transfer copies resources into files: one with [Get], several with [GetFiles],
// and everything below a URL with [Mirror]. The other way, [Upload] stores one file at a
// URL, and [Send] everything below a folder or another URL.
//
// A file gets its name only when it is complete and verified. A transient failure is
// retried, and a transfer is resumed once the remote resource is proved to be the
// same; see [retry.Engine]. A process that is killed at any moment leaves no file
// that looks complete and is not. The same call later completes the files.
//
// Any [access.Engine] will do. Get and Mirror put a retry.Engine around it. Limits are
// set by the caller:
//
//	client := &locus.Client{Dial: dialer.DialContext, Limiter: &limit.Limiter{PerServer: 4}}
//	report, err := transfer.Mirror(ctx, client, u, root, transfer.MirrorOptions{Jobs: 4})
//
// Everything is written below an os.Root. The clock is package time, so testing/synctest controls
// it.
//
// This package only has the exported names. Its internal packages do the work: package fetch
// fetches one file into a part and renames it, package sync compares two trees and copies the
// differences, for Mirror and for Send, package tree knows how the URLs of each scheme name files,
// and package offline reads and converts web pages.
//
// Notable divergences:
//   - A mirror fetches all files of an FTP server in type I, as they are stored (RFC
//     1738 §3.2.3 leaves the choice to the client).
//   - A page of HTML gets a name that ends in ".html", and a page of Gemini ".gmi". Pages that
//     servers generate for folders are not kept.
//   - RFC 9309 §2.3.1.3: a mirror obeys robots.txt for links, but not for the URL that
//     the caller names.
package transfer
