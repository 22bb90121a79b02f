// Package version is the verb version: print the version of locus.
package version

import (
	"context"
	"fmt"
	"runtime/debug"

	"locus/cmd/locus/internal/cli"
	"locus/render"
)

// Options are the flags of version.
type Options struct {
	JSON bool `flag:"json"`
}

// Verb describes version.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "version",
		Summary:  "print the version of locus",
		Synopsis: "locus version [--json]",
		Description: "A release has a version such as v0.2.0. Any other build has (devel), or a version that\n" +
			"Go made of the time and the name of its commit.",
		Examples: []string{"locus version"},
	})
}

// Run writes the version.
func Run(_ context.Context, e *cli.Env, o Options) error {
	info, _ := debug.ReadBuildInfo() // nil: unknown
	b := buildOf(info)
	if o.JSON {
		return render.NewEncoder(e.Out).Encode(b)
	}
	return e.Line(b.String())
}

// A build is what is known of how the program was built.
type build struct {
	Version string   `json:"version"`
	Commit  string   `json:"commit"` // "": unknown
	Date    string   `json:"date"`   // of the commit, as RFC 3339 says; "": unknown
	Changed bool     `json:"changed"`
	Go      string   `json:"go"`
	Modules []module `json:"modules"`
}

// A module is one that the program contains.
type module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

// buildOf returns what info says; nil says nothing.
func buildOf(info *debug.BuildInfo) build {
	b := build{Version: "(unknown)", Modules: []module{}}
	if info == nil {
		return b
	}
	b.Go, b.Version = info.GoVersion, info.Main.Version
	if b.Version == "" {
		b.Version = "(devel)"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		b.Modules = append(b.Modules, module{m.Path, m.Version})
	}
	return b
}

// String returns a line such as "locus v1.2.0 0123456789ab (go1.26.0)".
func (b build) String() string {
	text := "locus " + b.Version
	if b.Commit != "" {
		text += " " + b.Commit[:min(12, len(b.Commit))]
	}
	if b.Changed {
		text += "+changes"
	}
	if b.Go == "" {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, b.Go)
}
