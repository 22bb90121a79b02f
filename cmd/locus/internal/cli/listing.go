package cli

import (
	"fmt"
	"io"
	"strconv"

	"locus/access"
	"locus/render"
)

// Listing is how to write entries.
type Listing struct {
	Long bool `flag:"long"`
	JSON bool `flag:"json"`
}

// Writer returns a function that writes entries to stdout. On a terminal each is shown
// at once.
func (o Listing) Writer(e *Env) render.Func {
	write := render.Text(e.Out)
	switch {
	case o.JSON:
		write = render.JSON(e.Out)
	case o.Long:
		write = longText(e.Out)
	}
	if IsTerminal(e.Stdout) {
		return e.Flushed(write)
	}
	return write
}

// longText returns a function that writes entries in the order of ls -l: kind, size, time
// of change in UTC, and title. "-" stands for what is unknown.
func longText(w io.Writer) render.Func {
	return func(e access.Entry) error {
		size, changed := "-", "-"
		if e.Size >= 0 {
			size = strconv.FormatInt(e.Size, 10)
		}
		if !e.ModTime.IsZero() {
			changed = e.ModTime.UTC().Format("2006-01-02 15:04")
		}
		_, err := fmt.Fprintf(w, "%-9s %12s  %-16s  %s\n", e.Kind, size, changed, render.Clean(e.Title))
		return err
	}
}
