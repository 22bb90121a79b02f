package report

import (
	"fmt"
	"io"
	"strings"

	"locus/check"
	"locus/internal/lazy"
	"locus/internal/render"
)

// levelOf returns the level of GitHub's annotations for a finding: "error" if it fails, "notice" if it moved or is
// unchecked, "" if it is good or excluded, and "warning" for every other finding.
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

// Annotations writes a report as workflow commands of GitHub Actions, with one line for each place of each link:
//
//	::error file=doc/a.md,line=3,col=7,title=dead link::http://h/x  404 Not Found
//
// Links that fail are errors. Of the other links, moved and unchecked links are notices, and dead and suspicious links
// are warnings. Excluded and good links are omitted.
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

// annotate writes the command for one place of a finding: level is its name, such as "error".
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

// The message and the properties of a workflow command have different escapes.
var (
	messageEscaper = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
		return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	}}
	propertyEscaper = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer {
		return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	}}
)
