package wire_test

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"locus/access"
	"locus/proto/internal/wire"
)

func TestReadLine(t *testing.T) {
	for _, test := range []struct {
		in   string
		want string
		err  error
	}{
		{in: "a\r\nb", want: "a"},
		{in: "a\nb", want: "a"},
		{in: "\n"},
		{in: "a\r\r\n", want: "a\r"},
		{in: strings.Repeat("x", 15) + "\n", want: strings.Repeat("x", 15)},
		{in: "", err: io.EOF},
		{in: "a", want: "a", err: io.ErrUnexpectedEOF},
		{in: strings.Repeat("x", 16) + "\n", err: access.ErrTooLong},
		{in: strings.Repeat("x", 1<<20), err: access.ErrTooLong},
	} {
		got, err := wire.ReadLine(bufio.NewReaderSize(strings.NewReader(test.in), 16))
		if string(got) != test.want || !errors.Is(err, test.err) {
			t.Errorf("ReadLine(%.20q) = %q, %v, want %q, %v", test.in, got, err, test.want, test.err)
		}
	}
}
