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
// # How the pieces work together
//
// The exported functions convert their options to the options of an internal package, which does
// the work. [Get] calls package fetch, which writes one file into a part, verifies it and renames
// it (get.go). [GetFile] calls Get for one URL after the other until one succeeds: the caller's
// URLs, or mirrors that the server names (mirrors.go, metalink.go). [GetFiles] runs each GetFile in
// a goroutine. At most jobs of them receive bytes, and as many others may verify and rename, so
// that a server does not wait while a file is verified (files.go).
//
// [Mirror] and [Send] call package sync, which compares two trees and copies the differences
// (mirror.go, send.go). Package tree tells it how the URLs of a scheme name files, and package
// offline converts web pages. Both functions share TreeOptions and Report (tree.go), a [Filter]
// (filter.go) and the line for people (summary.go). An [Upload] sends one stream itself, and can
// open the source again for a retry (upload.go). The others report events one at a time, in the
// goroutine that does the work, which waits for the caller's function (event.go).
//
// Notable divergences:
//   - A mirror fetches all files of an FTP server in type I, as they are stored (RFC
//     1738 §3.2.3 leaves the choice to the client).
//   - A page of HTML gets a name that ends in ".html", and a page of Gemini ".gmi". Pages that
//     servers generate for folders are not kept.
//   - RFC 9309 §2.3.1.3: a mirror obeys robots.txt for links, but not for the URL that
//     the caller names.
package transfer
