package main

import (
	"context"
	"errors"
	"strings"

	"github.com/urfave/cli/v3"

	"locus/scheme"
)

func (p *process) editCommand() *cli.Command {
	return &cli.Command{
		Name:      "edit",
		Usage:     "set or remove parts of a URL",
		UsageText: "locus edit [--as KIND] URL [--set PART=VALUE…] [--unset PART…]",
		Description: "PART is scheme, user, password, host, port, path, query or fragment, or a part of the\n" +
			"URL's meaning as parse --json names it, such as ftp.type or gopher.selector.\n\n" +
			"Parts are removed first, then set from left to right. Characters that a part cannot\n" +
			"hold are escaped. Escapes in VALUE stay as they are, except in parts of the meaning,\n" +
			"whose values are plain text. Lists such as ftp.dirs and file.segments are written as\n" +
			"in a URL. By rfc1738 and rfc1630 the result must fit its scheme.",
		Flags: flags("as set unset"),
		Metadata: kinds(rfcStandards,
			"locus edit ftp://ftp.example.org/a/b --set port=2121 --set ftp.type=i",
			"locus edit 'https://example.org/?q=1#top' --set 'path=/a b' --unset query"),
		Action: p.edit,
	}
}

func (p *process) edit(_ context.Context, c *cli.Command) error {
	std, err := standard(c)
	if err != nil {
		return err
	}
	args, err := arguments(c, 1, 1)
	if err != nil {
		return err
	}
	u, err := scheme.Read(std, args[0])
	if err != nil {
		return explain(err)
	}
	for _, part := range c.StringSlice("unset") {
		if u, err = scheme.Set(u, part, nil); err != nil {
			return unknownPart(err)
		}
	}
	for _, set := range c.StringSlice("set") {
		part, value, ok := strings.Cut(set, "=")
		if !ok {
			return misuse("--set wants PART=VALUE")
		}
		if u, err = scheme.Set(u, part, &value); err != nil {
			return unknownPart(err)
		}
	}
	if err := scheme.Judge(u); err != nil {
		return explain(err)
	}
	return p.line(u.String())
}

// unknownPart makes an error about a part that does not exist one of misuse.
func unknownPart(err error) error {
	if errors.Is(err, scheme.ErrNoPart) {
		return &usageError{text: err.Error(), hint: "locus help edit lists the parts"}
	}
	return err
}
