package mail

import (
	"encoding/base64"
	"strings"
)

// plainResponse proves who we are in the mechanism PLAIN (RFC 4616 §2), in
// base64.
func plainResponse(user, password string) string { return encoded("\x00" + user + "\x00" + password) }

func encoded(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// secrets returns what no error shows though the server repeats it: a password
// in each form in which SMTP and IMAP send it. Padding tells nothing.
func secrets(user, password string) []string {
	return []string{
		strings.TrimRight(plainResponse(user, password), "="),
		strings.TrimRight(encoded(password), "="),
		quotedText(password),
		password,
	}
}
