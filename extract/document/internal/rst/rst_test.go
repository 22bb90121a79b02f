package rst

import "testing"

// targetNameLength returns the length of the name of a target with its colon.
func TestRSTName(t *testing.T) {
	for in, want := range map[string]int{
		"": 0, ":": 0, ": ": 0, "a": 0, "a:": 0, "a: ": 2, "a:\n": 2, "a:b: c": 4, "a:b": 0, "a b: c": 4, `a\: b: c`: 6, `a\: b`: 0, `a\`: 0, `a\\: b`: 4, "_: a": 2, "é: a": 3,
		"`": 0, "`a": 0, "``:": 0, "`a`:": 4, "`a`: b": 4, "`a: b`: c": 7, "`a` b: c": 0, "`a``: b": 5, "`a`:b": 4,
	} {
		if got := targetNameLength([]byte(in)); got != want {
			t.Errorf("targetNameLength(%q) = %d, want %d", in, got, want)
		}
	}
}
