package check

import (
	"fmt"
	"io"
	"strings"
)

// annotationLevels are the levels of GitHub's annotations for what is wrong with a link.
var annotationLevels = map[string]string{"dead": "error", "moved": "notice", "unchecked": "notice"}

// Annotations writes the report as workflow commands of GitHub Actions, one line for
// each place in a file:
//
//	::error file=doc/a.md,line=3,col=7,title=dead link::http://h/x  404 Not Found
//
// Dead links are errors, moved and unchecked links are notices. Excluded and good links
// are left out.
func (r *Report) Annotations(w io.Writer) error {
	for f, err := range r.Findings {
		if err != nil {
			return err
		}
		level, ok := annotationLevels[f.rule()]
		if !ok {
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
	properties := "file=" + propertyEscaper.Replace(display(p.Document))
	if p.Line > 0 {
		properties += fmt.Sprintf(",line=%d", p.Line)
	}
	if p.Column > 0 {
		properties += fmt.Sprintf(",col=%d", p.Column)
	}
	message := strings.TrimSpace(display(f.Link) + "  " + f.Explain())
	_, err := fmt.Fprintf(w, "::%s %s,title=%s link::%s\n", level, properties, f.rule(), messageEscaper.Replace(message))
	return err
}

// The two parts of a workflow command have escapes of their own.
var (
	messageEscaper  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscaper = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
