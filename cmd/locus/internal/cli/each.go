package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"locus/access"
	"locus/limit"
	"locus/scheme"
	"locus/url"
	"locus/url/whatwg"
)

// EachURL parses each argument with parse and calls do with the URL and a context that ends after the timeout. It
// reports errors and continues with the next argument.
func (e *Env) EachURL(ctx context.Context, args []string, parse func(string) (url.URL, error), timeout time.Duration, do func(context.Context, url.URL) error) error {
	ctx, stop := e.UntilInterrupted(ctx)
	defer stop()
	return e.Each(ctx, args, func(arg string) error {
		u, err := parse(scheme.Unprefix(arg))
		if err != nil {
			return Explain(err)
		}
		return limit.Within(ctx, timeout, u, do)
	})
}

// Explain adds a hint to a syntax error of a URL: how to write the byte at the offset of the error. It
// returns other errors, and nil, unchanged.
func Explain(err error) error {
	var syntax *url.SyntaxError
	if !errors.As(err, &syntax) || syntax.Offset >= len(syntax.Text) || syntax.Standard == whatwg.Standard {
		return err
	}
	if syntax.Offset == 0 && syntax.Text[0] == '<' {
		return &Hinted{err, unwrapHint(syntax.Text)}
	}
	if end := syntax.Text[syntax.Offset:]; strings.Trim(end, " ") == "" {
		return &Hinted{err, "remove the blank at the end of the URL"}
	}
	c := syntax.Text[syntax.Offset]
	if syntax.Offset == 0 && c == ' ' {
		return &Hinted{err, "remove the blank at the start of the URL"}
	}
	if c != ' ' && c < 0x80 && !strings.ContainsRune("<>\"{}|\\^`", rune(c)) {
		return err
	}
	return &Hinted{err, fmt.Sprintf("write this byte as %%%02X", c)}
}

// An explained is an Engine that passes the errors of another one to Explain.
type explained struct{ access.Engine }

// Do passes req to the Engine, and adds a hint to a syntax error in its error.
func (e explained) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := e.Engine.Do(ctx, req)
	if failed, ok := errors.AsType[*access.Error](err); ok { // a new one for each request
		failed.Err = Explain(failed.Err)
	}
	return r, err
}

// unwrapHint returns the hint for a URL in "<" and ">", as texts have it: the URL without them.
func unwrapHint(text string) string {
	inner := scheme.Unprefix(strings.TrimSuffix(text[1:], ">"))
	u, err := url.Parse(inner)
	if err != nil || !u.IsAbs() {
		return "leave out the < before the URL, and the > after it"
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
