package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"locus/access"
	"locus/scheme"
	"locus/url"
	"locus/url/whatwg"
)

// minRate returns the MinRate of a locus.Client that --min-rate asks for.
func minRate(c *cli.Command) (int64, error) {
	switch text := c.String("min-rate"); text {
	case "":
		return 0, nil
	case "0":
		return -1, nil
	default:
		return parseSize("min-rate", text)
	}
}

// durationOf returns the value of a flag that is a duration; 0 if it is not given.
func durationOf(c *cli.Command, flag string) (time.Duration, error) {
	d := c.Duration(flag)
	if c.IsSet(flag) && d <= 0 {
		return 0, misuse("--%s wants a duration greater than 0, such as 30s", flag)
	}
	return d, nil
}

// allowedPorts returns the ports that --allow-port names.
func allowedPorts(c *cli.Command) ([]uint16, error) {
	var allow []uint16
	for _, text := range c.StringSlice("allow-port") {
		port, err := parseNumber("allow-port", text, 0, math.MaxUint16)
		if err != nil {
			return nil, err
		}
		allow = append(allow, uint16(port))
	}
	return allow, nil
}

// eachURL parses each argument, and calls do with it and a context with the timeout.
// It continues after errors.
func (p *process) eachURL(ctx context.Context, c *cli.Command, do func(context.Context, url.URL) error) error {
	args, err := arguments(c, 1, -1)
	if err != nil {
		return err
	}
	return p.eachOf(ctx, c, args, do)
}

// eachOf is eachURL for some arguments.
func (p *process) eachOf(ctx context.Context, c *cli.Command, args []string, do func(context.Context, url.URL) error) error {
	ctx, stop := untilInterrupted(ctx)
	defer stop()
	return p.each(ctx, args, func(arg string) error {
		u, err := url.Parse(scheme.Unprefix(arg))
		if err != nil {
			return explain(err)
		}
		ctx, cancel := deadline(ctx, c.Duration("timeout"))
		defer cancel()
		if err = do(ctx, u); err != nil && ctx.Err() != nil {
			return &timeoutError{u, c.Duration("timeout"), err}
		}
		return err
	})
}

// A timed is an Engine that gives each URL a limited time, until its Body is closed.
type timed struct {
	access.Engine
	timeout time.Duration // 0: no limit
}

// Do gives req its time.
func (t timed) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	own, cancel := deadline(ctx, t.timeout)
	late := func(err error) error {
		if errors.Is(own.Err(), context.DeadlineExceeded) && ctx.Err() == nil {
			return &timeoutError{req.URL, t.timeout, context.DeadlineExceeded}
		}
		return err
	}
	r, err := t.Engine.Do(own, req)
	if err != nil {
		defer cancel()
		return nil, late(err)
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{explained{r.Body, late}, r.Body}
	r.OnClose(cancel)
	return r, nil
}

func deadline(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// A timeoutError reports that a URL took longer than --timeout.
type timeoutError struct {
	url     url.URL
	timeout time.Duration
	err     error
}

func (e *timeoutError) Error() string {
	return fmt.Sprintf("%s: not done after %v", e.url.Redacted(), e.timeout)
}

func (e *timeoutError) Unwrap() error { return e.err }

// isTimeout reports whether err is a timeoutError.
func isTimeout(err error) bool {
	_, ok := errors.AsType[*timeoutError](err)
	return ok
}

// Suggest returns how to give the access more time.
func (e *timeoutError) Suggest() access.Remedy {
	return access.Advice("a longer --timeout gives it more time")
}

// explain adds to a syntax error of a URL how to write the character there.
func explain(err error) error {
	var syntax *url.SyntaxError
	if !errors.As(err, &syntax) || syntax.Offset >= len(syntax.Text) || syntax.Standard == whatwg.Standard {
		return err
	}
	if syntax.Offset == 0 && syntax.Text[0] == '<' {
		return &hinted{err, unwrapHint(syntax.Text)}
	}
	c := syntax.Text[syntax.Offset]
	if c != ' ' && c < 0x80 && !strings.ContainsRune("<>\"{}|\\^`", rune(c)) {
		return err
	}
	return &hinted{err, fmt.Sprintf("write this byte as %%%02X", c)}
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

// hinted is an error with a hint.
type hinted struct {
	error
	hint string
}

func (h *hinted) Unwrap() error          { return h.error }
func (h *hinted) Suggest() access.Remedy { return access.Advice(h.hint) }

// parseNumber reads the value of a flag: a decimal number from least to most.
func parseNumber(flag, text string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, misuse("%s wants a number from %d to %d, not %q", dashed(flag), least, most, text)
	}
	return n, nil
}
