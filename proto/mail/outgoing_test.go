package mail

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

var errFull = errors.New("full")

// A limitedBuffer accepts a number of bytes.
type limitedBuffer struct {
	bytes.Buffer
	left int
}

func (b *limitedBuffer) WriteByte(c byte) error {
	if b.left == 0 {
		return errFull
	}
	b.left--
	return b.Buffer.WriteByte(c)
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	for i, c := range p {
		if err := b.WriteByte(c); err != nil {
			return i, err
		}
	}
	return len(p), nil
}

// Every line ends in CR LF, whatever ended it, and however the input is split.
func TestCRLF(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"a", "a\r\n"},
		{"a\n", "a\r\n"},
		{"a\r", "a\r\n"},
		{"a\r\n", "a\r\n"},
		{"\n", "\r\n"},
		{"\r", "\r\n"},
		{"\r\n", "\r\n"},
		{"\n\r", "\r\n\r\n"},
		{"\r\r\n", "\r\n\r\n"},
		{"\r\n\n", "\r\n\r\n"},
		{"\r\n\r\n", "\r\n\r\n"},
		{"a\rb\nc\r\nd", "a\r\nb\r\nc\r\nd\r\n"},
		{"\x00\x85\x0b", "\x00\x85\x0b\r\n"},
	} {
		for size := 1; size <= max(1, len(test.text)); size++ {
			b := &limitedBuffer{left: -1}
			c := &crlfWriter{w: b}
			for rest := test.text; rest != ""; rest = rest[min(size, len(rest)):] {
				if n, err := c.Write([]byte(rest[:min(size, len(rest))])); n != min(size, len(rest)) || err != nil {
					t.Errorf("Write of %q in pieces of %d = %d, %v", test.text, size, n, err)
				}
			}
			if err := c.Close(); err != nil || b.String() != test.want {
				t.Errorf("%q in pieces of %d is %q, %v, want %q", test.text, size, b.String(), err, test.want)
			}
		}
	}
	for left, written := range []int{0, 1, 1, 2, 3, 3} {
		b := &limitedBuffer{left: left}
		c := &crlfWriter{w: b}
		n, err := c.Write([]byte("a\nb"))
		if err == nil && n == 3 {
			err = c.Close()
		}
		if want := "a\r\nb\r\n"[:left]; !errors.Is(err, errFull) || b.String() != want || n != written {
			t.Errorf("with room for %d bytes: wrote %q, %d, %v", left, b.String(), n, err)
		}
	}
}

// A dot at the start of a line is doubled (RFC 5321 §4.5.2).
func TestDotted(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{".", ".."},
		{"..\r\n.", "...\r\n.."},
		{"a.\r\n.\r\n\r\n.b.c\r\n", "a.\r\n..\r\n\r\n..b.c\r\n"},
		{"\r.\r\n", "\r.\r\n"}, // a lone CR ends no line
	} {
		b := &limitedBuffer{left: -1}
		d := &dotWriter{w: b}
		for _, c := range []byte(test.text) {
			if err := d.WriteByte(c); err != nil {
				t.Errorf("%q: %v", test.text, err)
			}
		}
		if b.String() != test.want {
			t.Errorf("%q is dotted %q, want %q", test.text, b.String(), test.want)
		}
	}
	for left := range 2 {
		if err := (&dotWriter{w: &limitedBuffer{left: left}}).WriteByte('.'); !errors.Is(err, errFull) {
			t.Errorf("with room for %d bytes: %v, want %v", left, err, errFull)
		}
	}
}

// A message is cut before the first byte that the server does not accept.
func TestPermitted(t *testing.T) {
	for _, test := range []struct {
		text  string
		ascii bool
		left  int64
		want  string
		err   error
	}{
		{"a\x7f", true, -1, "a\x7f", nil},
		{"a\x80b", true, -1, "a", errEightBit},
		{"a\xff", true, -1, "a", errEightBit},
		{"a\x80\xff", false, -1, "a\x80\xff", nil},
		{"abc", false, 3, "abc", nil},
		{"abcd", false, 3, "abc", errTooLarge},
		{"a", false, 0, "", errTooLarge},
		{"ab\x80", true, 2, "ab", errEightBit},
	} {
		b := &limitedBuffer{left: -1}
		p := &limitWriter{w: b, asciiOnly: test.ascii, remaining: test.left}
		var err error
		for _, c := range []byte(test.text) {
			if err = p.WriteByte(c); err != nil {
				break
			}
		}
		if b.String() != test.want || p.written != int64(len(test.want)) || !errors.Is(err, test.err) || err != nil && test.err == nil {
			t.Errorf("of %q %q is permitted, %d, %v, want %q, %v", test.text, b.String(), p.written, err, test.want, test.err)
		}
	}
}

// A fold in a quoted string means a space (RFC 822 §3.3), whatever starts the
// next line.
func TestFoldedAddress(t *testing.T) {
	for _, fold := range []string{"\r\n ", "\r\n\t", "\n\t", "\t"} {
		m, err := ReadOutgoing(strings.NewReader("From: a@b\r\nTo: \"c"+fold+"d\"@e\r\n\r\n"), "", time.Now(), "h")
		if err != nil || !slices.Equal(m.To, []string{"c d@e"}) {
			t.Errorf("fold %q: recipients %+v, %v, want \"c d@e\"", fold, m, err)
		}
	}
}

// Messages are sent with exactly these bytes.
func TestOutgoingWhole(t *testing.T) {
	date := time.Date(1994, 12, 20, 9, 30, 15, 0, time.UTC)
	const has = "Date: x\r\nMessage-ID: <i@j>\r\n"
	for _, test := range []struct{ text, sender, want string }{
		{has + "From: a@b\nTo: c@d\n\nx", "", has + "From: a@b\r\nTo: c@d\r\n\r\nx\r\n"},
		{has + "From: a@b\nTo: c@d\n", "", has + "From: a@b\r\nTo: c@d\r\n\r\n"},
		{has + "From: a@b\nTo: c@d", "", has + "From: a@b\r\nTo: c@d\r\n\r\n"},
		{has + "From: a@b\nTo: c@d\r", "", ""}, // CR in the header
		{has + "From: a@b\nTo: c@d\nBcc: e@f", "", has + "From: a@b\r\nTo: c@d\r\n\r\n"},
		{has + "From: a@b\nBCC\t: c@d,\n e@f\nresent-bcc:\n g@h\nX-Bcc: i\n\nBcc: x\r", "", has + "From: a@b\r\nX-Bcc: i\r\n\r\nBcc: x\r\n"},
		{"Message-id: <i@j>\nBcc: c@d\n\nx", "a@b", "Date: Tue, 20 Dec 1994 09:30:15 +0000\r\nMessage-id: <i@j>\r\n\r\nx\r\n"},
	} {
		m, err := ReadOutgoing(strings.NewReader(test.text), test.sender, date, "h")
		if (err == nil) != (test.want != "") {
			t.Errorf("ReadOutgoing(%q) = %v", test.text, err)
		}
		if err != nil {
			continue
		}
		var b bytes.Buffer
		if n, err := m.WriteTo(&b); b.String() != test.want || n != int64(b.Len()) || err != nil {
			t.Errorf("%q is sent as %q, %d, %v, want %q", test.text, b.String(), n, err, test.want)
		}
	}
	m, err := ReadOutgoing(strings.NewReader("Bcc: c@d\n\nx"), "a@b", date, "h")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	_, err = m.WriteTo(&b)
	if head, body, ok := strings.Cut(b.String(), "\r\n\r\n"); err != nil || !ok || body != "x\r\n" || strings.Count(head, "\r\n") != 1 || !strings.HasSuffix(head, "@h>\r\nDate: Tue, 20 Dec 1994 09:30:15 +0000") {
		t.Errorf("a message of Bcc alone is sent as %q, %v", b.String(), err)
	}
}

// Errors of reading and writing are returned.
func TestOutgoingBroken(t *testing.T) {
	const text = "From: a@b\nTo: c@d\nDate: x\nMessage-ID: <i@j>\n\nx"
	long := text + strings.Repeat("x", 3*bufferSize)
	for _, test := range []struct {
		text string
		left int
	}{{text, 0}, {text, 20}, {long, 0}, {long, bufferSize}, {long, len(long) + 5}} {
		m, err := ReadOutgoing(strings.NewReader(test.text), "", time.Time{}, "h")
		if err != nil {
			t.Fatalf("left %d: %v", test.left, err)
		}
		if _, err := m.WriteTo(struct{ io.Writer }{&limitedBuffer{left: test.left}}); !errors.Is(err, errFull) {
			t.Errorf("%d bytes with room for %d: %v, want %v", len(test.text), test.left, err, errFull)
		}
	}
	for _, name := range []string{"From", "Sender", "To", "Cc", "Bcc"} {
		for _, value := range []string{strings.Repeat("x", maxAddress) + "@y", "x", "<", "a@b c@d", "a@b;"} {
			_, err := ReadOutgoing(strings.NewReader(fmt.Sprintf("From: a@b\nTo: c@d\n%s: %s\n\n", name, value)), "", time.Time{}, "h")
			if !errors.Is(err, errAddress) {
				t.Errorf("%s: %.60q: %v, want %v", name, value, err, errAddress)
			}
		}
	}
	_, err := ReadOutgoing(strings.NewReader("From: a@b\nTo: c@d, "+strings.Repeat("x", maxAddress-2)+"@y\n\n"), "", time.Time{}, "h")
	if err != nil {
		t.Errorf("an address of %d bytes: %v", maxAddress, err)
	}
}
