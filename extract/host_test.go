package extract

import (
	"slices"
	"strings"
	"testing"
)

// hasValidLabels checks the form of a host (RFC 1035 §2.3.1, §2.3.4).
func TestHasValidLabels(t *testing.T) {
	long, wide := strings.Repeat("a", maxLabel), strings.Repeat("é", maxLabel)
	for in, want := range map[string]bool{
		"": true, "a": true, "a.b": true, "a-b.c--d": true, "1.2": true, "é.ü": true,
		".": false, ".a": false, "a..b": false, "a.": true, // because the label of the root may be empty
		"-a": false, "a-": false, "a.-b": false, "a-.b": false, "-": false, "a.b-": false,
		long: true, long + ".a": true, "a." + long: true, long + "a": false, "a." + long + "a": false, long + "a.b": false,
		wide: true, wide + "é": false, wide[:len(wide)-1]: true,
	} {
		if got := hasValidLabels([]byte(in)); got != want {
			t.Errorf("hasValidLabels(%q) = %v", in, got)
		}
	}
}

// isTopLevel knows the names of top-level domains in any case, except ASCII names in mixed case, which are names in
// programs.
func TestIsTopLevel(t *testing.T) {
	for in, want := range map[string]bool{
		"": false, "a": false, "de": true, "DE": true, "De": false, "dE": true, "com": true, "COM": true, "Com": false, "cOM": true, "COm": true,
		"example": true, "i2p": true, "I2P": true, "unheard": false, "рф": true, "РФ": true, "Рф": true, "xn--p1ai": true, "XN--P1AI": true, "コム": true,
		"co m": false, "com.": false, strings.Repeat("a", maxLabel): false, strings.Repeat("a", maxLabel+1): false, "\xff\xff": false,
	} {
		if got := isTopLevel([]byte(in)); got != want {
			t.Errorf("isTopLevel(%q) = %v", in, got)
		}
	}
}

// Each name of a top-level domain is once in one of the tables, in lower case, and is a valid label. The names that are
// also extensions of files are among them.
func TestTopLevel(t *testing.T) {
	all := map[string]bool{}
	for _, list := range []string{rootZone, international, punycode, special} {
		names := strings.Fields(list)
		for _, name := range names {
			if all[name] {
				t.Errorf("%s is in the tables twice", name)
			}
			all[name] = true
			if name != strings.ToLower(name) || !hasValidLabels([]byte(name)) || strings.Contains(name, ".") || len(name) < 2 {
				t.Errorf("%q is not a valid name of a top-level domain", name)
			}
			if !isTopLevel([]byte(name)) || !isTopLevel([]byte(strings.ToUpper(name))) {
				t.Errorf("isTopLevel(%q) = false, want true", name)
			}
		}
		if list != international && !slices.IsSorted(names) {
			t.Errorf("the table %.20q… is not sorted", list)
		}
	}
	for _, name := range strings.Fields(rootZone + special) {
		if asciiLength([]byte(name)) < len(name) || strings.HasPrefix(name, "xn--") {
			t.Errorf("%s is in the wrong table", name)
		}
	}
	decoded := map[string]bool{}
	for _, name := range strings.Fields(punycode) {
		decoded[unpunycoded(t, name)] = true
	}
	for _, name := range strings.Fields(international) {
		if !decoded[name] {
			t.Errorf("%s is not in Punycode", name)
		}
		delete(decoded, name)
	}
	if len(decoded) > 0 {
		t.Errorf("only in Punycode: %v", decoded)
	}
	for name := range fileExtensions.Get() {
		if !all[name] {
			t.Errorf("%s is an extension of files, but not a name of a top-level domain", name)
		}
	}
}

// unpunycoded decodes a label (RFC 3492 §6.2).
func unpunycoded(t *testing.T, label string) string {
	t.Helper()
	input, ok := strings.CutPrefix(label, "xn--")
	if !ok {
		t.Fatalf("%q is not in Punycode", label)
	}
	var out []rune
	if i := strings.LastIndexByte(input, '-'); i >= 0 {
		out, input = []rune(input[:i]), input[i+1:]
	}
	n, i, bias := 0x80, 0, 72
	for first := true; input != ""; first = false {
		old, weight := i, 1
		for k := 36; ; k += 36 {
			if input == "" {
				t.Fatalf("%q ends inside a number", label)
			}
			digit := int(input[0]) - 'a'
			if input[0] <= '9' {
				digit = int(input[0]) - '0' + 26
			}
			input = input[1:]
			i += digit * weight
			least := min(max(k-bias, 1), 26)
			if digit < least {
				break
			}
			weight *= 36 - least
		}
		delta := (i - old) / 2
		if first {
			delta = (i - old) / 700
		}
		length := len(out) + 1
		delta += delta / length
		for bias = 0; delta > 455; bias += 36 {
			delta /= 35
		}
		bias += 36 * delta / (delta + 38)
		n += i / length
		i %= length
		out = slices.Insert(out, i, rune(n))
		i++
	}
	return string(out)
}

// hostEnd finds the end of the host at the start of a word.
func TestHostEnd(t *testing.T) {
	f := newFinder(Options{Bare: true})
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"com", ""},
		{".com", ""},
		{"a.com", "a.com"},
		{"a.com.", "a.com"},
		{"a.com...", "a.com"},
		{"a.com-", "a.com"},
		{"a.com.-.", "a.com"},
		{"a.com-b", "a.com"},
		{"a.com-b-c", "a.com"},
		{"a.-com", ""},
		{"a.b-com", ""},
		{"a.unheard", ""},
		{"a.com.unheard", ""},
		{"-a.com", ""},
		{"a..com", ""},
		{"...", ""},
		{"-", ""},
		{"1.2.3.4", "1.2.3.4"},
		{"1.2.3.4.", "1.2.3.4"},
		{"1.2.3", ""},
		{"1.2.3.256", ""},
		{"01.2.3.4", ""},
		{"1.2.3.4.5", ""},
		{"1.com", "1.com"},
		{"a.com1", ""},
		{strings.Repeat("a.", 125) + "com", strings.Repeat("a.", 125) + "com"},  // 253 bytes
		{strings.Repeat("a.", 125) + "com.", strings.Repeat("a.", 125) + "com"}, // the last dot does not belong to the host
		{strings.Repeat("a.", 125) + "info", ""},
		{"a.рф", "a.рф"},
		{"a.рф-b", "a.рф"},
	} {
		if got := f.hostEnd([]byte("x "+test.in), 2); got != len("x "+test.want) && (test.want != "" || got != 0) {
			t.Errorf("hostEnd(%q) = %q, want %q", test.in, ("x " + test.in)[2:max(got, 2)], test.want)
		}
	}
}

// isPartOfMore reports whether the characters around a host make it a part of something else.
func TestIsPartOfMore(t *testing.T) {
	for _, test := range []struct {
		before, host, after string
		want                bool
	}{
		{"", "a.com", "", false},
		{" ", "a.com", " ", false},
		{"/", "a.com", "", true},
		{"_", "a.com", "", true},
		{"\\", "a.com", "", true},
		{"%", "a.com", "", true},
		{"a", "a.com", "", true},
		{"9", "a.com", "", true},
		{"-", "a.com", "", true},
		{"é", "a.com", "", false},
		{"@", "a.com", "", true},
		{"@", "1.2.3.4", "", false}, // user@ before an IPv4 address is not a mail address
		{"(", "a.com", ")", false},
		{".", "a.com", "", false},
		{":", "a.com", "", false},
		{"=", "a.com", "&", false},
		{"", "a.com", "_", true},
		{"", "a.com", "(", true},
		{"", "a.com", "-", false},
		{"", "a.com", "/", false},
		{"", "a.com", ":80", false},
		// names of files
		{"", "a.rs", "", true},
		{"", "A.RS", "", true},
		{"", "a.rs", " ", true},
		{"", "a.rs", ":12", true},
		{"", "a.rs", "/", false},
		{"", "a.b.rs", "", false},
		{"", "www.rs", "", true},
		{"", "a.com", ".rs", false},
	} {
		w := []byte(test.before + test.host + test.after)
		if got := isPartOfMore(w, len(test.before), len(test.before+test.host)); got != test.want {
			t.Errorf("isPartOfMore(%q, %q, %q) = %v", test.before, test.host, test.after, got)
		}
	}
}

// roleAt returns the role of a character in a host, and whether more bytes are needed to know it.
func TestRoleOf(t *testing.T) {
	for _, test := range []struct {
		in   string
		eof  bool
		want role
		size int
	}{
		{"é", false, joining, 2},
		{"ж9", false, joining, 2},
		{"٣", false, joining, 2},
		{"²", false, joining, 2},
		{"中", false, unspaced, 3},
		{"ひ", false, unspaced, 3},
		{"カ", false, unspaced, 3},
		{"한", false, unspaced, 3},
		{"ท", false, unspaced, 3},
		{"ລ", false, unspaced, 3},
		{"ខ", false, unspaced, 3},
		{"မ", false, unspaced, 3},
		{"\u0e31", false, unspaced, 3}, // a Thai mark belongs to its script
		{"\u0301", false, mark, 2},
		{"\u094d", false, mark, 3},
		{"\ufe0f", false, mark, 3},
		{"。", false, outside, 3},
		{"…", false, outside, 3},
		{"\u00a0", false, outside, 2},
		{"\u00ad", false, outside, 2},
		{"😀", false, outside, 4},
		{"\xff", false, outside, 1},
		{"\x80", false, outside, 1},
		{"\xc3", false, unknown, 0},
		{"\xe4\xb8", false, unknown, 0},
		{"\xc3", true, outside, 1},
		{"\xe4\xb8", true, outside, 1},
		{"\xc3a", false, outside, 1},
	} {
		if k, size := (window{[]byte(test.in), test.eof}).roleAt(0); k != test.want || size != test.size {
			t.Errorf("roleAt(%q, %v) = %d, %d, want %d, %d", test.in, test.eof, k, size, test.want, test.size)
		}
	}
	for c := range 256 {
		want := outside
		switch c := byte(c); {
		case c >= 0x80:
			want = unknown
		case c == '.' || c == '-':
			want = joining
		case isLetter(c) || isDigit(c):
			want = letter
		}
		if byteRoles[c] != want {
			t.Errorf("the role of %q is %d, want %d", byte(c), byteRoles[c], want)
		}
	}
}

// wordAround returns the bounds of the word around an offset.
func TestWordAround(t *testing.T) {
	for _, test := range []struct {
		before, in, after string // the word with the text around it; the offset is that of its dot
		eof               bool
		want              status
	}{
		{"", "a.b", "", true, hit},
		{"", "a.b", "", false, needMore},
		{"", "a.b", " ", false, hit},
		{"(", "a.b", ")", false, hit},
		{"x/", "a-.b-", "/", false, hit},
		{"_", "a.b", "_", false, hit},
		{"", "é.ü", "…", false, hit},
		{"中", "a.b", "中", false, hit},
		{"a", "中.文", "a", false, hit},
		{"中", "a.文", " ", false, hit},
		{"中-", "", "", true, hit},
		{"", "中-a.b", " ", false, hit}, // a hyphen separates the words
		{"", "é中.b", " ", false, hit},
		{"", "a\u0301.b\u0301", " ", false, hit},
		{" \u0301", "a.b", " ", false, hit}, // a combining mark does not start a word
		{"", "中\u0301.文", "a", false, hit},
		{"", "a.b", "\xff", false, hit},
		{"", "a.b", "\xc3", false, needMore},
		{"", "a.b", "\xc3", true, hit},
		{"", "a.b", "\xc3\xa9", true, hit},
		{"", "a.b", "\u2026", false, hit},
	} {
		if test.in == "" {
			continue
		}
		want := test.in
		if test.after == "\xc3\xa9" {
			want += test.after
		}
		w := []byte(test.before + test.in + test.after)
		i := len(test.before) + strings.IndexByte(test.in, '.')
		from, stop, st := window{w, test.eof}.wordAround(0, i)
		if st != test.want || st == hit && string(w[from:stop]) != want {
			t.Errorf("wordAround(%q, %d, %v) = %q, %d, want %q, %d", w, i, test.eof, w[from:max(from, stop)], st, want, test.want)
		}
	}
	// wordAround examines no more bytes than a host may have.
	long := []byte("." + strings.Repeat("a", 3*maxHost))
	if from, stop, st := (window{text: long}).wordAround(0, 0); st != hit || from != 0 || stop != maxHost+1 {
		t.Errorf("wordAround of a word of %d bytes = %d, %d, %d, want %d bytes", len(long), from, stop, st, maxHost+1)
	}
}

// nextDot finds the next dot inside a word. A dot at the start or the end of the text may be inside a word.
func TestDot(t *testing.T) {
	for _, test := range []struct {
		in       string
		at, want int
	}{
		{"", 0, -1},
		{"a", 0, -1},
		{"a.b", 0, 1},
		{"a.b", 1, 1},
		{"a.b", 2, -1},
		{".a", 0, -1},
		{"a.", 0, 1},
		{".", 0, 0},
		{"a. b", 0, -1},
		{"a ..b", 0, -1},
		{"a..b.c", 0, 4},
		{"a.é", 0, 1},
		{"é.a", 0, 2},
		{"-.-", 0, 1},
		{"_.a", 0, -1},
		{"a._", 0, -1},
		{"a.b.c", 2, 3},
	} {
		if got := nextDot([]byte(test.in), test.at); got != test.want {
			t.Errorf("nextDot(%q, %d) = %d, want %d", test.in, test.at, got, test.want)
		}
	}
}
