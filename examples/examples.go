// Package examples has eight small programs that use locus. Each is in its own folder, and
// a test runs it with the servers of the demo.
//
//   - open prints the resource of a URL of any scheme.
//   - httpclient gives an http.Client every scheme.
//   - safefetch fetches URLs from strangers.
//   - walk lists the files below a URL with fs.WalkDir.
//   - finger adds a scheme.
//   - extract finds the URLs in a text of any length.
//   - compare shows where a URL leads by each parser.
//   - gateway adds the gateway to a server with other pages.
//
// A ninth program, otel, traces the requests of locus with OpenTelemetry. It is a separate
// module, because the other programs do not need the modules that it imports.
package examples
