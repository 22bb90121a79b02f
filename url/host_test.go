package url

import (
	"strings"
	"testing"
)

// IPv6 addresses with every number of groups on either side of "::", or without "::", each with and without a dotted
// quad for the last two groups. RFC 3986 §3.2.2 requires eight groups, or at most seven if "::" stands for the others.
func TestIPv6Groups(t *testing.T) {
	groups := func(n int, quad bool) string {
		list := strings.Repeat("a1:", n)
		if quad {
			return list + "1.2.3.4"
		}
		return strings.TrimSuffix(list, ":")
	}
	count := func(n int, quad bool) int {
		if quad {
			return n + 2
		}
		return n
	}
	for left := range 10 {
		for _, quad := range []bool{false, true} {
			checkIPv6(t, groups(left, quad), count(left, quad) == 8)
			for right := range 10 {
				addr := groups(left, false) + "::" + groups(right, quad)
				checkIPv6(t, addr, left+count(right, quad) <= 7)
				checkIPv6(t, groups(left, quad)+"::"+groups(right, true), !quad && left+right+2 <= 7)
			}
		}
	}
}

func checkIPv6(t *testing.T, addr string, want bool) {
	t.Helper()
	text := "x://[" + addr + "]/"
	if _, err := Parse(text); (err == nil) != want {
		t.Errorf("Parse(%q) = %v, want a valid address: %v", text, err, want)
	}
}

// Parse returns an error at the mark "‸" of each text.
//
// req: 1738-3.1-4, 1738-3.1-5
func TestHostRefused(t *testing.T) {
	for _, test := range []struct {
		std   Standard
		texts []string
	}{
		{RFC3986, []string{
			"x://[‸]", "x://[:‸", "x://[:‸]", "x://[:‸1]", "x://[::‸", "x://[::‸:]", "x://[1‸]", "x://[1:‸]", "x://[1:2:3:4:5:6:7‸]", "x://[1:2:3:4:5:6:7:8‸:]",
			"x://[1:2:3:4:5:6::1‸.2.3.4]", "x://[1::2:3:4:5:6:1‸.2.3.4]", "x://[1:2:3:4:5:6:7::‸8]", "x://[1234‸5::]", "x://[‸g::]", "x://[::1.2.3‸]", "x://[::c1‸.2.3.4]", "x://[::01‸.2.3.4]", "x://[::256‸.2.3.4]",
			"x://[::1.2.3.4‸.5]", "x://[::1.2.3.0‸0]", "x://[::1‸%zone]", "x://[::1%25‸]", "x://[::1%25a‸!]", "x://[::1%25‸%4]", "x://[::1]‸x",
			"x://[v‸]", "x://[v1‸]", "x://[v1.‸]", "x://[v1.a‸/]", "x://[v‸g.a]", "x://a‸[::1]", "x://[::1]‸[", "x://h:1‸:2",
		}},
		{RFC1738, []string{"ftp://a.‸.b", "ftp://a-‸", "ftp://1.2.3.4.5‸", "ftp://1.2.3.4a‸", "ftp://%61‸%5F", "ftp://%61.‸.b", "ftp://a‸_", "ftp://h:‸", "ftp://h:‸%31"}},
		{RFC1630, []string{"x://1.2.3‸", "x://1.2.3.4‸.", "x://1.2.3.4‸a", "x://1.‸.3", "x://‸.a", "x://a‸~", "x://a‸%6", "x://h:‸/"}},
	} {
		for _, s := range test.texts {
			before, after, _ := strings.Cut(s, "‸")
			_, err := test.std.Parse(before + after)
			if e, ok := err.(*SyntaxError); !ok || e.Offset != len(before) {
				t.Errorf("%v.Parse(%q) = %v, want an error at offset %d", test.std, before+after, err, len(before))
			}
		}
	}
}
