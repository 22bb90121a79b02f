package nntp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// blocks are data blocks as sent, and their text.
var blocks = []struct {
	in, want string
	err      error
}{
	{".\r\n", "", nil},
	{"a\r\n.\r\n", "a\r\n", nil},
	{"a\r\n..\r\n...\r\n..b\r\n.\r\n", "a\r\n.\r\n..\r\n.b\r\n", nil},
	{"\r\n\r\n.\r\n", "\r\n\r\n", nil},
	{"a\r\n.\r\nrest", "a\r\n", nil},
	{".a\r\n.\r\n", "a\r\n", nil},
	{"a\n.\n.b\r\n.\r\n", "a\n.\n.b\r\n", nil},                                                // a lone LF does not end a line
	{"a\r.\r\n.\r\n", "a\r.\r\n", nil},                                                        // nor does a lone CR
	{"a\r\r\n.\r\n", "a\r\r\n", nil},                                                          //
	{"..\n.\r\n.\r\n", ".\n.\r\n", nil},                                                       //
	{strings.Repeat("x", 20_000) + "\r\n.\r\n", strings.Repeat("x", 20_000) + "\r\n", nil},    // longer than the buffer
	{strings.Repeat("x", 15) + "\r\n.\r\n", strings.Repeat("x", 15) + "\r\n", nil},            // CR and LF in two parts
	{strings.Repeat("x", 31) + "\r\n..\r\n.\r\n", strings.Repeat("x", 31) + "\r\n.\r\n", nil}, //
	{"", "", io.ErrUnexpectedEOF},
	{"a\r\n", "a\r\n", io.ErrUnexpectedEOF},
	{"a\r\n.", "a\r\n", io.ErrUnexpectedEOF},
	{"a\r\n.\n", "a\r\n\n", io.ErrUnexpectedEOF},
	{"a\r\n.\r", "a\r\n\r", io.ErrUnexpectedEOF},
	{"a", "a", io.ErrUnexpectedEOF},
}

func TestDots(t *testing.T) {
	for _, test := range blocks {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "halves": iotest.HalfReader,
		} {
			d := &dotReader{r: bufio.NewReaderSize(wrap(strings.NewReader(test.in)), 16)}
			got, err := io.ReadAll(d)
			if string(got) != test.want || !errors.Is(err, test.err) {
				t.Errorf("%s: reading %.60q = %.60q, %v, want %.60q, %v", name, test.in, got, err, test.want, test.err)
			}
			if n, err := d.Read(make([]byte, 1)); n != 0 || err == nil {
				t.Errorf("%s: past the end of %.60q Read = %d, %v", name, test.in, n, err)
			}
		}
	}
}

// Read returns bytes that have arrived before it waits for more.
func TestDotsDoNotWait(t *testing.T) {
	r, w := io.Pipe()
	go w.Write([]byte("first\r\nsecond\r\nhalf"))
	d := &dotReader{r: bufio.NewReader(r)}
	got := make([]byte, 100)
	if n, err := d.Read(got); string(got[:n]) != "first\r\nsecond\r\n" || err != nil {
		t.Errorf("Read = %q, %v, want the two lines that have come", got[:n], err)
	}
}

// Bytes that do not fit into a small Read are returned by the next Read.
func TestDotsLeaveTheRest(t *testing.T) {
	in := bufio.NewReader(strings.NewReader("a\r\n.\r\n205 bye\r\n"))
	if _, err := io.Copy(io.Discard, &dotReader{r: in}); err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(in); string(rest) != "205 bye\r\n" {
		t.Errorf("after the block there is %q, want the next reply", rest)
	}
}

// A dotReader reads the text that a dotWriter has written, with lines that end in CR LF.
func FuzzStuffer(f *testing.F) {
	for _, test := range blocks {
		f.Add(test.want)
	}
	f.Add(".\n..\n.a")
	f.Fuzz(func(t *testing.T, text string) {
		var b bytes.Buffer
		s := &dotWriter{w: bufio.NewWriter(&b)}
		_, err := s.Write([]byte(text))
		if err == nil {
			err = s.close()
		}
		want := strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
		if fits := !strings.ContainsAny(strings.ReplaceAll(text, "\r\n", ""), "\r\x00"); fits != (err == nil) {
			t.Fatalf("writing %q = %v, want an error: %v", text, err, !fits)
		}
		if err != nil {
			return
		}
		if want != "" && !strings.HasSuffix(want, "\n") {
			want += "\r\n"
		}
		got, err := io.ReadAll(&dotReader{r: bufio.NewReader(&b)})
		if err != nil || string(got) != want {
			t.Errorf("%q comes back as %q, %v, want %q", text, got, err, want)
		}
	})
}

// For any input a dotReader ends, and returns no more than its input.
func FuzzDots(f *testing.F) {
	for _, test := range blocks {
		f.Add(test.in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := io.ReadAll(&dotReader{r: bufio.NewReaderSize(strings.NewReader(in), 16)})
		if len(got) > len(in) {
			t.Errorf("%q is read as %q", in, got)
		}
		ends := strings.HasPrefix(in, ".\r\n") || strings.Contains(in, "\r\n.\r\n")
		if ends != (err == nil) {
			t.Errorf("reading %q = %v, want an end: %v", in, err, ends)
		}
	})
}
