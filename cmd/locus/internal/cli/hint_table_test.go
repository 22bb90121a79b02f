package cli

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"locus"
	"locus/access"
	"locus/access/engine"
	"locus/extract/document"
	"locus/limit"
	"locus/proto/mail"
	"locus/retry"
	"locus/transfer"
	"locus/url"
)

// An error with a remedy has its hint, at any depth of wrapping. Hints name only flags that exist.
func TestHints(t *testing.T) {
	t.Parallel()
	failed := func(op, u string, err error) error { return engine.Fail(op, url.MustParse(u), err) }
	declared := map[string]bool{}
	for _, f := range AllFlags() {
		declared[f.Name] = true
	}
	for _, test := range []struct {
		err  error
		want string // a part of the hint; "": no hint
	}{
		{nil, ""},
		{errors.New("anything"), ""},
		{&UsageError{Text: "x", Hint: "do y"}, "do y"},
		{Misuse("x"), ""},
		{&Hinted{errors.New("x"), "do y"}, "do y"},
		{&limit.TimeoutError{URL: url.MustParse("http://h/"), Timeout: time.Second}, "--max-time"},
		{&document.ForeignError{Foreign: document.Foreign{Name: "PDF", Convert: "pdftotext"}}, "to convert it, use pdftotext"},
		{&retry.LongPause{Asked: time.Hour}, "to wait for it, use --retry-time 1h1m0s"},
		{&retry.LongPause{Asked: 24 * time.Hour}, ""},
		{mail.ErrAddress, "locus compose URL"},
		{&fs.PathError{Op: "stat", Path: "ftp//h/", Err: fs.ErrNotExist}, "did you mean ftp://h/?"},
		{&fs.PathError{Op: "stat", Path: "docs//a", Err: fs.ErrNotExist}, ""},
		{failed("open", "/etc/hosts", access.ErrNoScheme), "write file:///etc/hosts"},
		{failed("open", "//h/x", access.ErrNoScheme), "locus schemes"},
		{failed("open", "a/b", access.ErrNoScheme), "locus schemes"},
		{failed("put", "telnet://u:secret@h/", errors.ErrUnsupported), "to start one, use locus open telnet://u:xxxxx@h/"},
		{failed("make", "rlogin://h/", errors.ErrUnsupported), "locus open rlogin://h/"},
		{failed("open", "telnet://h/", errors.ErrUnsupported), ""},
		{failed("put", "gopher://h/", errors.ErrUnsupported), "gopher URLs can only be read"},
		{failed("delete", "news:x", errors.ErrUnsupported), ""},
		{failed("put", "ftp://h/x", errors.ErrUnsupported), ""},
		{failed("put", "telnet://h/", errors.New("x")), ""},
		{failed("verify", "ftp://h/a;type=A", transfer.ErrDigest), "end the URL with ;type=i"},
		{failed("verify", "ftp://h/a", transfer.ErrDigest), ""},
		{failed("verify", "http://h/a;type=a", transfer.ErrDigest), ""},
		{access.WithRemedy(errors.New("x"), access.AllowPort{Port: 25}), "--allow-port 25"},
		{access.WithRemedy(errors.New("x"), access.AllowCleartext{Protocol: "nntp"}), "--news-no-tls"},
		{access.WithRemedy(errors.New("x"), access.AllowCleartext{Protocol: "smtp"}), "--smtp-no-tls"},
		{access.WithRemedy(errors.New("x"), access.NeedMore{Limit: 400}), "--max-hits 400"},
		{access.WithRemedy(errors.New("x"), access.NeedWords{Example: "gopher://h/7/%09w"}), "--search WORDS"},
		{access.WithRemedy(errors.New("x"), access.NeedTLS), "--ftp-tls"},
		{access.WithRemedy(errors.New("x"), access.NeedLogin), "--news-user"},
		{access.WithRemedy(errors.New("x"), access.NeedMail), "--mail PATH"},
		{access.WithRemedy(errors.New("x"), access.NeedCertificate), "--cert FILE"},
		{access.WithRemedy(errors.New("x"), access.AcceptCertificate{Fingerprint: "3b1f"}), "--pin 3b1f"},
		{access.WithRemedy(errors.New("x"), access.WriteMail), "locus send URL"},
		{access.WithRemedy(errors.New("x"), access.NeedNewsServer), "set NNTPSERVER"},
		{access.WithRemedy(errors.New("x"), access.WriteInPlace), "--ftp-direct"},
		{access.WithRemedy(errors.New("x"), access.Advice("as it is")), "as it is"},
		{access.ErrForm, "--answer NAME=VALUE"},
		{transfer.ErrDiskFull, "--continue"},
		{transfer.ErrNoAnswer, "run the same command again to resume"},
		{access.ErrFull, "free some space on the server"},
		{transfer.ErrNoFileName, "-o FILE"},
		{transfer.ErrBusy, "another locus is writing there"},
		{transfer.ErrTooManyEntries, "--max-entries"},
		{transfer.ErrTooManyFiles, "--max-files"},
		{transfer.ErrTooManyBytes, "--max-total"},
		{transfer.ErrTempFull, "--exclude or --level"},
		{&locus.ProxyError{Err: errors.New("x")}, "check the address of the proxy"},
		{&locus.ProxyError{Err: errors.ErrUnsupported}, "connect directly with --no-proxy"},
		{&net.DNSError{IsNotFound: true}, "check the name"},
		{&net.DNSError{IsTimeout: true}, ""},
		{tls.RecordHeaderError{}, "does not speak TLS at this port"},
		{failed("open", "http://h:2121/", errors.New(`malformed HTTP response "220 welcome"`)), "the server probably speaks ftp; write ftp://"},
		{&tls.CertificateVerificationError{}, "SSL_CERT_FILE"},
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, "no server is listening at that port"},
		{syscall.ECONNRESET, ""},
	} {
		for _, err := range []error{test.err, fmt.Errorf("wrapped: %w", test.err)} {
			if test.err == nil && err != nil {
				continue
			}
			got := Hint(err)
			if !strings.Contains(got, test.want) || test.want == "" && got != "" || strings.Contains(got, "secret") {
				t.Errorf("Hint(%v) = %q, want %q", err, got, test.want)
			}
			for word := range strings.FieldsSeq(got) {
				if name, ok := strings.CutPrefix(strings.Trim(word, ",;"), "--"); ok && !declared[name] {
					t.Errorf("Hint(%v) names --%s, which is not a flag", err, name)
				}
			}
		}
	}
}
