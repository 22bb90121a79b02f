package parse

import (
	"errors"
	"strings"

	"locus/cmd/locus/internal/text"
	"locus/internal/facts"
	"locus/render"
	"locus/scheme"
	"locus/url"
)

// A verdict is the judgement of a standard, and of the scheme, on a text.
type verdict struct {
	text    string
	parts   url.Parts        // as far as the text has any
	port    uint16           // the scheme's own; 0 if it has none
	err     *url.SyntaxError // nil: it is valid
	view    scheme.View      // nil if there is none
	viewErr error            // why there is none

	browsing *browsing // nil unless the URL Standard judged
}

// judge reads text. By the two RFCs of 1994 a URL must also fit the grammar of its
// scheme.
func judge(by text.By, typed string) verdict {
	v := verdict{text: typed, parts: by.Standard().Split(typed)}
	u, err := by.Read(typed)
	if err == nil {
		v.text, v.parts = u.String(), u.Parts()
	}
	v.port = facts.Of(v.parts.Scheme.Text).Port
	if errors.As(err, &v.err) {
		return v
	}
	v.view, v.viewErr = scheme.Parse(u)
	return v
}

// url returns the URL that was read.
func (v verdict) url() string {
	if v.browsing != nil && v.err == nil {
		return v.browsing.fields.Href
	}
	return v.text
}

// viewText returns the view in one line; "" if there is none.
func (v verdict) viewText() string {
	if v.view == nil {
		return ""
	}
	var b strings.Builder
	if err := render.NewEncoder(&b).Encode(scheme.JSON(v.view)); err != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// reason returns an error as a sentence without the URL.
func reason(err error) string {
	if syntax, ok := errors.AsType[*url.SyntaxError](err); ok {
		return syntax.Detail()
	}
	return err.Error()
}

// answer is a verdict in JSON.
type answer struct {
	URL      any    `json:"url"`
	Standard string `json:"standard"`
	Valid    bool   `json:"valid"`
	render.Parts
	DefaultPort *uint16      `json:"default_port"`
	View        any          `json:"view"`
	ViewError   *string      `json:"view_error"`
	Error       *answerError `json:"error"`
	*browserAnswer
}

type answerError struct {
	Offset  int    `json:"offset"`
	Rule    string `json:"rule"`
	Want    string `json:"want"`
	Message string `json:"message"`
}

// answer returns v in JSON. name is the value of --as.
func (v verdict) answer(name string) answer {
	p := v.parts
	p.Scheme.Text = strings.ToLower(p.Scheme.Text)
	a := answer{URL: render.Value(v.text), Standard: name, Valid: v.err == nil, Parts: render.PartsOf(p), View: scheme.JSON(v.view)}
	if v.port != 0 {
		a.DefaultPort = &v.port
	}
	if v.viewErr != nil {
		a.ViewError = new(reason(v.viewErr))
	}
	if v.browsing != nil {
		a.browserAnswer = v.browsing.answer(v.err == nil)
	}
	if v.err != nil {
		a.Error = &answerError{Offset: v.err.Offset, Rule: v.err.Rule, Want: v.err.Want, Message: v.err.Error()}
	}
	return a
}
