package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"locus/internal/facts"
	"locus/render"
	"locus/scheme"
	"locus/url"
	"locus/url/whatwg"
)

// byBrowsers reports whether --as selects the URL Standard.
func byBrowsers(c *cli.Command) bool { return c.String("as") == "whatwg" }

// A browsing is the result of the URL Standard for a text.
type browsing struct {
	fields whatwg.Fields
	params whatwg.Params
	errors []whatwg.Error
}

// browse parses text as browsers do, against base.
func browse(base url.URL, text string) verdict {
	v := verdict{text: text, browsing: new(browsing)}
	parser := whatwg.Parser{Base: base, Report: func(e whatwg.Error) {
		v.browsing.errors = append(v.browsing.errors, e)
	}}
	u, err := parser.Parse(text)
	if errors.As(inStandard(err, text), &v.err) {
		return v
	}
	v.parts = u.Parts()
	v.browsing.fields = whatwg.FieldsOf(u)
	v.browsing.params = whatwg.ParseParams(v.browsing.fields.Search)
	v.port = facts.Of(u.Scheme()).Port
	v.view, v.viewErr = scheme.Parse(u)
	return v
}

// browsed parses text as browsers do.
func browsed(text string) (url.URL, error) { return browsedRef(url.URL{}, text) }

// browsedRef parses text as browsers do, against base.
func browsedRef(base url.URL, text string) (url.URL, error) {
	u, err := whatwg.Resolve(base, text)
	return u, inStandard(err, text)
}

// inStandard converts an error of whatwg to the error type of the other standards.
func inStandard(err error, text string) error {
	e, ok := errors.AsType[*whatwg.Error](err)
	if !ok {
		return err
	}
	return &url.SyntaxError{
		Text: text, Offset: e.Offset, Standard: whatwg.Standard,
		Rule: "URL Standard, " + string(e.Name), Want: wanted(e.Name),
	}
}

// wanted returns what the parser wanted where it failed.
func wanted(name whatwg.Name) string {
	switch name {
	case whatwg.MissingSchemeNonRelative:
		return "a scheme, or a base"
	case whatwg.HostMissing:
		return "a host"
	case whatwg.DomainToASCII:
		return "a host that IDNA writes in ASCII, of characters that may stand in one"
	case whatwg.HostInvalidCodePoint:
		return "a character that may stand in a host"
	case whatwg.PortOutOfRange:
		return "a port up to 65535"
	case whatwg.PortInvalid:
		return "a digit of the port"
	case whatwg.IPv6Unclosed:
		return `the "]" that ends the address`
	}
	if strings.HasPrefix(string(name), "IPv4-") && !strings.HasPrefix(string(name), "IPv4-in-") {
		return "an IPv4 address, as the host ends in a number"
	}
	return "an IPv6 address"
}

// browserAnswer is the part of an answer that only the URL Standard has.
type browserAnswer struct {
	Href   *string        `json:"href"`
	Origin *string        `json:"origin"`
	API    *browserAPI    `json:"api"`
	Errors []browserError `json:"validation_errors"`
}

// browserAPI are the attributes of the API's URL.
type browserAPI struct {
	whatwg.Fields
	SearchParams [][2]string `json:"searchParams"`
}

type browserError struct {
	Name    whatwg.Name `json:"name"`
	Offset  int         `json:"offset"`
	Failure bool        `json:"failure"`
}

func (b *browsing) answer(valid bool) *browserAnswer {
	a := &browserAnswer{Errors: []browserError{}}
	for _, e := range b.errors {
		a.Errors = append(a.Errors, browserError(e))
	}
	if !valid {
		return a
	}
	a.Href, a.Origin = &b.fields.Href, &b.fields.Origin
	a.API = &browserAPI{Fields: b.fields, SearchParams: [][2]string{}}
	for _, p := range b.params {
		a.API.SearchParams = append(a.API.SearchParams, [2]string{p.Name, p.Value})
	}
	return a
}

// browserParts writes the attributes of the API, one a line, and the validation errors.
func (p *process) browserParts(v verdict) error {
	fmt.Fprintln(p.out, render.Clean(v.text))
	f := v.browsing.fields
	port := f.Port
	if port == "" && f.Host != "" && v.port != 0 {
		port = fmt.Sprintf("%d, by default", v.port)
	}
	for _, row := range [][2]string{
		{"href", f.Href},
		{"origin", f.Origin},
		{"protocol", f.Protocol},
		{"username", f.Username},
		{"password", f.Password},
		{"host", f.Host},
		{"hostname", f.Hostname},
		{"port", port},
		{"pathname", f.Pathname},
		{"search", f.Search},
		{"hash", f.Hash},
		{"means", v.viewText()},
	} {
		if row[1] != "" {
			fmt.Fprintf(p.out, "  %-9s %s\n", row[0], render.Clean(row[1]))
		}
	}
	for _, e := range v.browsing.errors {
		fmt.Fprintf(p.out, "  %-9s %s at offset %d\n", "warning", e.Name, e.Offset)
	}
	return nil
}
