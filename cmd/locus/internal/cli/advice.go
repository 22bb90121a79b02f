package cli

import (
	"locus/access"
	"locus/url"
)

// LoginAdvice returns the login that the URL of a session suggests, as a sentence; "" if
// it suggests none (RFC 1738 §3.8). A password is in it only on a terminal.
func (e *Env) LoginAdvice(r *access.Resource) string {
	login, _ := r.Sys.(access.LoginAdvice)
	if !IsTerminal(e.Stderr) {
		login.Password = url.Part{}
	}
	return login.String()
}
