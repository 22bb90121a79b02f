package console

import (
	"strings"
	"testing"
)

// A filter drops sequences with which a server could write the clipboard, print, or make the
// terminal answer. It passes sequences that move the cursor and colour text.
func TestFilter(t *testing.T) {
	// attack: A telnet or rlogin session sends OSC 52 (clipboard), CSI 5 i (print), DCS or ENQ to the user's
	// terminal | the sequence is dropped, because it writes the clipboard, prints, or makes the terminal type an
	// answer
	for _, test := range []struct{ name, text, want string }{
		{"text", "héllo 漢字\r\n\ttab\a\b", "héllo 漢字\r\n\ttab\a\b"},
		{"colours and places", "\x1b[1;31mred\x1b[0m\x1b[2J\x1b[10;5H\x1b[?25l\x1b[?1049h\x1b[38;2;1;2;3m\x1b[>4;1m", "\x1b[1;31mred\x1b[0m\x1b[2J\x1b[10;5H\x1b[?25l\x1b[?1049h\x1b[38;2;1;2;3m\x1b[>4;1m"},
		{"character sets", "\x1b(B\x1b)0\x1b7\x1b8\x1b=\x1bM\x1bc", "\x1b(B\x1b)0\x1b7\x1b8\x1b=\x1bM\x1bc"},
		{"a title", "\x1b]0;a title?\a\x1b]2;b\x1b\\", "\x1b]0;a title?\a\x1b]2;b\x1b\\"},
		{"a colour", "\x1b]11;#ffffff\a", "\x1b]11;#ffffff\a"},
		{"a link", "\x1b]8;;https://h/?q\x1b\\x\x1b]8;;\x1b\\", "\x1b]8;;https://h/?q\x1b\\x\x1b]8;;\x1b\\"},
		{"the cursor's style, the title's stack", "\x1b[4 q\x1b[22;0t\x1b[8;24;80t\x1b[!p", "\x1b[4 q\x1b[22;0t\x1b[8;24;80t\x1b[!p"},

		{"the clipboard", "a\x1b]52;c;cm0gLXJmIH4K\ab", "ab"},
		{"the clipboard, with ST", "a\x1b]52;c;?\x1b\\b", "ab"},
		{"the clipboard, with C1", "a\u009d52;c;eA==\u009cb", "ab"},
		{"a file for iTerm", "a\x1b]1337;File=name=eA==:AAAA\ab", "ab"},
		{"print on", "a\x1b[5ib\x1b[4i\x1b[?5i\x1b[ic", "abc"},
		{"print, with C1", "a\u009b5ib", "ab"},
		{"print, with a control within", "a\x1b[\a5ib", "a\ab"},
		{"ENQ", "a\x05b\x1b[\x051mc", "ab\x1b[1mc"},
		{"device attributes", "a\x1b[c\x1b[0c\x1b[>c\x1b[=c\x1bZ\u009ab", "ab"},
		{"status", "a\x1b[5n\x1b[6n\x1b[?6n\x1b[?15nb", "ab"},
		{"modes and checksums", "a\x1b[?1$p\x1b[1;1;1;1;24;80*y\x1b[1$w\x1b['|b", "ab"},
		{"the window", "a\x1b[14t\x1b[18;2t\x1b[21tb", "ab"},
		{"the version", "a\x1b[>0qb", "ab"},
		{"the keyboard", "a\x1b[?ub\x1b[?4m", "ab"},
		{"palettes, and colours of a place", "a\x1b[#Rb\x1b[1;1;2;2#|c\x1b[#Pd\x1b[#{e", "abc\x1b[#Pd\x1b[#{e"},
		{"character sets that are asked for", "a\x1b[&ub\x1b[2$uc\x1b[u", "abc\x1b[u"},
		{"the extent", "a\x1b[\"vb\x1b[1;1;2;2;1;1;1$v", "ab\x1b[1;1;2;2;1;1;1$v"},
		{"a reset that is confirmed", "a\x1b[1+pb", "ab"},
		{"another coding, in which Û is CSI", "a\x1b%@\u00db5i\x1b%/Gb\x1b%Gc", "a\u00db5ibc"},
		{"CSI as a byte", "a\x9b5i\x9d52;c;eA==\ab", "a\ufffd5i\ufffd52;c;eA==\ab"},
		{"CSI as a byte in a sequence", "a\x1b\x9b5i\x1b[\x9b5ib\x1b]0;x\x9c\x9d52;c;eA==\ac", "a5i5ib\x1b]0;x\ufffd\ufffd52;c;eA==\ac"},
		{"Latin-1", "a\xe9\xffb", "a\xe9\xffb"},
		{"parameters", "a\x1b[xb\x1b[1x", "ab"},
		{"colours that are asked for", "a\x1b]11;?\a\x1b]4;1;?\x1b\\b", "ab"},
		{"DCS", "a\x1bP+q544e\x1b\\b\x1bP$qm\x1b\\c\u0090$qm\u009cd", "abcd"},
		{"APC, PM, SOS", "a\x1b_Gi=1;AAAA\x1b\\b\x1b^x\x1b\\c\x1bXy\x1b\\d", "abcd"},
		{"a string that is broken off", "a\x1bPxyz\x1b[31mb", "a\x1b[31mb"},
		{"a string that is cancelled", "a\x1bPxyz\x18b\x1b]52;c;eA\x1ac", "a\x18b\x1ac"},
		{"a string with a bell, which does not end it", "a\x1bP\a\x1b\\b", "ab"},
		{"a long command", "a\x1b]0;" + strings.Repeat("x", 2*maxSequence) + "\ab", "ab"},
	} {
		for _, size := range []int{1, 2, 3, 1 << 20} {
			var out strings.Builder
			f := &filter{to: &out}
			for rest := test.text; rest != ""; {
				n := min(size, len(rest))
				if _, err := f.Write([]byte(rest[:n])); err != nil {
					t.Fatalf("%s: %v", test.name, err)
				}
				rest = rest[n:]
			}
			if out.String() != test.want {
				t.Errorf("filter of %s, %d bytes at once = %q, want %q", test.name, size, out.String(), test.want)
			}
		}
	}
}

// Filtering the output of a filter does not change it, because otherwise a sequence that the filter
// drops could hide in the rest.
func FuzzFilter(f *testing.F) {
	f.Add("a\x1b]52;c;x\ab\x1b[5i", 3)
	f.Add("\x1b\x1b[\x1b]0;\x1bPc", 1)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		var once, twice strings.Builder
		first := &filter{to: &once}
		at := max(0, min(cut, len(text)))
		first.Write([]byte(text[:at]))
		first.Write([]byte(text[at:]))
		second := &filter{to: &twice}
		second.Write([]byte(once.String()))
		if !strings.HasPrefix(once.String(), twice.String()) {
			t.Errorf("filter(%q) = %q, and filter of that = %q", text, once.String(), twice.String())
		}
	})
}
