package command

import (
	"bufio"
	"bytes"
	"errors"
	"math"

	"locus/access"
	"locus/cmd/locus/internal/flags"
)

// EachText calls do for each argument or, without arguments, for each line of stdin without its
// end. It stops at the first error and returns it. It flushes stdout before it waits for input,
// because a program at the other end of two pipes may wait for the answer.
func (e *Env) EachText(args []string, do func(string) error) error {
	if len(args) == 0 {
		return e.eachLine(do)
	}
	for _, arg := range args {
		if err := do(arg); err != nil {
			return err
		}
	}
	return nil
}

// ConvertEach calls convert for each argument or, without arguments, for each line of stdin, and
// writes each result as a line. It reports an error of convert and continues, and returns
// ErrReported at the end. A UsageError, and an error of stdin or stdout, ends it at once.
func (e *Env) ConvertEach(args []string, convert func(string) (string, error)) error {
	failed := false
	err := e.EachText(args, func(text string) error {
		result, err := convert(text)
		if err == nil {
			return e.Line(result)
		}
		if flags.IsMisuse(err) {
			return err
		}
		e.Report(err)
		failed = true
		return nil
	})
	if err == nil && failed {
		return ErrReported
	}
	return err
}

// eachLine calls do for each line of stdin, without its end. It stops at the first error and
// returns it. It flushes stdout before it waits for a line.
func (e *Env) eachLine(do func(string) error) error {
	in := bufio.NewReaderSize(e.Stdin, 1<<16)
	for {
		if in.Buffered() == 0 {
			if err := e.Out.Flush(); err != nil {
				return err
			}
		}
		line, err := readLine(in)
		switch {
		case access.IsEnd(err) && line == "":
			return nil
		case err != nil && !access.IsEnd(err):
			return err
		}
		if err := do(line); err != nil {
			return err
		}
	}
}

// readLine reads a line and removes only the LF or CR LF at its end. At the end of the input it
// returns io.EOF, together with the last line if that line does not end in LF. It cuts a line one
// byte after the length of the longest URL, because that is enough for an error.
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

// withoutEnd returns line, which ends in LF or CR LF, without this end.
func withoutEnd(line []byte) []byte {
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r"))
}
