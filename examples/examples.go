// Package examples has eight small programs that use locus. Each is in a folder of its own,
// and a test runs it with the servers of the demo.
//
//   - open prints what a URL names, whatever its scheme.
//   - httpclient gives an http.Client every scheme.
//   - safefetch fetches URLs that strangers wrote.
//   - walk lists everything below a URL, by fs.WalkDir.
//   - finger adds a scheme.
//   - extract finds the URLs in a text of any length.
//   - compare shows where a URL leads by each parser.
//   - gateway puts the gateway into a server that has pages of its own.
//
// A ninth program, otel, traces what locus opens with OpenTelemetry. It is a module of its own,
// because no other program needs what it imports.
package examples
