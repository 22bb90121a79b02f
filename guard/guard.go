// Package guard says which ports and addresses may be dialled.
//
// [Ports] is for everyone: it keeps a URL that somebody else wrote from making
// one protocol talk to the servers of another (RFC 1738 §6). [Public] is for
// what strangers may ask for: it dials public addresses and no others.
//
// Which addresses are public is a table of our own, held by a test to the rows
// of the IANA registries. code.dny.dev/ssrf has such a table too, but hangs it
// on net.Dialer.Control, and a program that is handed a dial function has no
// net.Dialer.
//
// Notable divergences:
//   - RFC 1738 §6 advises care with every port below 1024 that is not the
//     scheme's own. Ports refuses those that are known to belong to another
//     protocol, wherever they are; the rest may be dialled.
package guard
