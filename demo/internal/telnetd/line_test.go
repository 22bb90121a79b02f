package telnetd

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"locus/access"
)

// A line decodes the bytes of a client to these keys, and replies with these bytes.
func TestLine(t *testing.T) {
	const asks, naws = "\xff\xfb\x01\xff\xfb\x03\xff\xfd\x1f", "\xff\xfb\x1f\xff\xfa\x1f"
	for _, test := range []struct {
		sent          string
		keys          []int
		answer        string
		columns, rows int
		err           error
	}{
		{sent: "a\xc3", keys: []int{'a', 0xC3}, err: io.EOF},
		{sent: "\r\n\r\x00\r\r\n\n", keys: []int{enter, enter, enter, enter, enter}, err: io.EOF},
		{sent: "\r\xff\xf1\nx", keys: []int{enter, 'x'}, err: io.EOF},
		{sent: "\x1b[A\x1bOB\x1b[C\x1bx", keys: []int{up, down, 'C', 'x'}, err: io.EOF},
		{sent: "\x1b", err: io.EOF},
		{sent: "\x1b[", err: io.EOF},
		{sent: "\xff\xff\xff\xf9\xff\xf0x", keys: []int{255, 'x'}, err: io.EOF},
		{sent: "\xff\xfd\x18\xff\xfb\x18\xff\xfb\x20\xff\xfc\x20\xff\xfe\x21", answer: "\xff\xfc\x18\xff\xfe\x18\xff\xfe\x20", err: io.EOF},
		{sent: naws + "\x00\x64\x00\x1e\xff\xf0", keys: []int{resized}, columns: 100, rows: 30, err: io.EOF},
		{sent: naws + "\x00\xff\xff\x00\x1e\xff\xf0", keys: []int{resized}, columns: 255, rows: 30, err: io.EOF},
		{sent: naws + "\x00\x03\x03\xe9\xff\xf0", keys: []int{resized}, columns: 80, rows: 24, err: io.EOF},
		{sent: naws + "\x00\x64\x00\xff\xf0" + "x", keys: []int{'x'}, err: io.EOF},
		{sent: "\xff\xfa\x1f\x00\x64\x00\x1e\xff\xf0x", keys: []int{'x'}, columns: 80, rows: 24, err: io.EOF}, // ignored without a WILL
		{sent: "\xff\xfa\x18\x00\x64\x00\x1e\xff\xf0x", keys: []int{'x'}, err: io.EOF},
		{sent: naws + strings.Repeat("x", 5000), err: access.ErrTooLong},
		{sent: naws + "\x00\xff", err: io.ErrUnexpectedEOF},
		{sent: "\xff", err: io.ErrUnexpectedEOF},
		{sent: "\xff\xfd", err: io.ErrUnexpectedEOF},
	} {
		var answer strings.Builder
		l := newLine()
		l.startTelnet(struct {
			io.Reader
			io.Writer
		}{strings.NewReader(test.sent), &answer})
		var keys []int
		var err error
		for err == nil {
			var key int
			if key, err = l.key(); err == nil {
				keys = append(keys, key)
			}
		}
		if !slices.Equal(keys, test.keys) || !errors.Is(err, test.err) {
			t.Errorf("%q is read as %v, %v, want %v, %v", test.sent, keys, err, test.keys, test.err)
		}
		if errors.Is(err, io.EOF) && answer.String() != asks+test.answer { // because otherwise the reply may still be on its way
			t.Errorf("%q is answered %q, want %q", test.sent, answer.String(), asks+test.answer)
		}
		if test.columns > 0 && (l.columns != test.columns || l.rows != test.rows) {
			t.Errorf("%q makes the screen %d by %d, want %d by %d", test.sent, l.columns, l.rows, test.columns, test.rows)
		}
	}
}
