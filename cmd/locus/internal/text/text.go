// Package text has the verbs resolve, relative, normalize and equal, and what other verbs
// share that treat URLs as text: by which standard they read, and where input comes from.
package text

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"math"

	"locus/cmd/locus/internal/cli"
	"locus/scheme"
	"locus/url"
	"locus/url/iri"
	"locus/url/whatwg"
)

// All returns the values of --as.
func All() []string { return []string{"rfc3986", "rfc1738", "rfc1630", "whatwg"} }

func standards() map[string]url.Standard {
	return map[string]url.Standard{
		"rfc3986": url.RFC3986, "rfc1738": url.RFC1738, "rfc1630": url.RFC1630, "whatwg": whatwg.Standard,
	}
}

// By is how a verb reads URLs.
type By struct {
	As    string `flag:"as"`
	Guess bool   `flag:"guess"`
}

// Name returns the value of --as, or the default.
func (b By) Name() string { return cmp.Or(b.As, "rfc3986") }

// Standard returns the standard to read by.
func (b By) Standard() url.Standard { return standards()[b.Name()] }

// Read reads a URL. By an RFC, it must also be one of its scheme. An error says how to
// write the URL.
func (b By) Read(text string) (url.URL, error) {
	text, err := b.Text(text)
	if err != nil {
		return url.URL{}, err
	}
	u, err := scheme.Read(b.Standard(), text)
	if err != nil {
		return u, cli.Explain(Syntax(err, text))
	}
	return u, nil
}

// Text returns the text of a URL to read: with --guess, that of the URL that somebody
// means who types text.
func (b By) Text(text string) (string, error) {
	if !b.Guess {
		return text, nil
	}
	u, err := iri.ParseTyped(scheme.Unprefix(text))
	if err != nil {
		return text, cli.Explain(err)
	}
	return u.String(), nil
}

// Lines calls do for each argument or, if there are none, for each line of stdin. It
// ends at the first error.
func Lines(e *cli.Env, args []string, do func(string) error) error {
	if len(args) == 0 {
		return eachLine(e, do)
	}
	for _, arg := range args {
		if err := do(arg); err != nil {
			return err
		}
	}
	return nil
}

// Each writes what do returns for each argument or, if there are none, for each line of
// stdin: a line each. It reports errors and continues, unless the command was misused.
func Each(e *cli.Env, args []string, do func(string) (string, error)) error {
	failed := false
	err := Lines(e, args, func(text string) error {
		result, err := do(text)
		if err == nil {
			return e.Line(result)
		}
		if cli.IsMisuse(err) {
			return err
		}
		e.Report(err)
		failed = true
		return nil
	})
	if err == nil && failed {
		return cli.ErrReported
	}
	return err
}

// Syntax converts an error of the URL Standard to the error type of the other standards.
// It returns other errors unchanged.
func Syntax(err error, text string) error {
	if e, ok := errors.AsType[*whatwg.Error](err); ok {
		return e.Syntax(text)
	}
	return err
}

// eachLine calls do for each line of stdin. It flushes stdout before it waits for input.
func eachLine(e *cli.Env, do func(string) error) error {
	in := bufio.NewReaderSize(e.Stdin, 1<<16)
	for {
		if in.Buffered() == 0 {
			if err := e.Out.Flush(); err != nil {
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

// readLine reads a line and removes its LF or CR LF, and nothing else. For the last line it
// returns io.EOF, with the line if there is one. It cuts a very long line one byte after
// the length of the longest URL.
func readLine(in *bufio.Reader) (string, error) {
	const most int64 = math.MaxInt32 + 1 // int64, since int has 32 bits on some machines
	part, err := in.ReadSlice('\n')
	if err == nil {
		return string(withoutEnd(part)), nil
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
		line = withoutEnd(line)
	}
	return string(line), err
}

// withoutEnd returns a line without the LF or CR LF at its end.
func withoutEnd(line []byte) []byte {
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r"))
}
