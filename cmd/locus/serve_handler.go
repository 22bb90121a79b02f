package main

import (
	"log/slog"

	"github.com/urfave/cli/v3"
)

// logger returns the logger that --log asks for. It writes to stderr.
func (p *process) logger(c *cli.Command) (*slog.Logger, error) {
	switch format := c.String("log"); format {
	case "text":
		return slog.New(slog.NewTextHandler(p.stderr, nil)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(p.stderr, nil)), nil
	case "off":
		return slog.New(slog.DiscardHandler), nil
	default:
		return nil, misuse("--log wants text, json or off, not %q", format)
	}
}
