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
	"locus/internal/render"
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
	when(limit.IsTimeout, "to give it more time, use a longer --max-time"),
	ofType(digestHint),
	ofType(fileHint),
	ofType(typoHint),
	ofType(func(e *document.ForeignError) string { return "to convert it, use " + e.Convert }),
	ofType(pauseHint),
	wraps(mail.ErrAddress, writeHint),
	ofType(storeHint),
	remedyHint,

	wraps(access.ErrLogin, "check the user name and the password"),
	wraps(access.ErrPassword, "run this on a terminal to be asked for the password, or give it in --password-file FILE, LOCUS_PASSWORD or .netrc"),
	wraps(access.ErrForm, "run get on a terminal to be asked its questions, or answer them with --answer NAME=VALUE"),
	wraps(transfer.ErrDiskFull, "free some disk space, and then run get --continue or mirror again"),
	wraps(transfer.ErrNoAnswer, "when the server is back, run the same command again to resume"),
	wraps(access.ErrFull, "free some space on the server, or ask for a larger quota"),
	wraps(transfer.ErrNoFileName, "name the file with -o FILE"),
	wraps(transfer.ErrBusy, "another locus is writing there; wait until it is done"),
	wraps(transfer.ErrTooManyEntries, "to allow more, use --max-entries N"),
	wraps(transfer.ErrTooManyFiles, "to allow more, use --max-files N"),
	wraps(transfer.ErrTooManyBytes, "to allow more, use --max-total SIZE"),
	wraps(transfer.ErrTempFull, "to make the tree smaller, start at a folder further down, or use --exclude or --level"),
	wraps(access.ErrNoScheme, "locus schemes lists the schemes that it can open"),

	ofType(proxyHint),
	ofType(dnsHint),
	ofType(func(tls.RecordHeaderError) string {
		return "the server does not speak TLS at this port; try http:// or ftp://"
	}),
	ofType(protocolHint),
	when(isUntrusted, trustHint),
	when(isRefused, "no server is listening at that port; check the port"),
}

// needHints are the flags that apply a remedy without details.
var needHints = map[access.Need]string{
	access.NeedTLS:         "connect with TLS by --ftp-tls",
	access.NeedLogin:       "give your user name at this server with --news-user, or in .netrc",
	access.NeedCertificate: "present a client certificate with --cert FILE, with its key in the same FILE or in --key FILE; to make one: openssl req -x509 -newkey ed25519 -nodes -subj /CN=NAME -keyout FILE -out FILE",
	access.NeedMail:        "name your mail with --mail PATH, --mail imaps://user@host/, or the variable LOCUS_MAIL, MAILDIR or MAIL",
	access.WriteMail:       writeHint,
	access.NeedNewsServer:  "set NNTPSERVER or --news-server to the name of your news server, or name it in the URL: nntp://host/group",
	access.WriteInPlace:    "if the server cannot rename files, write into the file itself with --ftp-direct",
}

// cleartextHints say how to send a password without TLS, by the protocol.
var cleartextHints = map[string]string{
	"ftp":  "--ftp-no-tls sends the password unencrypted",
	"nntp": "nntps:// begins with TLS; --news-no-tls sends the password unencrypted",
	"smtp": "smtps:// begins with TLS; --smtp-no-tls sends everything unencrypted, even the password",
}

const (
	writeHint = "write a message with locus compose URL, or write and send one with locus send URL"
	trustHint = "this may not be the server that you want; on Unix, SSL_CERT_FILE names certificates to trust"
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
	return "to get the bytes as the server stores them, end the URL with ;type=i instead of ;type=a"
}

// fileHint returns a hint with a file URL if the user gave an absolute path instead of a URL. It returns "" for other
// errors.
func fileHint(e *access.Error) string {
	if !errors.Is(e, access.ErrNoScheme) || !strings.HasPrefix(e.URL.String(), "/") || strings.HasPrefix(e.URL.String(), "//") {
		return ""
	}
	return "if it is a file on this machine, write file://" + e.URL.String()
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
	return fmt.Sprintf("to wait for it, use --retry-time %v", pause.Asked+time.Minute)
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
	return fmt.Sprintf("%s URLs name terminal sessions, which do not store files; to start one, use locus open %s", e.URL.Scheme(), render.ShellWord(e.URL.Redacted()))
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
		hint = fmt.Sprintf("if the server's owner confirms this fingerprint, accept and remember the certificate with --pin %s", r.Fingerprint)
	case access.NeedWords:
		hint = "search with locus get --search WORDS URL, or put the words after %09 in the URL, as in " + r.Example
	case access.NeedMore:
		hint = fmt.Sprintf("to list more documents, use --max-hits N, such as --max-hits %d", r.Limit)
	case access.Need:
		hint = needHints[r]
	}
	return cmp.Or(hint, remedy.String())
}

// proxyHint returns a hint how to connect without a proxy.
func proxyHint(e *locus.ProxyError) string {
	if errors.Is(e, errors.ErrUnsupported) {
		return "connect directly with --no-proxy"
	}
	return "check the address of the proxy, or connect directly with --no-proxy"
}

// dnsHint returns a hint if a host name was not found. It returns "" for other errors of a look-up.
func dnsHint(e *net.DNSError) string {
	if !e.IsNotFound {
		return ""
	}
	return "check the name, and that you are online"
}

// protocolHint returns a hint with the protocol that the server probably speaks, or "" if e does not tell.
func protocolHint(e *access.Error) string {
	name := web.SpokenBy(e.URL.Scheme(), e)
	if name == "" {
		return ""
	}
	return fmt.Sprintf("the server probably speaks %[1]s; write %[1]s:// instead of %[2]s://", name, e.URL.Scheme())
}

// isUntrusted reports whether err says that the certificate of a server is not trusted.
func isUntrusted(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}

// isRefused reports whether err says that no program listens at the port.
func isRefused(err error) bool { return errno.Is(err, syscall.ECONNREFUSED) }
