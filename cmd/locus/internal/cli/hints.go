package cli

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
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
	"locus/internal/typo"
	"locus/limit"
	"locus/proto/mail"
	"locus/proto/web"
	"locus/retry"
	"locus/scheme"
	"locus/transfer"
)

// Hint returns a sentence that says how the user can fix err; "" if no fix is known.
func Hint(err error) string {
	for _, hintFor := range hints {
		if hint := hintFor(err); hint != "" {
			return hint
		}
	}
	return ""
}

// A rule returns the hint for the errors that it knows, and "" for other errors.
type rule func(error) string

// hints are the rules in the order in which Hint tries them. The rules for a particular case come before the rules for
// its kind, because their hints say more.
var hints = []rule{
	ofType(func(e *UsageError) string { return e.Hint }),
	when(limit.IsTimeout, "a longer --max-time gives it more time"),
	ofType(digestHint),
	ofType(fileHint),
	ofType(typoHint),
	ofType(func(e *document.ForeignError) string { return e.Convert + " converts it" }),
	ofType(pauseHint),
	wraps(mail.ErrAddress, writeHint),
	ofType(storeHint),
	remedyHint,

	wraps(access.ErrLogin, "check the user name and the password"),
	wraps(access.ErrPassword, "run this on a terminal to be asked for the password, or give it with --password-file FILE, LOCUS_PASSWORD or .netrc"),
	wraps(access.ErrForm, "get asks its questions on a terminal, and takes --answer NAME=VALUE"),
	wraps(transfer.ErrDiskFull, "make room; then get --continue or mirror goes on"),
	wraps(transfer.ErrNoAnswer, "when the server is back, the same command resumes it"),
	wraps(access.ErrFull, "make room there, or ask for a larger quota"),
	wraps(transfer.ErrNoFileName, "-o FILE names one"),
	wraps(transfer.ErrBusy, "another locus writes there: wait until it has ended"),
	wraps(transfer.ErrTooManyEntries, "--max-entries N allows more"),
	wraps(transfer.ErrTooManyFiles, "--max-files N allows more"),
	wraps(transfer.ErrTooManyBytes, "--max-total SIZE allows more"),
	wraps(transfer.ErrTempFull, "a URL further down, --exclude or --level makes the tree smaller"),
	wraps(access.ErrNoScheme, "locus schemes lists what can be opened"),

	ofType(proxyHint),
	ofType(dnsHint),
	ofType(func(tls.RecordHeaderError) string {
		return "the server speaks no TLS at this port: http:// and ftp:// do without"
	}),
	ofType(protocolHint),
	when(isUntrusted, trustHint),
	when(isRefused, "nothing listens at that port: is it the right one?"),
}

// needHints are the flags that apply a remedy without details.
var needHints = map[access.Need]string{
	access.NeedTLS:         "--ftp-tls connects with TLS",
	access.NeedLogin:       "give your name at this server with --news-user, or in .netrc",
	access.NeedCertificate: "--cert FILE shows the server a client certificate, with its key in the same FILE or in --key FILE; openssl req -x509 -newkey ed25519 -nodes -subj /CN=NAME -keyout FILE -out FILE makes one",
	access.NeedMail:        "--mail PATH or --mail imaps://user@host/ says where mail is, and so do LOCUS_MAIL, MAILDIR and MAIL",
	access.WriteMail:       writeHint,
	access.NeedNewsServer:  "set NNTPSERVER or --news-server to the name of your news server, or name it in the URL: nntp://host/group",
	access.WriteInPlace:    "--ftp-direct writes into the file itself, for a server that does not rename",
}

// cleartextHints say how to send a password without TLS, by the protocol.
var cleartextHints = map[string]string{
	"ftp":  "--ftp-no-tls sends the password all the same",
	"nntp": "nntps:// begins with TLS, --news-no-tls sends the password all the same",
	"smtp": "smtps:// begins with TLS, --smtp-no-tls sends in the clear, a password too",
}

const (
	writeHint = "locus compose URL writes a message to it, locus send URL writes and sends one"
	trustHint = "it may be another server than you want; on Unix SSL_CERT_FILE names certificates to trust"
)

// wraps returns a rule that gives the hint for errors that wrap kind.
func wraps(kind error, hint string) rule {
	return when(func(err error) bool { return errors.Is(err, kind) }, hint)
}

// when returns a rule that gives the hint for errors for which isKind returns true.
func when(isKind func(error) bool, hint string) rule {
	return func(err error) string {
		if isKind(err) {
			return hint
		}
		return ""
	}
}

// ofType returns a rule that calls hintFor with the E that an error wraps. For other errors the rule returns "".
func ofType[E error](hintFor func(E) string) rule {
	return func(err error) string {
		if e, ok := errors.AsType[E](err); ok {
			return hintFor(e)
		}
		return ""
	}
}

// digestHint returns a hint how to fetch a file without a change of its line ends, if a digest was wrong and the ftp
// URL asks for a text. It returns "" for other errors.
func digestHint(failed *access.Error) string {
	if !errors.Is(failed, transfer.ErrDigest) {
		return ""
	}
	if v, err := scheme.ParseFTP(failed.URL); err != nil || !strings.HasPrefix(v.Type, "a") {
		return ""
	}
	return ";type=i at the end of the URL, instead of ;type=a, keeps every byte that the server stores"
}

// fileHint returns a hint with a file URL if the user gave an absolute path instead of a URL. It returns "" for other
// errors.
func fileHint(e *access.Error) string {
	if !errors.Is(e, access.ErrNoScheme) || !strings.HasPrefix(e.URL.String(), "/") || strings.HasPrefix(e.URL.String(), "//") {
		return ""
	}
	return "if it is a file of this machine, write file://" + e.URL.String()
}

// typoHint returns a hint with the URL that the user probably meant by the name of a file that does not exist, such as
// ftp//h/. It returns "" if the name does not look like a URL.
func typoHint(e *fs.PathError) string {
	if meant, ok := typo.URL(e.Path); ok {
		return "did you mean " + meant + "?"
	}
	return ""
}

// pauseHint returns the flag that waits for a server that has asked for a long pause. It returns "" for a pause of a
// day or more.
func pauseHint(pause *retry.LongPause) string {
	if pause.Asked >= 24*time.Hour {
		return ""
	}
	return fmt.Sprintf("--retry-time %v waits for it", pause.Asked+time.Minute)
}

// storeHint returns a hint if a URL cannot be written or deleted because URLs of its scheme can only be read, or name
// terminal sessions. It returns "" for other errors.
func storeHint(e *access.Error) string {
	if !errors.Is(e, errors.ErrUnsupported) || !slices.Contains([]string{"put", "append", "delete", "make"}, e.Op) {
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

// remedyHint returns the remedy that an engine has put into err, in terms of the flags of the command, or "" if no
// engine has done so.
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

// inFlags returns a sentence with the flag or command that applies a remedy, or the remedy's own words if it needs no
// flag.
func inFlags(remedy access.Remedy) string {
	hint := ""
	switch r := remedy.(type) {
	case access.AllowPort:
		hint = fmt.Sprintf("if you trust this URL, allow the port with --allow-port %d", r.Port)
	case access.AllowCleartext:
		hint = cleartextHints[r.Protocol]
	case access.AcceptCertificate:
		hint = fmt.Sprintf("if the server's owner confirms this fingerprint, --pin %s accepts the certificate and remembers it", r.Fingerprint)
	case access.NeedWords:
		hint = "locus get --search WORDS URL searches; in a URL the words follow %09, as in " + r.Example
	case access.NeedMore:
		hint = fmt.Sprintf("--max-hits N lists more documents, such as --max-hits %d", r.Limit)
	case access.Need:
		hint = needHints[r]
	}
	return cmp.Or(hint, remedy.String())
}

// proxyHint returns a hint how to connect without a proxy.
func proxyHint(e *locus.ProxyError) string {
	if errors.Is(e, errors.ErrUnsupported) {
		return "--no-proxy connects directly"
	}
	return "is the proxy right? --no-proxy connects directly"
}

// dnsHint returns a hint if a host name was not found. It returns "" for other errors of a look-up.
func dnsHint(e *net.DNSError) string {
	if !e.IsNotFound {
		return ""
	}
	return "is the name right, and is there a network?"
}

// protocolHint returns a hint with the protocol that the server probably speaks, or "" if e does not tell.
func protocolHint(e *access.Error) string {
	name := web.SpokenBy(e.URL.Scheme(), e)
	if name == "" {
		return ""
	}
	return fmt.Sprintf("the server probably speaks %[1]s: write %[1]s:// in place of %[2]s://", name, e.URL.Scheme())
}

// isUntrusted reports whether err says that the certificate of a server is not trusted.
func isUntrusted(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

// isRefused reports whether err says that no program listens at the port.
func isRefused(err error) bool { return errno.Is(err, syscall.ECONNREFUSED) }
