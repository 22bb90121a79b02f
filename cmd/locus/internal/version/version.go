// Package version implements the verb version: print the version of locus.
package version

import (
	"context"
	"runtime/debug"

	"locus/cmd/locus/internal/buildinfo"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/command"
	"locus/internal/render"
)

// Options are the flags of version.
type Options struct {
	JSON bool `flag:"json"`
}

// Verb returns the verb version.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "version",
		Summary:  "print the version of locus",
		Synopsis: "locus version [--json]",
		Description: "A release has a version such as v0.1.0. Any other build has (devel), or a version that\n" +
			"Go makes from the time and the hash of its commit.",
		Examples: []string{"locus version"},
	})
}

// Run writes the version, as a line of text or with --json as an object.
func Run(_ context.Context, e *cli.Env, o Options) error {
	if !o.JSON {
		return Write(e.Env)
	}
	info, _ := debug.ReadBuildInfo() // nil: unknown
	return render.NewEncoder(e.Out).Encode(buildinfo.Of(info))
}

// Write writes the version of this program as a line of text.
func Write(e *command.Env) error {
	info, _ := debug.ReadBuildInfo() // nil: unknown
	return e.Line(buildinfo.Of(info).String())
}
