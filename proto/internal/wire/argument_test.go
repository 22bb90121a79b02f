package wire_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"locus/proto/internal/wire"
)

// req: 1738-6-2
func TestCheckArgument(t *testing.T) {
	// attack: A URL contains an encoded CR, LF or NUL, which would end a command of the protocol and begin another
	// | it is refused before a connection is made
	tests := []struct {
		arg, also string
		want      string // the error; "" for none
	}{
		{arg: ""},
		{arg: "a b"},
		{arg: "a\tb\v\f\x1b\x7f"},
		{arg: "\xff\xf4 caf\xe9"},       // bytes that are not UTF-8
		{arg: "a\u0085b\u2028c\u2029d"}, // line ends, but not for servers
		{arg: "%0D%0A"},                 // it is not decoded again
		{arg: "a\r", want: "name has CR at offset 1, which would end the command"},
		{arg: "\nDELE x", want: "name has LF at offset 0, which would end the command"},
		{arg: "ab\x00", want: "name has NUL at offset 2, which would end the command"},
		{arg: "a\r\n", want: "name has CR at offset 1, which would end the command"},
		{arg: "a\tb", also: "\t", want: "name has byte 0x09 at offset 1, which would end the command"},
		{arg: "a \xffb", also: " \xff", want: "name has byte 0x20 at offset 1, which would end the command"},
		{arg: "\u00ff", also: "\xff"}, // bytes, not characters
	}
	for _, test := range tests {
		got := ""
		if err := wire.CheckArgument("name", test.arg, test.also); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("CheckArgument(%q, %q) = %q, want %q", test.arg, test.also, got, test.want)
		}
	}
}

// In a message, CR and LF end a line, and NUL the text.
//
// req: 1738-6-2
func TestCheckText(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a\tb \xff", ""},
		{"a\r\nBcc: x", "subject has CR at offset 1, which would end the line"},
		{"\nBcc: x", "subject has LF at offset 0, which would end the line"},
		{"ab\x00", "subject has NUL at offset 2, which would end the text"},
	} {
		got := ""
		if err := wire.CheckText("subject", test.text); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("CheckText(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}

// An accepted argument fits one line. The error never shows the argument.
func FuzzCheckArgument(f *testing.F) {
	for _, seed := range []string{"", "a", "a\r\nb", "\x00", "%0A", "\u2028", "a\tb"} {
		f.Add(seed, "\t")
	}
	f.Fuzz(func(t *testing.T, arg, also string) {
		err := wire.CheckArgument("name", arg, also)
		if allowed := !strings.ContainsAny(arg, "\r\n\x00") && !shares(arg, also); allowed != (err == nil) {
			t.Fatalf("CheckArgument(%q, %q) = %v", arg, also, err)
		}
		if text := wire.CheckText("name", arg); (text == nil) != (wire.CheckArgument("name", arg, "") == nil) {
			t.Errorf("CheckText(%q) = %v", arg, text)
		}
		if err == nil {
			return
		}
		found, ok := errors.AsType[*wire.ArgumentError](err)
		if !ok || found.What != "name" || arg[found.Offset] != found.Byte || wire.CheckArgument("", arg[:found.Offset], also) != nil {
			t.Errorf("CheckArgument(%q, %q) = %#v, want the first byte that may not be", arg, also, err)
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

func ExampleCheckArgument() {
	fmt.Println(wire.CheckArgument("file name", "x\r\nDELE y", ""))
	// Output: file name has CR at offset 1, which would end the command
}
