package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"locus/access"
	"locus/cmd/locus/internal/console"
	"locus/limit"
	"locus/scheme"
	"locus/url"
	"locus/url/iri"
	"locus/url/whatwg"
)

// EachURL parses each argument with parse, and calls do with the URL and a context that ends after the timeout; 0
// means no limit. It reports errors and continues with the next argument: see [command.Env.Each] for the result.
func (e *Env) EachURL(ctx context.Context, args []string, parse func(string) (url.URL, error), timeout time.Duration, do func(context.Context, url.URL) error) error {
	ctx, stop := e.UntilInterrupted(ctx)
	defer stop()
	return e.Each(ctx, args, func(arg string) error {
		u, err := parse(scheme.Unprefix(arg))
		if err != nil {
			u, err = e.Instead(ctx, err)
		}
		if err != nil {
			return err
		}
		return limit.Within(ctx, timeout, u, do)
	})
}

// Instead asks the user on a terminal whether the URL that Explain suggests is meant, and returns it if the user
// agrees. Otherwise it returns err, the error of parsing, with the hint that Explain adds.
func (e *Env) Instead(ctx context.Context, err error) (url.URL, error) {
	explained := Explain(err)
	syntax, ok := errors.AsType[*url.SyntaxError](err)
	if !ok || e.Quiet || !IsTerminal(e.Stdin) || !IsTerminal(e.Stderr) {
		return url.URL{}, explained
	}
	u, ok := repaired(syntax.Text)
	if !ok || u.String() == syntax.Text || u.Redacted() != u.String() {
		return url.URL{}, explained
	}
	e.Say(err.Error())
	e.Ask("open " + u.String() + " instead? (y or n)")
	answer, failed := console.Await(ctx, func() (string, error) { return console.ReadLine(e.Stdin) })
	if failed != nil || !strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y") {
		return url.URL{}, explained
	}
	return u, nil
}

// Explain adds a hint to a syntax error of a URL, if it knows one: how to write the URL, or the escape for the byte at
// the offset of the error. It returns other errors, and nil, unchanged.
func Explain(err error) error {
	var syntax *url.SyntaxError
	if !errors.As(err, &syntax) || syntax.Offset >= len(syntax.Text) || syntax.Standard == whatwg.Standard {
		return err
	}
	if syntax.Offset == 0 && syntax.Text[0] == '<' {
		return &Hinted{err, unwrapHint(syntax.Text)}
	}
	if end := syntax.Text[syntax.Offset:]; strings.Trim(end, " ") == "" {
		return &Hinted{err, "remove the space at the end of the URL"}
	}
	c := syntax.Text[syntax.Offset]
	if syntax.Offset == 0 && c == ' ' {
		return &Hinted{err, "remove the space at the start of the URL"}
	}
	if !isEscaped(c) && c < utf8.RuneSelf {
		return err
	}
	if u, ok := repaired(syntax.Text); ok && u.Redacted() == u.String() { // not with a password, which must not be shown
		return &Hinted{err, "write it as " + u.String()}
	}
	return &Hinted{err, fmt.Sprintf("write this byte as %%%02X", c)}
}

// isEscaped reports whether c is a printable byte below 0x80 that is only allowed in a URL as an escape.
func isEscaped(c byte) bool { return strings.IndexByte(" <>\"{}|\\^`", c) >= 0 }

// repaired returns the URL for a text with characters that are only allowed as escapes or, in the host, in Punycode.
// ok is false if the text is not a URL even then.
func repaired(text string) (u url.URL, ok bool) {
	var b strings.Builder
	for i, c := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		if piece := text[i : i+size]; c == utf8.RuneError && size == 1 || c < utf8.RuneSelf && isEscaped(byte(c)) {
			fmt.Fprintf(&b, "%%%02X", piece[0])
		} else {
			b.WriteString(piece)
		}
	}
	u, err := iri.ToURI(b.String())
	return u, err == nil
}

// An explained is an Engine that adds the hints of Explain to the errors of another Engine.
type explained struct{ access.Engine }

// Do passes req to the Engine. If the error has a syntax error of a URL, Do adds a hint to it.
func (e explained) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := e.Engine.Do(ctx, req)
	if failed, ok := errors.AsType[*access.Error](err); ok { // a new one for each request
		failed.Err = Explain(failed.Err)
	}
	return r, err
}

// unwrapHint returns the hint for text, a URL that begins with "<", as in prose: the URL without "<" and ">".
func unwrapHint(text string) string {
	inner := scheme.Unprefix(strings.TrimSuffix(text[1:], ">"))
	u, err := url.Parse(inner)
	if err != nil || !u.IsAbs() {
		return "remove the < before the URL, and the > after it"
	}
	return "without its wrapper the URL is " + u.Redacted()
}

// Hinted is an error with a hint.
type Hinted struct {
	Err  error
	Hint string
}

func (h *Hinted) Error() string { return h.Err.Error() }
func (h *Hinted) Unwrap() error { return h.Err }

// Suggest returns the hint.
func (h *Hinted) Suggest() access.Remedy { return access.Advice(h.Hint) }
