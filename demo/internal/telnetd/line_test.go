package telnetd

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// What a client sends is read as these keys, and answered with this.
func TestLine(t *testing.T) {
	const naws = "\xff\xfa\x1f"
	for _, tt := range []struct {
		sent          string
		keys          []int
		answer        string
		columns, rows int
		err           error
	}{
		{sent: "a\xc3", keys: []int{'a', 0xC3}, err: io.EOF},
		{sent: "\r\n\r\x00\r\r\n\n", keys: []int{enter, enter, enter, enter, enter}, err: io.EOF},
		{sent: "\r\xff\xf1\nx", keys: []int{enter, enter, 'x'}, err: io.EOF},
		{sent: "\x1b[A\x1bOB\x1b[C\x1bx", keys: []int{up, down, 'C', 'x'}, err: io.EOF},
		{sent: "\x1b", err: io.EOF},
		{sent: "\x1b[", err: io.EOF},
		{sent: "\xff\xff\xff\xf9\xff\xf0x", keys: []int{iac, 'x'}, err: io.EOF},
		{sent: "\xff\xfd\x18\xff\xfb\x18\xff\xfb\x20\xff\xfc\x20\xff\xfe\x21", answer: "\xff\xfc\x18\xff\xfe\x20", err: io.EOF},
		{sent: naws + "\x00\x64\x00\x1e\xff\xf0", keys: []int{resized}, columns: 100, rows: 30, err: io.EOF},
		{sent: naws + "\x00\xff\xff\x00\x1e\xff\xf0", keys: []int{resized}, columns: 255, rows: 30, err: io.EOF},
		{sent: naws + "\x00\x03\x03\xe9\xff\xf0", keys: []int{resized}, columns: 80, rows: 24, err: io.EOF},
		{sent: naws + "\x00\x64\x00\xff\xf0" + "x", keys: []int{'x'}, err: io.EOF},
		{sent: "\xff\xfa\x18\x00\x64\x00\x1e\xff\xf0x", keys: []int{'x'}, err: io.EOF},
		{sent: naws + strings.Repeat("x", 100), err: errTooMuch},
		{sent: naws + "\x00\xff", err: io.EOF},
		{sent: "\xff", err: io.EOF},
		{sent: "\xff\xfd", err: io.EOF},
	} {
		var answer strings.Builder
		l := &line{in: bufio.NewReader(strings.NewReader(tt.sent)), w: &answer, columns: 80, rows: 24}
		var keys []int
		var err error
		for err == nil {
			var key int
			if key, err = l.key(); err == nil {
				keys = append(keys, key)
			}
		}
		if !slices.Equal(keys, tt.keys) || !errors.Is(err, tt.err) || answer.String() != tt.answer {
			t.Errorf("%q is read as %v, %v and answered %q, want %v, %v and %q", tt.sent, keys, err, answer.String(), tt.keys, tt.err, tt.answer)
		}
		if tt.columns > 0 && (l.columns != tt.columns || l.rows != tt.rows) {
			t.Errorf("%q makes the screen %d by %d, want %d by %d", tt.sent, l.columns, l.rows, tt.columns, tt.rows)
		}
	}
}
