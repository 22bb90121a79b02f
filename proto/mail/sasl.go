package mail

import (
	"encoding/base64"
	"strings"
)

// plainResponse returns the response of PLAIN (RFC 4616 §2) in base64.
func plainResponse(user, password string) string {
	return encodeBase64("\x00" + user + "\x00" + password)
}

func encodeBase64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// secrets returns all forms in which SMTP and IMAP send a password, without
// padding. Errors do not show them even if the server repeats them.
func secrets(user, password string) []string {
	return []string{
		strings.TrimRight(plainResponse(user, password), "="),
		strings.TrimRight(encodeBase64(password), "="),
		quotedText(password),
		password,
	}
}
