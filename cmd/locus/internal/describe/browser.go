package describe

import (
	"bytes"
	"errors"
	"fmt"

	"locus/internal/facts"
	"locus/internal/render"
	"locus/scheme"
	"locus/url"
	"locus/url/whatwg"
)

// A browser has the parts of a URL as browsers read it, by the URL Standard.
type browser struct {
	fields whatwg.Fields
	params whatwg.Params
	errors []whatwg.Error
}

// Browser describes text as browsers read it, by the URL Standard, relative to base. With the
// zero base a relative text is invalid.
func Browser(base url.URL, text string) Description {
	d := Description{Text: text, browser: new(browser)}
	parser := whatwg.Parser{Base: base, Report: func(e whatwg.Error) {
		d.browser.errors = append(d.browser.errors, e)
	}}
	u, err := parser.Parse(text)
	if failure, ok := errors.AsType[*whatwg.Error](err); ok {
		err = failure.Syntax(text)
	}
	if errors.As(err, &d.Err) {
		return d
	}
	d.Parts = u.Parts()
	d.browser.fields = whatwg.FieldsOf(u)
	d.browser.params = whatwg.ParseParams(d.browser.fields.Search)
	d.Port = facts.Of(u.Scheme()).Port
	d.View, d.ViewErr = scheme.Parse(u)
	return d
}

// browserJSON has the keys of the JSON that exist only for the URL Standard.
type browserJSON struct {
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

// A browserError is a validation error in JSON.
type browserError struct {
	Name    whatwg.Name `json:"name"`
	Offset  int         `json:"offset"`
	Failure bool        `json:"failure"`
}

// json returns the keys for the URL Standard. If the text is not valid, only the validation errors
// are set.
func (b *browser) json(valid bool) *browserJSON {
	j := &browserJSON{Errors: []browserError{}}
	for _, e := range b.errors {
		j.Errors = append(j.Errors, browserError(e))
	}
	if !valid {
		return j
	}
	j.Href, j.Origin = &b.fields.Href, &b.fields.Origin
	j.API = &browserAPI{Fields: b.fields, SearchParams: [][2]string{}}
	for _, p := range b.params {
		j.API.SearchParams = append(j.API.SearchParams, [2]string{p.Name, p.Value})
	}
	return j
}

// writeBrowser writes the attributes of the API, one per line, and the validation errors.
func (d Description) writeBrowser(b *bytes.Buffer) {
	fmt.Fprintln(b, render.Clean(d.Text))
	f := d.browser.fields
	port := f.Port
	if port == "" && f.Host != "" && d.Port != 0 {
		port = fmt.Sprintf("%d, by default", d.Port)
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
		{"means", d.viewText()},
	} {
		if row[1] != "" {
			fmt.Fprintf(b, "  %-9s %s\n", row[0], render.Clean(row[1]))
		}
	}
	for _, problem := range d.browser.errors {
		fmt.Fprintf(b, "  %-9s %s at offset %d\n", "warning", problem.Name, problem.Offset)
	}
}
