package ftp

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// A CR and its LF may come in different reads. A CR that ends no line stays.
func TestLFReader(t *testing.T) {
	for _, test := range []struct{ wire, want string }{
		{"one\r\ntwo\r\n", "one\ntwo\n"},
		{"one\ntwo", "one\ntwo"},
		{"a\rb\r", "a\rb\r"},
		{"a\r\r\n\r\n", "a\r\n\n"},
		{"", ""},
	} {
		for _, reader := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.DataErrReader, iotest.HalfReader} {
			l := &lfReader{bufio.NewReaderSize(reader(strings.NewReader(test.wire)), 16)}
			got, err := io.ReadAll(iotest.OneByteReader(l))
			if err != nil || string(got) != test.want {
				t.Errorf("the text of %q = %q, %v, want %q", test.wire, got, err, test.want)
			}
		}
	}
}
