package check

import (
	"fmt"
	"io"
	"strings"

	"locus/internal/lazy"
)

// level returns how bad a finding is, in the words of GitHub's annotations: "error" if it
// fails, "warning" if it needs a look, "notice"; "" if nothing is wrong.
func (f Finding) level() string {
	switch {
	case f.Fails:
		return "error"
	case f.Verdict() == MovedVerdict, f.Status == Unchecked:
		return "notice"
	case f.Status == Good, f.Status == Excluded:
		return ""
	}
	return "warning"
}

// Annotations writes the report as workflow commands of GitHub Actions, one line for
// each place in a file:
//
//	::error file=doc/a.md,line=3,col=7,title=dead link::http://h/x  404 Not Found
//
// Links that fail are errors. Of the others, moved and unchecked links are notices, and
// dead and suspicious ones are warnings. Excluded and good links are left out.
func (r *Report) Annotations(w io.Writer) error {
	for f, err := range r.Findings {
		if err != nil {
			return err
		}
		level := f.level()
		if level == "" {
			continue
		}
		for _, p := range f.Places {
			if err := annotate(w, level, f, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func annotate(w io.Writer, level string, f Finding, p Place) error {
	properties := "file=" + propertyEscaper.Get().Replace(display(p.Document))
	if p.Line > 0 {
		properties += fmt.Sprintf(",line=%d", p.Line)
	}
	if p.Column > 0 {
		properties += fmt.Sprintf(",col=%d", p.Column)
	}
	message := strings.TrimSpace(display(f.Link) + "  " + f.Explain())
	_, err := fmt.Fprintf(w, "::%s %s,title=%s link::%s\n", level, properties, f.Verdict(), messageEscaper.Get().Replace(message))
	return err
}

// The two parts of a workflow command have escapes of their own.
var (
	messageEscaper = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
		return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	}}
	propertyEscaper = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
		return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	}}
)
