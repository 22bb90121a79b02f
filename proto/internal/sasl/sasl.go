// Package sasl makes the messages by which clients log in to SMTP and IMAP servers (RFC 4422), and lists the forms of a
// password that errors hide.
package sasl

import (
	"encoding/base64"
	"strings"
)

// Plain returns the message of the mechanism PLAIN (RFC 4616 §2) in base64, with padding.
func Plain(user, password string) string { return Base64("\x00" + user + "\x00" + password) }

// Base64 returns s in base64, with padding.
func Base64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// Quoted escapes the quotation marks and backslashes of s for a quoted string (RFC 3501 §4.3). It does not add the
// quotation marks around the string.
func Quoted(s string) string { return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) }

// Secrets returns all forms in which clients send a password, without the padding of base64. Errors hide these texts,
// because a server may repeat them.
func Secrets(user, password string) []string {
	return []string{
		strings.TrimRight(Plain(user, password), "="),
		strings.TrimRight(Base64(password), "="),
		Quoted(password),
		password,
	}
}
