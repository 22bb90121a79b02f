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
	"locus/retry"
	"locus/transfer"
)

// Hint returns what the user can do about err; "" if unknown.
func Hint(err error) string {
	if usage, ok := errors.AsType[*UsageError](err); ok {
		return usage.Hint
	}
	if limit.IsTimeout(err) {
		return "a longer --max-time gives it more time"
	}
	if hint := fileHint(err); hint != "" {
		return hint
	}
	if foreign, ok := errors.AsType[*document.ForeignError](err); ok {
		return foreign.Convert + " converts it"
	}
	if pause, ok := errors.AsType[*retry.LongPause](err); ok && pause.Asked < 24*time.Hour {
		return fmt.Sprintf("--retry-time %v waits for it", pause.Asked+time.Minute)
	}
	if errors.Is(err, mail.ErrAddress) {
		return "locus compose URL writes a message to it, locus send URL writes and sends one"
	}
	if hint := storeHint(err); hint != "" {
		return hint
	}
	if remedy := access.RemedyFor(err); remedy != nil {
		hint := inFlags(remedy)
		if _, ok := remedy.(access.AllowCleartext); ok && isUntrusted(err) {
			hint = trustHint + "; " + hint
		}
		return hint
	}
	switch {
	case errors.Is(err, access.ErrLogin):
		return "check the user name and the password"
	case errors.Is(err, access.ErrPassword):
		return "run this on a terminal to be asked for the password, or give it with --password-file FILE, LOCUS_PASSWORD or .netrc"
	case errors.Is(err, access.ErrForm):
		return "get asks its questions on a terminal, and takes --answer NAME=VALUE"
	case errors.Is(err, transfer.ErrDiskFull):
		return "make room; then get --continue or mirror goes on"
	case errors.Is(err, transfer.ErrNoAnswer):
		return "when the server is back, the same command resumes it"
	case errors.Is(err, access.ErrFull):
		return "make room there, or ask for a larger quota"
	case errors.Is(err, transfer.ErrNoFileName):
		return "-o FILE names one"
	case errors.Is(err, transfer.ErrBusy):
		return "another locus writes there: wait until it has ended"
	case errors.Is(err, transfer.ErrTooManyEntries):
		return "--max-entries N allows more"
	case errors.Is(err, transfer.ErrTooManyFiles):
		return "--max-files N allows more"
	case errors.Is(err, transfer.ErrTooManyBytes):
		return "--max-total SIZE allows more"
	case errors.Is(err, transfer.ErrSpoolFull):
		return "a URL further down, --exclude or --level makes the tree smaller"
	case errors.Is(err, access.ErrNoScheme):
		return "locus schemes lists what can be opened"
	}
	return networkHint(err)
}

// inFlags returns the flag that applies a remedy, or the remedy's own words.
func inFlags(remedy access.Remedy) string {
	switch r := remedy.(type) {
	case access.AllowPort:
		return fmt.Sprintf("if you trust this URL, allow the port with --allow-port %d", r.Port)
	case access.AllowCleartext:
		switch r.Protocol {
		case "ftp":
			return "--ftp-no-tls sends the password all the same"
		case "nntp":
			return "nntps:// begins with TLS, --news-no-tls sends the password all the same"
		case "smtp":
			return "smtps:// begins with TLS, --smtp-no-tls sends in the clear, a password too"
		}
	case access.NeedWords:
		return "locus get --search WORDS URL searches; in a URL the words follow %09, as in " + r.Example
	case access.NeedMore:
		return fmt.Sprintf("--max-hits N lists more documents, such as --max-hits %d", r.Limit)
	}
	switch remedy {
	case access.NeedTLS:
		return "--ftp-tls connects with TLS"
	case access.NeedLogin:
		return "give your name at this server with --news-user, or in .netrc"
	case access.NeedMail:
		return "--mail PATH or --mail imaps://user@host/ says where mail is, and so do LOCUS_MAIL, MAILDIR and MAIL"
	case access.WriteMail:
		return "locus compose URL writes a message to it, locus send URL writes and sends one"
	case access.NeedNewsServer:
		return "set NNTPSERVER to the name of your news server, or name it in the URL: nntp://host/group"
	case access.WriteInPlace:
		return "--ftp-direct writes into the file itself, where a server lets nobody rename"
	}
	return remedy.String()
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
	if isUntrusted(err) {
		return trustHint
	}
	if errno.Is(err, syscall.ECONNREFUSED) {
		return "nothing listens at that port: is it the right one?"
	}
	return ""
}

// trustHint is what the user can do about a certificate that is not trusted.
const trustHint = "it may be another server than you want; on Unix SSL_CERT_FILE names certificates to trust"

// isUntrusted reports whether err says that a certificate is not trusted.
func isUntrusted(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

// storeHint returns what a URL is for, if err says that nothing can be stored or deleted at
// URLs of its scheme; "" for other errors.
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
