package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"locus/access"
	"locus/cmd/locus/internal/netrc"
	"locus/internal/facts"
	"locus/scheme"
	"locus/url"
)

// passwordVariable is the environment variable with a password.
const passwordVariable = "LOCUS_PASSWORD"

// ReadLogins sets e.logins from the password variable, the file of --password-file and .netrc. Later calls do nothing.
// If other people can read the .netrc file, its passwords are not used: ReadLogins returns nil, and later requests for
// these passwords fail.
func (e *Env) ReadLogins(o Login) error {
	if e.logins != nil {
		return nil
	}
	l := &netrc.Logins{}
	if e.LookupEnv != nil {
		if text, _ := e.LookupEnv(passwordVariable); text != "" {
			l.Password = url.Some(text)
		}
	}
	if o.PasswordFile != "" {
		text, err := e.ReadFile(o.PasswordFile)
		if err != nil {
			return fmt.Errorf("--password-file: %w", err)
		}
		line, _, _ := strings.Cut(string(text), "\n")
		if line = strings.TrimSuffix(line, "\r"); line == "" {
			return Misuse("--password-file: the first line of %q is empty", o.PasswordFile)
		}
		l.Password = url.Some(line)
	}
	var err error
	if l.File, err = e.readNetrc(o.NetrcFile); err != nil {
		exposed, ok := errors.AsType[*netrc.ExposedError](err)
		if !ok && o.NetrcFile != "" {
			return fmt.Errorf("--netrc-file: %w", err)
		}
		if !ok {
			return err
		}
		l.Exposed = exposed
	}
	e.logins = l
	return nil
}

// WithoutLogins makes the clients of e log in nowhere, for verbs that open URLs for other people: these must
// not get at resources with the user's logins and keys.
func (e *Env) WithoutLogins() { e.logins, e.logsInNowhere = &netrc.Logins{}, true }

// readNetrc reads the file named, or else $NETRC, or else ~/.netrc. If named is "" and the file is missing, it
// returns nil.
func (e *Env) readNetrc(named string) (netrc.File, error) {
	name := cmp.Or(named, e.Getenv("NETRC"))
	if home := e.HomeDir(); name == "" && home != "" {
		name = filepath.Join(home, ".netrc")
	}
	if _, err := e.Stat(name); err != nil && named == "" {
		return nil, nil
	}
	entries, err := netrc.Read(e.Path(name))
	if exposed, ok := errors.AsType[*netrc.ExposedError](err); ok {
		exposed.Name = name
	}
	return entries, e.AsTyped(name, err)
}

// Login returns the Login of requests for URLs that the user named. It may ask the user for a password.
func (e *Env) Login() access.Login { return e.LoginBy(e.PasswordPrompt()) }

// LoginBy returns the same Login as Login, but asks the user for a password with prompt, which may be nil.
func (e *Env) LoginBy(prompt Prompt) access.Login { return e.logins.ForRequests(prompt) }

// OtherLogin returns the Login of requests for URLs that the user did not name, such as links. See
// [netrc.Logins.ForOthers].
func (e *Env) OtherLogin() access.Login { return e.logins.ForOthers() }

// LoginAt returns the user name and the password at a host that the user named. The user name is user or, if that is
// empty, the user name in .netrc, and the password comes from .netrc. Each is "" if it is unknown. The password is
// also "" if a flag or a variable has one: see [Env.PasswordPrompt].
func (e *Env) LoginAt(o Login, host, user string) (login, password string, err error) {
	if err := e.ReadLogins(o); err != nil {
		return "", "", err
	}
	return e.logins.At(host, user, true)
}

// A Prompt asks for a password.
type Prompt = netrc.Prompt

// PasswordPrompt returns a function that returns the password of a flag or a variable. If neither
// has one, the function asks the user. Without a terminal to ask on, PasswordPrompt returns nil.
func (e *Env) PasswordPrompt() Prompt {
	if l := e.logins; l != nil && l.Password.Present {
		return func(context.Context, string) (string, error) { return l.Password.Text, nil }
	}
	if !IsTerminal(e.Stdin) {
		return nil
	}
	return e.AskHidden
}

// passwordWarning returns a warning about the first URL with a password or a token among args (RFC 1738 §6:
// "clearly unwise"), or "" if no URL has one that must be secret.
func passwordWarning(args []string) string {
	for _, arg := range args {
		u, err := url.Parse(scheme.Unprefix(arg))
		if v, notTitan := scheme.ParseTitan(u); err == nil && notTitan == nil && v.Token.Text != "" {
			return "warning: others may see the token of " + u.Redacted() + " in the shell history and the process list; without it, locus takes the password in .netrc"
		}
		if err != nil || u.Part(url.Password).Text == "" || isAnonymous(u.Part(url.User).Text) {
			continue
		}
		where, asks := "in the shell history and the process list", "locus"
		switch s := facts.Of(u.Scheme()); {
		case s.Has(facts.Session):
			asks = "the server"
		case s.Has(facts.Encrypted):
		case s.Protocol == "http":
			where = "on the network, because http does not encrypt it, " + where
		case s.Protocol == "ftp":
			where = "on the network, if the server has no TLS, " + where
		}
		return "warning: others may see the password of " + u.Redacted() + " " + where + "; without it, " + asks + " asks for it"
	}
	return ""
}

// isAnonymous reports whether user is the user name of anonymous FTP, whose password need not be secret (RFC 1635).
func isAnonymous(user string) bool { return user == "anonymous" || user == "ftp" }

// LoginAdvice returns a sentence with the login that the URL of a session suggests (RFC 1738 §3.8); "" if the
// URL has no login. The sentence has a password only on a terminal, because a log may be read by others.
func (e *Env) LoginAdvice(r *access.Resource) string {
	login := r.Login
	if !IsTerminal(e.Stderr) {
		login.Password = url.Part{}
	}
	return login.String()
}
