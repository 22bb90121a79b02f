package parse

import (
	"errors"
	"fmt"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/text"
	"locus/internal/facts"
	"locus/render"
	"locus/scheme"
	"locus/url"
	"locus/url/whatwg"
)

// A browsing is the result of the URL Standard for a text.
type browsing struct {
	fields whatwg.Fields
	params whatwg.Params
	errors []whatwg.Error
}

// browse parses typed as browsers do, against base.
func browse(base url.URL, typed string) verdict {
	v := verdict{text: typed, browsing: new(browsing)}
	parser := whatwg.Parser{Base: base, Report: func(e whatwg.Error) {
		v.browsing.errors = append(v.browsing.errors, e)
	}}
	u, err := parser.Parse(typed)
	if errors.As(text.Syntax(err, typed), &v.err) {
		return v
	}
	v.parts = u.Parts()
	v.browsing.fields = whatwg.FieldsOf(u)
	v.browsing.params = whatwg.ParseParams(v.browsing.fields.Search)
	v.port = facts.Of(u.Scheme()).Port
	v.view, v.viewErr = scheme.Parse(u)
	return v
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
func browserParts(e *cli.Env, v verdict) error {
	fmt.Fprintln(e.Out, render.Clean(v.text))
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
			fmt.Fprintf(e.Out, "  %-9s %s\n", row[0], render.Clean(row[1]))
		}
	}
	for _, problem := range v.browsing.errors {
		fmt.Fprintf(e.Out, "  %-9s %s at offset %d\n", "warning", problem.Name, problem.Offset)
	}
	return nil
}
