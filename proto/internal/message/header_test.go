package message

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"locus/access"
)

// A header ends after its empty line, or with the message. Its lines may have
// any length (RFC 5322 §2.1).
func TestReadHeader(t *testing.T) {
	const size = 16 // of the buffer
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, test := range []struct{ text, header, rest string }{
		{"A: b\n\nbody", "A: b\n\n", "body"},
		{"A: b\r\n\r\nbody", "A: b\r\n\r\n", "body"},
		{"A: b\n\r\nbody", "A: b\n\r\n", "body"},
		{"\nbody", "\n", "body"},
		{"\r\nbody", "\r\n", "body"},
		{"", "", ""},
		{"A: b", "A: b", ""},
		{"A: b\n", "A: b\n", ""},
		{"A: b\n \n\r \n\nbody", "A: b\n \n\r \n\n", "body"},
		{"A: b\n\r\r\n\nbody", "A: b\n\r\r\n\n", "body"},
		{"A: b\nx\n\nbody", "A: b\nx\n\n", "body"},
		{x(size) + "\nA: b\n\nbody", x(size) + "\nA: b\n\n", "body"}, // the end of a long line is not an empty line
		{x(size) + "\r\nA: b\n\nbody", x(size) + "\r\nA: b\n\n", "body"},
		{x(5*size) + "\nA: b\n\nbody", x(5*size) + "\nA: b\n\n", "body"},
		{x(size-1) + "\n\nbody", x(size-1) + "\n\n", "body"},
		{x(size+1) + "\n\nbody", x(size+1) + "\n\n", "body"},
		{x(size) + "\n\nbody", x(size) + "\n\n", "body"},
	} {
		r := bufio.NewReaderSize(strings.NewReader(test.text), size)
		got, err := ReadHeader(r, []byte("K: v\n"))
		rest, _ := io.ReadAll(r)
		if string(got) != "K: v\n"+test.header || string(rest) != test.rest || err != nil {
			t.Errorf("the header of %q is %q, %v, and the rest %q; want %q, %q", test.text, got, err, rest, test.header, test.rest)
		}
	}
	for _, test := range []struct {
		length int
		ok     bool
	}{{maxHeader, true}, {maxHeader + 1, false}} {
		text := "X: " + x(test.length-5) + "\n\nbody"
		if got, err := ReadHeader(bufio.NewReader(strings.NewReader(text)), nil); (err == nil) != test.ok || test.ok && len(got) != test.length || !test.ok && !errors.Is(err, access.ErrTooLong) {
			t.Errorf("a header of %d bytes has %d, %v", test.length, len(got), err)
		}
	}
	broken := errors.New("broken")
	for _, text := range []string{"", "A: b", "A: b\n"} {
		if got, err := ReadHeader(bufio.NewReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))), nil); got != nil || !errors.Is(err, broken) {
			t.Errorf("a header that breaks off after %q is %q, %v, want %v", text, got, err, broken)
		}
	}
}

func TestIsEmptyLine(t *testing.T) {
	for _, line := range []string{"\n", "\r\n"} {
		if !IsEmptyLine([]byte(line)) {
			t.Errorf("%q is not an empty line", line)
		}
	}
	for _, line := range []string{"", "\r", "x", " \n", "x\n", "\r\r", "\rx", "\n\n", "xx", "\r\n\n", "\r\r\n"} {
		if IsEmptyLine([]byte(line)) {
			t.Errorf("%q is an empty line", line)
		}
	}
}

// Fields include their continuation lines. Names match in any case.
func TestHeaderFields(t *testing.T) {
	h := Header("X-First: 1\r\nSubject : a\r\n b\n\tc \nsubject\n no field\nSUBJECT:\nSubject: second\n: nameless\nLast:x:y\n\nSubject: body\n")
	var got []string
	for f := range h.Fields() {
		got = append(got, string(f))
	}
	want := []string{"X-First: 1\r\n", "Subject : a\r\n b\n\tc \n", "subject\n no field\n", "SUBJECT:\n", "Subject: second\n", ": nameless\n", "Last:x:y\n"}
	if !slices.Equal(got, want) {
		t.Errorf("fields are %q, want %q", got, want)
	}
	for name, want := range map[string][]string{
		"subject": {"a b\tc", "", "second"}, "Last": {"x:y"}, "x-first": {"1"}, "": {"nameless"}, "X": nil, "no field": nil,
	} {
		if got := h.All(name); !slices.Equal(got, want) {
			t.Errorf("All(%q) = %q, want %q", name, got, want)
		}
		first := ""
		if len(want) > 0 {
			first = want[0]
		}
		if got := h.Get(name); got != first {
			t.Errorf("Get(%q) = %q, want %q", name, got, first)
		}
	}
	for _, test := range []struct{ header, want string }{
		{"A: b", "b"}, {"A:b\n c", "b c"}, {"A:\n\tb\r\n", "b"}, {"A:b\n", "b"}, {"\r\nA: b\n", ""}, {"\nA: b\n", ""}, {"", ""}, {"\rA: b\n", ""}, {"A", ""},
	} {
		if got := Header(test.header).Get("a"); got != test.want {
			t.Errorf("Get of %q = %q, want %q", test.header, got, test.want)
		}
	}
	for range h.Fields() { // a caller may stop early
		break
	}
}

func TestBareID(t *testing.T) {
	for _, test := range []struct{ value, want string }{
		{"<a@b>", "a@b"},
		{"a@b", "a@b"},
		{" <a@b> ", "a@b"},
		{"(x) <a@b> (y)", "a@b"},
		{"<a@b> <c@d>", "a@b"},
		{"<a @\tb>", "a@b"},
		{"<a@b", "a@b"},
		{"a@b>", "a@b>"},
		{"<>", ""},
		{"", ""},
		{">a<b", "b"},
		{"<<a>>", "<a"},
	} {
		if got := BareID(test.value); got != test.want {
			t.Errorf("BareID(%q) = %q, want %q", test.value, got, test.want)
		}
	}
}
