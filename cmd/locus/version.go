package main

import (
	"context"
	"runtime/debug"

	"github.com/urfave/cli/v3"
)

func (p *process) versionCommand() *cli.Command {
	return &cli.Command{
		Name:      "version",
		Usage:     "print the version of locus",
		UsageText: "locus version",
		Metadata:  example("locus version"),
		Action:    p.version,
	}
}

func (p *process) version(_ context.Context, c *cli.Command) error {
	if _, err := arguments(c, 0, 0); err != nil {
		return err
	}
	return p.line("locus " + versionText(debug.ReadBuildInfo()))
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
