package command

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"locus/cmd/locus/internal/flags"
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

// ConvertEach writes the result of convert for each argument or, without arguments, for each line
// of stdin. It reports an error and continues, unless the error is a misuse.
func TestConvertEach(t *testing.T) {
	convert := func(text string) (string, error) {
		switch text {
		case "bad":
			return "", errors.New("it is bad")
		case "misused":
			return "", flags.Misuse("do not")
		}
		return "<" + text + ">", nil
	}
	for _, test := range []struct {
		args    []string
		stdin   string
		want    string // on both streams
		err     error
		misused bool
	}{
		{args: []string{"a", "b"}, stdin: "c", want: "<a>\n<b>\n"},
		{stdin: "a\r\n\nb", want: "<a>\n<>\n<b>\n"},
		{args: []string{"a", "bad", "b"}, want: "<a>\nlocus: it is bad\n<b>\n", err: ErrReported},
		{args: []string{"a", "misused", "b"}, want: "<a>\n", misused: true},
	} {
		e, written := newEnvHere(t)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		_, _ = w.WriteString(test.stdin)
		w.Close()
		e.Stdin = r
		err = e.ConvertEach(test.args, convert)
		e.Out.Flush()
		if !errors.Is(err, test.err) && !test.misused || flags.IsMisuse(err) != test.misused || written() != test.want {
			t.Errorf("ConvertEach(%q), stdin %q = %v, %q, want %v, %q", test.args, test.stdin, err, written(), test.err, test.want)
		}
	}
}
