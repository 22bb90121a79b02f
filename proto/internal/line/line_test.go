package line_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"locus/proto/internal/line"
)

// req: 1738-6-2
func TestCheck(t *testing.T) {
	tests := []struct {
		arg, also string
		want      string // of the error; "" for none
	}{
		{arg: ""},
		{arg: "a b"},
		{arg: "a\tb\v\f\x1b\x7f"},
		{arg: "\xff\xf4 caf\xe9"},       // octets that are no text
		{arg: "a\u0085b\u2028c\u2029d"}, // ends of lines, but to no server
		{arg: "%0D%0A"},                 // it is not decoded again
		{arg: "a\r", want: "name has CR at offset 1, which would end the command"},
		{arg: "\nDELE x", want: "name has LF at offset 0, which would end the command"},
		{arg: "ab\x00", want: "name has NUL at offset 2, which would end the command"},
		{arg: "a\r\n", want: "name has CR at offset 1, which would end the command"},
		{arg: "a\tb", also: "\t", want: "name has octet 0x09 at offset 1, which would end the command"},
		{arg: "a \xffb", also: " \xff", want: "name has octet 0x20 at offset 1, which would end the command"},
		{arg: "\u00ff", also: "\xff"}, // octets, not characters
	}
	for _, tt := range tests {
		got := ""
		if err := line.Check("name", tt.arg, tt.also); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("Check(%q, %q) = %q, want %q", tt.arg, tt.also, got, tt.want)
		}
	}
}

// In a message CR, LF and NUL would end something else.
//
// req: 1738-6-2
func TestCheckText(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"a\tb \xff", ""},
		{"a\r\nBcc: x", "subject has CR at offset 1, which would end the line"},
		{"\nBcc: x", "subject has LF at offset 0, which would end the line"},
		{"ab\x00", "subject has NUL at offset 2, which would end the text"},
	} {
		got := ""
		if err := line.CheckText("subject", tt.text); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("CheckText(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

// An argument is let through only if a line made of it is one line, and the
// error never shows it.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{"", "a", "a\r\nb", "\x00", "%0A", "\u2028", "a\tb"} {
		f.Add(seed, "\t")
	}
	f.Fuzz(func(t *testing.T, arg, also string) {
		err := line.Check("name", arg, also)
		if allowed := !strings.ContainsAny(arg, "\r\n\x00") && !shares(arg, also); allowed != (err == nil) {
			t.Fatalf("Check(%q, %q) = %v", arg, also, err)
		}
		if text := line.CheckText("name", arg); (text == nil) != (line.Check("name", arg, "") == nil) {
			t.Errorf("CheckText(%q) = %v", arg, text)
		}
		if err == nil {
			return
		}
		found, ok := errors.AsType[*line.Error](err)
		if !ok || found.What != "name" || arg[found.Offset] != found.Octet || line.Check("", arg[:found.Offset], also) != nil {
			t.Errorf("Check(%q, %q) = %#v, want the first octet that may not be", arg, also, err)
		}
	})
}

func shares(a, b string) bool {
	for i := range len(a) {
		if strings.IndexByte(b, a[i]) >= 0 {
			return true
		}
	}
	return false
}

func ExampleCheck() {
	fmt.Println(line.Check("file name", "x\r\nDELE y", ""))
	// Output: file name has CR at offset 1, which would end the command
}
