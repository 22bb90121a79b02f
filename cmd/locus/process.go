package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"locus"
	"locus/access"
	"locus/proto/mail"
	"locus/render"
	"locus/retry"
	"locus/transfer"
	"locus/url"
)

// A process holds the streams of the command, and what it knows of its user.
type process struct {
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	out    *bufio.Writer // stdout; flushed at the end, and before stderr is written to

	quiet    bool     // --quiet: only errors go to stderr
	password url.Part // of --password-file or LOCUS_PASSWORD
	logins   *logins  // of .netrc; nil: not read yet
	secrets  []string // arguments that may hold passwords
}

func newProcess(stdin, stdout, stderr *os.File) *process {
	return &process{
		stdin: stdin, stdout: stdout, stderr: stderr,
		out: bufio.NewWriterSize(output{stdout}, 1<<16),
	}
}

// run executes args, and returns the exit status.
func (p *process) run(ctx context.Context, args []string) int {
	p.secrets = secretsIn(args)
	err := p.command().Run(ctx, args)
	if flushErr := p.out.Flush(); err == nil {
		err = flushErr
	}
	var usage *usageError
	switch {
	case err == nil, isBrokenPipe(err):
		return 0
	case errors.As(err, &usage):
		p.report(err)
		return 2
	case !errors.Is(err, errReported):
		p.report(err)
	}
	return 1
}

// errReported ends the command with 1. The reason has been reported.
var errReported = errors.New("failed")

// A usageError says that the command was misused.
type usageError struct{ text, hint string }

func (e *usageError) Error() string          { return e.text }
func (e *usageError) Suggest() access.Remedy { return access.Advice(e.hint) }

func misuse(format string, args ...any) error {
	return &usageError{text: fmt.Sprintf(format, args...)}
}

// report shows err, and a hint if there is one.
func (p *process) report(err error) {
	if flushErr := p.out.Flush(); isBrokenPipe(flushErr) {
		return // err may be the broken pipe itself
	}
	p.say(err.Error())
	if hint := hintFor(err); hint != "" {
		p.say("hint: " + hint)
	}
}

// say writes a line to stderr.
func (p *process) say(text string) {
	fmt.Fprintf(p.stderr, "locus: %s\n", render.Clean(p.hideSecrets(text)))
}

// hideSecrets returns text with the passwords removed from the arguments that it quotes.
func (p *process) hideSecrets(text string) string {
	for _, typed := range p.secrets {
		text = strings.ReplaceAll(text, typed, url.Redact(typed))
	}
	return text
}

// secretsIn returns the arguments and values of flags that may hold passwords, plain and
// quoted.
func secretsIn(args []string) []string {
	var secrets []string
	for _, arg := range args {
		_, value, _ := strings.Cut(arg, "=")
		for _, typed := range []string{arg, value} {
			if url.Redact(typed) != typed {
				quoted := quote(typed)
				secrets = append(secrets, typed, quoted[1:len(quoted)-1])
			}
		}
	}
	return secrets
}

// hintFor returns what the user can do about err; "" if unknown.
func hintFor(err error) string {
	if hint := fileHint(err); hint != "" {
		return hint
	}
	if pause, ok := errors.AsType[*retry.LongPause](err); ok && pause.Asked < 24*time.Hour {
		return fmt.Sprintf("--retry-time %v waits for it", pause.Asked+time.Minute)
	}
	if errors.Is(err, mail.ErrAddress) {
		return "locus compose URL writes a message to it, locus send URL writes and sends one"
	}
	if remedy := access.RemedyFor(err); remedy != nil {
		return inFlags(remedy)
	}
	switch {
	case errors.Is(err, access.ErrPassword):
		return "run this on a terminal to be asked for the password"
	case errors.Is(err, access.ErrForm):
		return "get asks its questions on a terminal, and takes --answer NAME=VALUE"
	case errors.Is(err, access.ErrFull):
		return "make room there, or ask for a larger quota"
	case errors.Is(err, transfer.ErrBusy):
		return "another locus writes there: wait until it has ended"
	case errors.Is(err, transfer.ErrTooManyEntries):
		return "--max-entries N allows more"
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
		case "nntp":
			return "nntps:// begins with TLS, --news-no-tls sends the password all the same"
		case "smtp":
			return "smtps:// begins with TLS, --smtp-no-tls sends in the clear, a password too"
		}
	case access.NeedTLS:
		return "--ftp-tls connects with TLS"
	case access.NeedLogin:
		return "give your name at this server with --news-user, or in .netrc"
	case access.NeedWords:
		return "locus get --search WORDS URL searches; in a URL the words follow %09, as in " + r.Example
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
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "it may be another server than you want; on Unix SSL_CERT_FILE names certificates to trust"
	}
	if errors.Is(err, syscall.ECONNREFUSED) {
		return "nothing listens at that port: is it the right one?"
	}
	return ""
}

// fileHint returns the URL of the file that the user probably meant.
func fileHint(err error) string {
	e, ok := errors.AsType[*access.Error](err)
	if !ok || !errors.Is(err, access.ErrNoScheme) || !strings.HasPrefix(e.URL.String(), "/") || strings.HasPrefix(e.URL.String(), "//") {
		return ""
	}
	return "if it is a file of this machine, write file://" + e.URL.String()
}

// each calls do for each argument in turn. It reports errors and continues, unless the
// user interrupts it or stdout is closed.
func (p *process) each(ctx context.Context, args []string, do func(string) error) error {
	failed := false
	for _, arg := range args {
		err := do(arg)
		switch {
		case err == nil:
			continue
		case isBrokenPipe(err):
			return err
		case ctx.Err() != nil:
			return errInterrupted
		}
		failed = true
		if !errors.Is(err, errReported) {
			p.report(err)
		}
	}
	if failed {
		return errReported
	}
	return nil
}

var errInterrupted = errors.New("interrupted")

// output is stdout. Its errors are of a type of their own. It has no ReadFrom, which
// would return other errors.
type output struct{ file *os.File }

// Write writes to the file. Its errors are outputErrors.
func (o output) Write(b []byte) (int, error) {
	n, err := o.file.Write(b)
	if err != nil {
		err = &outputError{err}
	}
	return n, err
}

type outputError struct{ err error }

func (e *outputError) Error() string { return e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// isOutput reports whether err is one of stdout.
func isOutput(err error) bool {
	_, ok := errors.AsType[*outputError](err)
	return ok
}

// isBrokenPipe reports whether err says that the reader of stdout has gone.
func isBrokenPipe(err error) bool {
	var out *outputError
	if !errors.As(err, &out) {
		return false
	}
	const windowsBrokenPipe, windowsNoData = syscall.Errno(109), syscall.Errno(232)
	if runtime.GOOS == "windows" {
		return errors.Is(err, windowsBrokenPipe) || errors.Is(err, windowsNoData)
	}
	return errors.Is(err, syscall.EPIPE)
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
