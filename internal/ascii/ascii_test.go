package ascii

import (
	"fmt"
	"testing"
)

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "a": "a", "%41": "A", "%4a%4A": "JJ", "%": "%", "%4": "%4", "%%41": "%A", "%zz%20": "%zz ", "%fg": "%fg", "%FF": "\xff",
	} {
		if got := Unescape(in); got != want {
			t.Errorf("Unescape(%q) = %q, want %q", in, got, want)
		}
	}
}

// Every byte can be escaped and decoded again, and only hex digits count as hex digits.
func TestEveryByte(t *testing.T) {
	for c := range 256 {
		text := string(AppendEscape(nil, byte(c)))
		if want := fmt.Sprintf("%%%02X", c); text != want || !HasEscape(text, 0) || Escaped(text, 0) != byte(c) {
			t.Errorf("AppendEscape(%#x) = %q, want %q", c, text, want)
		}
		isHex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
		if IsHex(byte(c)) != isHex || HasEscape("%0"+string([]byte{byte(c)}), 0) != isHex || HasEscape("%"+string([]byte{byte(c)})+"0", 0) != isHex {
			t.Errorf("IsHex(%#x) = %v", c, !isHex)
		}
		if want := c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'; IsLetterOrDigit(byte(c)) != want {
			t.Errorf("IsLetterOrDigit(%#x) = %v", c, !want)
		}
	}
	for _, s := range []string{"", "%", "%0", "a00"} {
		if HasEscape(s, 0) {
			t.Errorf("HasEscape(%q, 0)", s)
		}
	}
}

func TestDots(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "a": 0, ".": 1, "..": 2, "...": 0, "....": 0, "%2e": 1, "%2E": 1, ".%2e": 2, "%2e.": 2, "%2E%2e": 2, "%2e%2e%2e": 0,
		".a": 0, "a.": 0, "%2": 0, "%2f": 0, "%2ea": 0, "%252e": 0, " .": 0, "..;": 0, "%": 0, ".%": 0,
	} {
		if got := Dots(s); got != want {
			t.Errorf("Dots(%q) = %d, want %d", s, got, want)
		}
	}
}
