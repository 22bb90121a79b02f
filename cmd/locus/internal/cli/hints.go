package cli

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"

	"locus"
	"locus/access"
	"locus/extract/document"
	"locus/internal/errno"
	"locus/internal/facts"
	"locus/limit"
	"locus/proto/mail"
	"locus/proto/web"
	"locus/retry"
	"locus/scheme"
	"locus/transfer"
)

// Hint returns a sentence that says how the user can fix err; "" if no fix is known. The functions that know a
// particular case come before the table of kinds, because their hints say more.
func Hint(err error) string {
	if usage, ok := errors.AsType[*UsageError](err); ok {
		return usage.Hint
	}
	if limit.IsTimeout(err) {
		return "a longer --max-time gives it more time"
	}
	for _, hintFor := range []func(error) string{digestHint, fileHint, foreignHint, pauseHint, addressHint, storeHint, remedyHint, kindHint, networkHint} {
		if hint := hintFor(err); hint != "" {
			return hint
		}
	}
	return ""
}

// kindHint returns the hint for the sentinel that err wraps, such as access.ErrLogin, or "" if there
// is none.
func kindHint(err error) string {
	for _, k := range []struct {
		kind error
		hint string
	}{
		{access.ErrLogin, "check the user name and the password"},
		{access.ErrPassword, "run this on a terminal to be asked for the password, or give it with --password-file FILE, LOCUS_PASSWORD or .netrc"},
		{access.ErrForm, "get asks its questions on a terminal, and takes --answer NAME=VALUE"},
		{transfer.ErrDiskFull, "make room; then get --continue or mirror goes on"},
		{transfer.ErrNoAnswer, "when the server is back, the same command resumes it"},
		{access.ErrFull, "make room there, or ask for a larger quota"},
		{transfer.ErrNoFileName, "-o FILE names one"},
		{transfer.ErrBusy, "another locus writes there: wait until it has ended"},
		{transfer.ErrTooManyEntries, "--max-entries N allows more"},
		{transfer.ErrTooManyFiles, "--max-files N allows more"},
		{transfer.ErrTooManyBytes, "--max-total SIZE allows more"},
		{transfer.ErrTempFull, "a URL further down, --exclude or --level makes the tree smaller"},
		{access.ErrNoScheme, "locus schemes lists what can be opened"},
	} {
		if errors.Is(err, k.kind) {
			return k.hint
		}
	}
	return ""
}

// digestHint explains the wrong digest of a text whose line ends FTP has changed.
func digestHint(err error) string {
	failed, ok := errors.AsType[*access.Error](err)
	if !ok || !errors.Is(err, transfer.ErrDigest) {
		return ""
	}
	if v, err := scheme.ParseFTP(failed.URL); err != nil || !strings.HasPrefix(v.Type, "a") {
		return ""
	}
	return ";type=i at the end of the URL, instead of ;type=a, keeps every byte that the server stores"
}

// foreignHint names the command that converts a text.
func foreignHint(err error) string {
	foreign, ok := errors.AsType[*document.ForeignError](err)
	if !ok {
		return ""
	}
	return foreign.Convert + " converts it"
}

// pauseHint says how to wait for a server that has asked for a long pause.
func pauseHint(err error) string {
	pause, ok := errors.AsType[*retry.LongPause](err)
	if !ok || pause.Asked >= 24*time.Hour {
		return ""
	}
	return fmt.Sprintf("--retry-time %v waits for it", pause.Asked+time.Minute)
}

// addressHint names the verbs for a URL that is the address of a person.
func addressHint(err error) string {
	if !errors.Is(err, mail.ErrAddress) {
		return ""
	}
	return "locus compose URL writes a message to it, locus send URL writes and sends one"
}

// remedyHint returns the remedy that an engine knows.
func remedyHint(err error) string {
	remedy := access.RemedyFor(err)
	if remedy == nil {
		return ""
	}
	if _, ok := remedy.(access.AllowCleartext); ok && isUntrusted(err) {
		return trustHint + "; " + inFlags(remedy)
	}
	return inFlags(remedy)
}

// inFlags returns the flag that applies a remedy, or the remedy's own words.
func inFlags(remedy access.Remedy) string {
	switch r := remedy.(type) {
	case access.AllowPort:
		return fmt.Sprintf("if you trust this URL, allow the port with --allow-port %d", r.Port)
	case access.AllowCleartext:
		if hint := cleartextHints()[r.Protocol]; hint != "" {
			return hint
		}
	case access.NeedWords:
		return "locus get --search WORDS URL searches; in a URL the words follow %09, as in " + r.Example
	case access.NeedMore:
		return fmt.Sprintf("--max-hits N lists more documents, such as --max-hits %d", r.Limit)
	}
	for _, f := range []struct {
		remedy access.Remedy
		hint   string
	}{
		{access.NeedTLS, "--ftp-tls connects with TLS"},
		{access.NeedLogin, "give your name at this server with --news-user, or in .netrc"},
		{access.NeedMail, "--mail PATH or --mail imaps://user@host/ says where mail is, and so do LOCUS_MAIL, MAILDIR and MAIL"},
		{access.WriteMail, "locus compose URL writes a message to it, locus send URL writes and sends one"},
		{access.NeedNewsServer, "set NNTPSERVER to the name of your news server, or name it in the URL: nntp://host/group"},
		{access.WriteInPlace, "--ftp-direct writes into the file itself, for a server that does not rename"},
	} {
		if remedy == f.remedy {
			return f.hint
		}
	}
	return remedy.String()
}

// cleartextHints returns, by the protocol, how to send a password without TLS.
func cleartextHints() map[string]string {
	return map[string]string{
		"ftp":  "--ftp-no-tls sends the password all the same",
		"nntp": "nntps:// begins with TLS, --news-no-tls sends the password all the same",
		"smtp": "smtps:// begins with TLS, --smtp-no-tls sends in the clear, a password too",
	}
}

// networkHint returns the probable reason why no suitable server was found.
func networkHint(err error) string {
	if _, ok := errors.AsType[*locus.ProxyError](err); ok {
		if errors.Is(err, errors.ErrUnsupported) {
			return "--no-proxy connects directly"
		}
		return "is the proxy right? --no-proxy connects directly"
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return "is the name right, and is there a network?"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return "the server speaks no TLS at this port: http:// and ftp:// do without"
	}
	if e, ok := errors.AsType[*access.Error](err); ok {
		if name := web.SpokenBy(e.URL.Scheme(), err); name != "" {
			return fmt.Sprintf("the server probably speaks %[1]s: write %[1]s:// in place of %[2]s://", name, e.URL.Scheme())
		}
	}
	if isUntrusted(err) {
		return trustHint
	}
	if errno.Is(err, syscall.ECONNREFUSED) {
		return "nothing listens at that port: is it the right one?"
	}
	return ""
}

// trustHint is the hint for a certificate that is not trusted.
const trustHint = "it may be another server than you want; on Unix SSL_CERT_FILE names certificates to trust"

// isUntrusted reports whether err says that a certificate is not trusted.
func isUntrusted(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

// storeHint returns a hint if err says that URLs of a scheme can only be read, or name terminal sessions, and
// so cannot be written or deleted; "" for other errors.
func storeHint(err error) string {
	e, ok := errors.AsType[*access.Error](err)
	if !ok || !errors.Is(err, errors.ErrUnsupported) || !slices.Contains([]string{"put", "append", "delete", "make"}, e.Op) {
		return ""
	}
	switch s := facts.Of(e.URL.Scheme()); {
	case s.Has(facts.Object) && !s.Has(facts.Hierarchical) && s.Protocol != "nntp":
		return s.Name + " URLs can only be read"
	case !s.Has(facts.Session):
		return ""
	}
	return fmt.Sprintf("%s URLs name sessions on a terminal, which store nothing: locus open %s starts one", e.URL.Scheme(), e.URL.Redacted())
}

// fileHint returns the URL of the file that the user probably meant.
func fileHint(err error) string {
	e, ok := errors.AsType[*access.Error](err)
	if !ok || !errors.Is(err, access.ErrNoScheme) || !strings.HasPrefix(e.URL.String(), "/") || strings.HasPrefix(e.URL.String(), "//") {
		return ""
	}
	return "if it is a file of this machine, write file://" + e.URL.String()
}
