package text

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestReadLine(t *testing.T) {
	long := strings.Repeat("a", 100)
	tests := []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"\n", []string{""}},
		{"\n\n", []string{"", ""}},
		{"a", []string{"a"}},
		{"a\n", []string{"a"}},
		{"a\r\n b \n\rc", []string{"a", " b ", "\rc"}},
		{"\r\na\r\r\nb\r", []string{"", "a\r", "b\r"}},
		{long[:15] + "\r\n" + long[:14] + "\r\n" + long + "\r\n", []string{long[:15], long[:14], long}},
		{"a\x00b\n\xff", []string{"a\x00b", "\xff"}},
		{long + "\n" + long, []string{long, long}},
		{long[:15] + "\n" + long[:16] + "\n" + long[:17] + "\n", []string{long[:15], long[:16], long[:17]}},
	}
	for _, test := range tests {
		in := bufio.NewReaderSize(strings.NewReader(test.in), 16)
		for i := 0; ; i++ {
			line, err := readLine(in)
			if errors.Is(err, io.EOF) && line == "" {
				if i != len(test.want) {
					t.Errorf("readLine, %q: %d lines, want %d", test.in, i, len(test.want))
				}
				break
			}
			if i >= len(test.want) || line != test.want[i] {
				t.Errorf("readLine, %q: line %d is %q, want %q", test.in, i, line, test.want)
				break
			}
		}
	}
}
