package describe

import (
	"strings"

	"locus/internal/render"
	"locus/scheme"
)

// described is a Description in JSON.
type described struct {
	URL      any    `json:"url"`
	Standard string `json:"standard"`
	Valid    bool   `json:"valid"`
	render.Parts
	DefaultPort *uint16      `json:"default_port"`
	View        any          `json:"view"`
	ViewError   *string      `json:"view_error"`
	Error       *syntaxError `json:"error"`
	*browserJSON
}

// A syntaxError is a *url.SyntaxError in JSON.
type syntaxError struct {
	Offset  int    `json:"offset"`
	Rule    string `json:"rule"`
	Want    string `json:"want"`
	Message string `json:"message"`
}

// JSON returns a value for encoding/json, with everything that the Description has. See
// doc/command.schema.json. standard is the value of the key "standard".
func (d Description) JSON(standard string) any {
	p := d.Parts
	p.Scheme.Text = strings.ToLower(p.Scheme.Text)
	j := described{
		URL: render.Value(d.Text), Standard: standard, Valid: d.Err == nil, Parts: render.PartsOf(p), View: scheme.JSON(d.View),
	}
	if d.Port != 0 {
		j.DefaultPort = &d.Port
	}
	if d.ViewErr != nil {
		j.ViewError = new(reason(d.ViewErr))
	}
	if d.browser != nil {
		j.browserJSON = d.browser.json(d.Err == nil)
	}
	if d.Err != nil {
		j.Error = &syntaxError{Offset: d.Err.Offset, Rule: d.Err.Rule, Want: d.Err.Want, Message: d.Err.Error()}
	}
	return j
}
