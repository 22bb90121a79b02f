// Package version is the verb version: print the version of locus.
package version

import (
	"context"
	"runtime/debug"

	"locus/cmd/locus/internal/cli"
)

// Options are the flags of version: none.
type Options struct{}

// Verb describes version.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "version",
		Summary:  "print the version of locus",
		Synopsis: "locus version",
		Examples: []string{"locus version"},
	})
}

// Run writes the version.
func Run(_ context.Context, e *cli.Env, _ Options) error {
	return e.Line("locus " + versionText(debug.ReadBuildInfo()))
}

// versionText returns the version and what built it: "v1.2.0 (go1.26.0)",
// "(devel) 0123456789ab (go1.26.0)".
func versionText(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return "(unknown)"
	}
	text := info.Main.Version
	if text == "" {
		text = "(devel)"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			text += " " + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			text += "+changes"
		}
	}
	return text + " (" + info.GoVersion + ")"
}
