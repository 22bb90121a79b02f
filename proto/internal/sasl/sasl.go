// Package sasl makes the messages by which clients log in to SMTP and IMAP servers (RFC 4422), and lists the forms of a
// password that errors hide.
package sasl

import (
	"encoding/base64"
	"strings"
)

// Plain returns the response of PLAIN (RFC 4616 §2) in base64.
func Plain(user, password string) string { return Base64("\x00" + user + "\x00" + password) }

// Base64 returns s in base64, with padding.
func Base64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// Quoted returns the content of the quoted string for s (RFC 3501 §4.3): it escapes quotation marks and backslashes.
func Quoted(s string) string { return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) }

// Secrets returns all forms in which clients send a password, without padding. Errors hide
// them even if the server repeats them.
func Secrets(user, password string) []string {
	return []string{
		strings.TrimRight(Plain(user, password), "="),
		strings.TrimRight(Base64(password), "="),
		Quoted(password),
		password,
	}
}
