package text

import (
	"context"
	"fmt"
	"strings"

	"locus/cmd/locus/internal/cli"
	"locus/internal/render"
	"locus/scheme"
	"locus/url"
)

// ResolveOptions are the flags and arguments of resolve.
type ResolveOptions struct {
	Args []string `args:"1-"` // the base and the references; no references: the lines of stdin
	As   string   `flag:"as"`
}

// Resolve returns the verb resolve.
func Resolve() *cli.Verb {
	return cli.New(RunResolve, cli.Verb{
		Name:     "resolve",
		Summary:  "resolve references against a base URL",
		Synopsis: "locus resolve [--as KIND] BASE [REF…]",
		Description: "Write one URL per line for each REF, or for each line of stdin. With --as whatwg,\n" +
			"resolve as browsers do.",
		Kinds:    All(),
		Examples: []string{"locus resolve https://example.org/a/b/c ../d '?q' //example.net/"},
	})
}

// RunResolve writes the URL to which each reference resolves against the base.
func RunResolve(_ context.Context, e *cli.Env, o ResolveOptions) error {
	by := By{As: o.As}
	base, err := by.readBase(o.Args[0])
	if err != nil {
		return err
	}
	return e.ConvertEach(o.Args[1:], func(ref string) (string, error) {
		u, err := base.Resolve(ref)
		if err == nil {
			err = scheme.Judge(u)
		}
		return u.String(), cli.Explain(Syntax(err, ref))
	})
}

// RelativeOptions are the flags and arguments of relative.
type RelativeOptions struct {
	Args []string `args:"1-"` // the base and the URLs; no URLs: the lines of stdin
	As   string   `flag:"as"`
}

// Relative returns the verb relative.
func Relative() *cli.Verb {
	return cli.New(RunRelative, cli.Verb{
		Name:     "relative",
		Summary:  "shorten URLs to references relative to a base URL",
		Synopsis: "locus relative [--as KIND] BASE [URL…]",
		Description: "Write one reference per line for each URL, or for each line of stdin: the shortest that\n" +
			"resolves to URL against BASE. With --as whatwg, it is the shortest that browsers call\n" +
			"valid.",
		Kinds:    All(),
		Examples: []string{"locus relative https://example.org/a/b/c https://example.org/a/d"},
	})
}

// RunRelative writes the shortest reference that resolves to each URL against the base.
func RunRelative(_ context.Context, e *cli.Env, o RelativeOptions) error {
	by := By{As: o.As}
	base, err := by.readBase(o.Args[0])
	if err != nil {
		return err
	}
	return e.ConvertEach(o.Args[1:], func(arg string) (string, error) {
		u, err := by.Standard().Parse(arg)
		if err != nil {
			return "", cli.Explain(Syntax(err, arg))
		}
		return base.Relative(u)
	})
}

// readBase reads the URL of a base. It returns an error for a relative URL, because a base needs a
// scheme.
func (b By) readBase(text string) (url.URL, error) {
	u, err := b.Read(text)
	if err == nil && !u.IsAbs() {
		_, err = u.Resolve("") // err explains why u cannot be a base
	}
	return u, err
}

// NormalizeOptions are the flags and arguments of normalize.
type NormalizeOptions struct {
	URLs []string `args:"0-"` // without URLs: the lines of stdin
	By
}

// Normalize returns the verb normalize.
func Normalize() *cli.Verb {
	return cli.New(RunNormalize, cli.Verb{
		Name:     "normalize",
		Summary:  "write URLs in their normal form",
		Synopsis: "locus normalize [--as KIND] [--guess] [URL…]",
		Description: "Write one URL per line: scheme and host in lower case, no needless escapes, no dot\n" +
			"segments in hierarchical schemes, no default port. With --as whatwg, write the href\n" +
			"that browsers show. Without URL, read URLs from stdin, one per line.",
		Kinds:    All(),
		Examples: []string{"locus normalize HTTP://Example.ORG:80/a/../%7Eb"},
	})
}

// RunNormalize writes URLs in their normal form.
func RunNormalize(_ context.Context, e *cli.Env, o NormalizeOptions) error {
	return e.ConvertEach(o.URLs, func(arg string) (string, error) {
		u, err := o.Read(arg)
		if err != nil {
			return "", err
		}
		return scheme.Normalize(u, url.AllRewrites).String(), nil
	})
}

// EqualOptions are the flags and arguments of equal.
type EqualOptions struct {
	URLs []string `args:"1-2"` // with only one: the lines of stdin are compared with it
	As   string   `flag:"as"`
}

// Equal returns the verb equal.
func Equal() *cli.Verb {
	return cli.New(RunEqual, cli.Verb{
		Name:     "equal",
		Summary:  "say whether two URLs mean the same",
		Synopsis: "locus equal [--as KIND] A [B]",
		Description: "The exit status is 0 if A and B mean the same, and 1 if not. If not, write the first\n" +
			"part that differs. Nothing is fetched: the standard and the scheme decide. With --as\n" +
			"whatwg, A and B mean the same if browsers show the same href for both. Without B,\n" +
			"compare A with each line of stdin, and write that URL before the part.",
		Kinds:    All(),
		Examples: []string{"locus equal http://example.org:80/%7Ea HTTP://EXAMPLE.org/~a"},
	})
}

// RunEqual compares the first URL with each other URL. It writes a line for each URL that differs
// from the first, and reports an invalid URL. In both cases it returns ErrReported at the end.
func RunEqual(_ context.Context, e *cli.Env, o EqualOptions) error {
	by := By{As: o.As}
	a, err := by.Read(o.URLs[0])
	if err != nil {
		return err
	}
	failed := false
	err = e.EachText(o.URLs[1:], func(arg string) error {
		b, err := by.Read(arg)
		if err != nil {
			e.Report(err)
			failed = true
			return nil
		}
		part, atA, atB, ok := scheme.Difference(a, b)
		if !ok {
			return nil
		}
		failed = true
		line := fmt.Sprintf("%s: %s, %s", part, shownFrom(a, part, atA), shownFrom(b, part, atB))
		if hasSecret(a, part, atA) || hasSecret(b, part, atB) {
			line = part.String() + ": they differ"
		}
		if len(o.URLs) == 1 {
			line = b.Redacted() + ": " + line
		}
		return e.Line(line)
	})
	if err == nil && failed {
		return cli.ErrReported
	}
	return err
}

// hasSecret reports whether the part n of u may contain a password at or after an offset in u. In a
// URL without "//", such as ftp:u:secret@h, the password is in the path. In http://u:1?x@h/ it may
// be in the text that is parsed as a port.
func hasSecret(u url.URL, n url.PartName, offset int) bool {
	text, redacted := u.String(), u.Redacted()
	_, end, ok := u.Span(n)
	return n == url.Password || ok && !strings.HasPrefix(redacted, text[:end]) && !strings.HasSuffix(redacted, text[offset:])
}

// shownFrom returns a phrase for people about the part n of u from an offset in u on: the quoted
// text and the offset, "nothing at offset" and the offset, or "none" if u lacks the part.
func shownFrom(u url.URL, n url.PartName, offset int) string {
	_, end, ok := u.Span(n)
	switch {
	case !ok:
		return "none"
	case offset >= end:
		return fmt.Sprintf("nothing at offset %d", offset)
	}
	return fmt.Sprintf("%q at offset %d", render.Clean(u.String()[offset:end]), offset)
}
