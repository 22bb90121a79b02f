package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"locus/access"
	"locus/internal/sentinel"
	"locus/limit"
	"locus/scheme"
	"locus/url"
	"locus/url/whatwg"
)

// ErrReported ends the command with status 1. The reason has been reported.
var ErrReported error = &sentinel.Error{Text: "failed"}

// ErrInterrupted ends the command after the user has interrupted it.
var ErrInterrupted error = &sentinel.Error{Text: "interrupted"}

// Each calls do for each argument in turn. It reports errors and continues, unless the
// user interrupts it or misused the command, or stdout is closed.
func (e *Env) Each(ctx context.Context, args []string, do func(string) error) error {
	return EachOf(ctx, e, slices.Values(args), do)
}

// EachOf is Each for values that are not all there yet.
func EachOf[T any](ctx context.Context, e *Env, all iter.Seq[T], do func(T) error) error {
	failed := false
	for one := range all {
		err := do(one)
		switch {
		case err == nil:
			continue
		case IsBrokenPipe(err), IsMisuse(err):
			return err
		case ctx.Err() != nil:
			return ErrInterrupted
		}
		failed = true
		if !errors.Is(err, ErrReported) {
			e.Report(err)
		}
	}
	if failed {
		return ErrReported
	}
	return nil
}

// EachURL parses each argument, and calls do with it and a context that ends after the
// timeout. It continues after errors.
func (e *Env) EachURL(ctx context.Context, args []string, timeout time.Duration, do func(context.Context, url.URL) error) error {
	ctx, stop := e.UntilInterrupted(ctx)
	defer stop()
	return e.Each(ctx, args, func(arg string) error {
		u, err := url.Parse(scheme.Unprefix(arg))
		if err != nil {
			return Explain(err)
		}
		return limit.Within(ctx, timeout, u, do)
	})
}

// Explain adds to a syntax error of a URL how to write the character there.
func Explain(err error) error {
	var syntax *url.SyntaxError
	if !errors.As(err, &syntax) || syntax.Offset >= len(syntax.Text) || syntax.Standard == whatwg.Standard {
		return err
	}
	if syntax.Offset == 0 && syntax.Text[0] == '<' {
		return &Hinted{err, unwrapHint(syntax.Text)}
	}
	c := syntax.Text[syntax.Offset]
	if c != ' ' && c < 0x80 && !strings.ContainsRune("<>\"{}|\\^`", rune(c)) {
		return err
	}
	return &Hinted{err, fmt.Sprintf("write this byte as %%%02X", c)}
}

// An explained is an Engine whose errors say how to write a character in a URL: see Explain.
type explained struct{ access.Engine }

func (e explained) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := e.Engine.Do(ctx, req)
	if failed, ok := errors.AsType[*access.Error](err); ok { // a new one for each request
		failed.Err = Explain(failed.Err)
	}
	return r, err
}

// unwrapHint says how to write a URL that stands in "<" and ">", as in a text.
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
