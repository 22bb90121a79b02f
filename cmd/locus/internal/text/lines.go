package text

import (
	"bufio"
	"errors"
	"io"
	"math"

	"locus/cmd/locus/internal/cli"
)

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
