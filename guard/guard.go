// Package guard decides which ports and addresses may be dialed.
//
// [Ports] is for every program. A URL from somebody else may not make one
// protocol talk to the servers of another (RFC 1738 §6). [Public] is for
// programs that open URLs for strangers. It dials public addresses only.
//
// The table of public addresses is our own. A test compares it to the IANA
// registries. code.dny.dev/ssrf has such a table too, but uses it in
// net.Dialer.Control. A program that receives a dial function has no
// net.Dialer.
//
// Notable divergences:
//   - RFC 1738 §6 recommends care with every port below 1024 that is not the
//     scheme's own. Ports refuses ports that are known to belong to another
//     protocol, in any range. It allows the rest.
package guard
