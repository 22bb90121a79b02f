package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/urfave/cli/v3"

	"locus/render"
	"locus/url"
)

func (p *process) parseCommand() *cli.Command {
	return &cli.Command{
		Name:      "parse",
		Usage:     "split URLs into parts, and say whether they are valid",
		UsageText: "locus parse [FLAG…] [URL…]",
		Description: "Without URL, read URLs from stdin, one a line, and write one answer for each line.\n" +
			"The exit status is 1 if a URL is invalid.\n\n" +
			"By rfc1738 and rfc1630 a URL must also fit its scheme. By rfc3986 a URL that does\n" +
			"not fit its scheme is valid, and the line \"problem\" says why.\n\n" +
			"By whatwg a URL is read as browsers read it. The answer has the attributes of the\n" +
			"browsers' API (href, origin, protocol, …) and the validation errors of the URL\n" +
			"Standard. Only whatwg takes --base.",
		Flags: flags("as base json"),
		Metadata: kinds(allStandards, "locus parse 'ftp://ftp.example.org/%2Fetc/motd;type=a'",
			"echo 'gopher://example.org/7search%09words' | locus parse --as rfc1738 --json",
			`locus parse --as whatwg --base https://example.org/a/ '..\b?q#f'`),
		Action: p.parse,
	}
}

func (p *process) parse(_ context.Context, c *cli.Command) error {
	judge, name, err := judgeFor(c)
	if err != nil {
		return err
	}
	total, invalid := 0, 0
	write := p.textAnswers()
	if c.Bool("json") {
		write = p.jsonAnswers(standardName(c))
	}
	answer := func(text string) error {
		v := judge(text)
		total++
		if v.err != nil {
			invalid++
		}
		return write(v)
	}
	if err := p.texts(c.Args().Slice(), answer); err != nil {
		return err
	}
	if invalid > 0 {
		return fmt.Errorf("invalid by %s: %d of %d", name, invalid, total)
	}
	return nil
}

// judgeFor returns the function that judges texts by the standard of --as, and the name
// of the standard.
func judgeFor(c *cli.Command) (func(text string) verdict, string, error) {
	if !byBrowsers(c) {
		std, err := standard(c)
		if err == nil && c.IsSet("base") {
			err = misuse("--base goes with --as whatwg")
		}
		return func(text string) verdict { return judge(std, text) }, std.String(), err
	}
	var base url.URL
	if text := c.String("base"); c.IsSet("base") {
		var err error
		if base, err = browsed(text); err != nil {
			return nil, "", err
		}
	}
	return func(text string) verdict { return browse(base, text) }, "the URL Standard", nil
}

// texts calls do for each argument or, if there are none, for each line of stdin.
func (p *process) texts(args []string, do func(string) error) error {
	if len(args) == 0 {
		return p.lines(do)
	}
	for _, arg := range args {
		if err := do(arg); err != nil {
			return err
		}
	}
	return nil
}

// lines calls do for each line of stdin. It flushes stdout before it waits for input.
func (p *process) lines(do func(string) error) error {
	in := bufio.NewReaderSize(p.stdin, 1<<16)
	for {
		if in.Buffered() == 0 {
			if err := p.out.Flush(); err != nil {
				return err
			}
		}
		line, err := readLine(in)
		switch {
		case errors.Is(err, io.EOF) && line == "":
			return nil
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		if err := do(line); err != nil {
			return err
		}
	}
}

// readLine reads a line and removes its LF, and nothing else. For the last line it
// returns io.EOF, with the line if there is one. It cuts a very long line one byte after
// the length of the longest URL.
func readLine(in *bufio.Reader) (string, error) {
	const most int64 = math.MaxInt32 + 1 // int64, since int has 32 bits on some machines
	part, err := in.ReadSlice('\n')
	if err == nil {
		return string(part[:len(part)-1]), nil
	}
	var line []byte
	for {
		line = append(line, part[:min(int64(len(part)), most-int64(len(line)))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
		part, err = in.ReadSlice('\n')
	}
	if err == nil && int64(len(line)) < most {
		line = line[:len(line)-1]
	}
	return string(line), err
}

// textAnswers returns a function that writes verdicts as text.
func (p *process) textAnswers() func(verdict) error {
	first := true
	return func(v verdict) error {
		if !first {
			p.out.WriteByte('\n')
		}
		first = false
		if v.err != nil {
			return p.mark(v.err)
		}
		if v.browsing != nil {
			return p.browserParts(v)
		}
		return p.parts(v)
	}
}

// parts writes the parts of a URL, each on a line of its own.
func (p *process) parts(v verdict) error {
	fmt.Fprintln(p.out, render.Clean(v.text))
	row := func(name, value string) { fmt.Fprintf(p.out, "  %-9s %s\n", name, render.Clean(value)) }
	for n := url.Scheme; n <= url.Fragment; n++ {
		part := v.parts.Part(n)
		switch {
		case part.Present:
			row(n.String(), part.Text)
		case n == url.Port && v.port != 0 && v.parts.Host.Present:
			row("port", fmt.Sprintf("%d, by default", v.port))
		}
	}
	if text := v.viewText(); text != "" {
		row("means", text)
	}
	if v.viewErr != nil {
		row("problem", reason(v.viewErr))
	}
	return nil
}

// mark writes an invalid text with a mark under the first invalid byte.
func (p *process) mark(err *url.SyntaxError) error {
	_, writeErr := fmt.Fprintf(p.out, "%s\n  offset %d, %s\n", err.Mark(), err.Offset, err.Rule)
	return writeErr
}
