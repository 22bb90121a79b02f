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
		Usage:     "set parts of a URL, or take them out",
		UsageText: "locus edit [--as STANDARD] URL [--set PART=VALUE…] [--unset PART…]",
		Description: "A part is scheme, user, password, host, port, path, query or fragment, or a part\n" +
			"of what the URL means, named as parse --json does: ftp.type, gopher.selector.\n" +
			"What may not stand there is escaped; escapes in a value stay as they are, but\n" +
			"for those in parts of the meaning, whose values are plain text. Lists such as\n" +
			"ftp.dirs and file.segments are written as they stand in a URL.\n\n" +
			"Parts are taken out first, then set from left to right. By rfc1738 and rfc1630 the\n" +
			"result must fit its scheme.",
		Flags: []cli.Flag{
			asFlag(),
			&cli.StringSliceFlag{Name: "set", Usage: "set a part: `PART=VALUE`; repeatable"},
			&cli.StringSliceFlag{Name: "unset", Usage: "take `PART` out; repeatable"},
		},
		Metadata: example(
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
