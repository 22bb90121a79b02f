// Package describe describes the parts of a URL, and says whether the URL is valid: as text, as
// JSON, and by a format with the names of the parts.
package describe

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"locus/internal/facts"
	"locus/internal/render"
	"locus/scheme"
	"locus/url"
	"locus/url/iri"
)

// A Description has the parts of a URL and their meaning in its scheme, or the error of an invalid text. [Of] and
// [Browser] make one. Several goroutines may use it at once.
type Description struct {
	Text    string           // the URL as it was read, or the invalid text
	Parts   url.Parts        // as many parts as an invalid text has
	Port    uint16           // the default port of the scheme; 0 if unknown
	Err     *url.SyntaxError // nil if the text is valid
	Shown   string           // the URL as [iri.Display] shows it; "" if the text is invalid
	View    scheme.View      // the meaning in the scheme; nil if the scheme has no view
	ViewErr error            // says why the URL does not fit its scheme; nil if it fits, or without a view

	browser *browser // nil unless [Browser] made it
}

// Of describes a text that was read by the standard std. u and err are the results of reading it,
// for example by [scheme.Read]: err is nil for a valid text, and otherwise it is or wraps a
// *url.SyntaxError.
func Of(std url.Standard, text string, u url.URL, err error) Description {
	d := Description{Text: text, Parts: std.Split(text)}
	if err == nil {
		d.Text, d.Parts, d.Shown = u.String(), u.Parts(), iri.Display(u)
	}
	d.Port = facts.Of(d.Parts.Scheme.Text).Port
	if errors.As(err, &d.Err) {
		return d
	}
	d.View, d.ViewErr = scheme.Parse(u)
	return d
}

// URL returns the text that was described, with its password. If the text is a valid URL that was read
// by the URL Standard, URL returns the href instead.
func (d Description) URL() string {
	if d.browser != nil && d.Err == nil {
		return d.browser.fields.Href
	}
	return d.Text
}

// WriteText writes the parts of the URL, one per line, including a password. If the text is invalid,
// it writes the text with a mark under the first invalid byte. It does not write control characters
// of the text. It returns the error of w.
func (d Description) WriteText(w io.Writer) error {
	var b bytes.Buffer
	switch {
	case d.Err != nil:
		fmt.Fprintf(&b, "%s\n  offset %d, %s\n", d.Err.Mark(), d.Err.Offset, d.Err.Rule)
	case d.browser != nil:
		d.writeBrowser(&b)
	default:
		d.writeParts(&b)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// writeParts writes the URL, and below it one line for each part that is present. It also writes
// lines for the default port, the Unicode form, the meaning and the problem, if d has them.
func (d Description) writeParts(b *bytes.Buffer) {
	fmt.Fprintln(b, render.Clean(d.Text))
	row := func(name, value string) { fmt.Fprintf(b, "  %-9s %s\n", name, render.Clean(value)) }
	for n := url.Scheme; n <= url.Fragment; n++ {
		part := d.Parts.Part(n)
		switch {
		case part.Present:
			row(n.String(), part.Text)
		case n == url.Port && d.Port != 0 && d.Parts.Host.Present:
			row("port", fmt.Sprintf("%d, by default", d.Port))
		}
	}
	if hasUnicode(d.Shown) {
		row("shown as", d.Shown)
	}
	if text := d.viewText(); text != "" {
		row("means", text)
	}
	if d.ViewErr != nil {
		row("problem", reason(d.ViewErr))
	}
}

// hasUnicode reports whether shown, the form of a URL for people, has characters beyond ASCII, which the URL itself
// escapes.
func hasUnicode(shown string) bool {
	return strings.ContainsFunc(shown, func(r rune) bool { return r >= utf8.RuneSelf })
}

// viewText returns the view as one line of JSON, or "" if the URL has no view.
func (d Description) viewText() string {
	if d.View == nil {
		return ""
	}
	var b strings.Builder
	if err := render.NewEncoder(&b).Encode(scheme.JSON(d.View)); err != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// reason returns the text of err without the URL.
func reason(err error) string {
	if syntax, ok := errors.AsType[*url.SyntaxError](err); ok {
		return syntax.Detail()
	}
	return err.Error()
}
