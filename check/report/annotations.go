package report

import (
	"fmt"
	"io"
	"strings"

	"locus/check"
	"locus/internal/lazy"
	"locus/internal/render"
)

// levelOf returns how bad a finding is, in the words of GitHub's annotations: "error" if it
// fails, "warning" if it needs a look, "notice"; "" if nothing is wrong.
func levelOf(f check.Finding) string {
	switch {
	case f.Fails:
		return "error"
	case f.Verdict() == check.MovedVerdict, f.Status == check.Unchecked:
		return "notice"
	case f.Status == check.Good, f.Status == check.Excluded:
		return ""
	}
	return "warning"
}

// Annotations writes a report as workflow commands of GitHub Actions, one line for
// each place in a file:
//
//	::error file=doc/a.md,line=3,col=7,title=dead link::http://h/x  404 Not Found
//
// Links that fail are errors. Of the others, moved and unchecked links are notices, and
// dead and suspicious ones are warnings. Excluded and good links are left out.
func Annotations(w io.Writer, r *check.Report) error {
	for f, err := range r.Findings {
		if err != nil {
			return err
		}
		level := levelOf(f)
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

func annotate(w io.Writer, level string, f check.Finding, p check.Place) error {
	properties := "file=" + propertyEscaper.Get().Replace(render.Redacted(p.Document))
	if p.Line > 0 {
		properties += fmt.Sprintf(",line=%d", p.Line)
	}
	if p.Column > 0 {
		properties += fmt.Sprintf(",col=%d", p.Column)
	}
	message := strings.TrimSpace(render.Redacted(f.Link) + "  " + f.Explain())
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
