package transfer

import (
	"strings"
	"testing"
)

// A digest is found by the name of the file, or by the only path that ends in it.
func TestDigestsOf(t *testing.T) {
	one, other := strings.Repeat("1", 64), strings.Repeat("2", 64)
	sums, err := ParseDigests(strings.NewReader(one + "  a\n" + other + "  x/a\n" + one + "  x/b\n" + one + "  y/b\n" + one + "  x/c\n" + other + "  y/c\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a": one, "b": one, "c": "several digests", "d": "no digest"} {
		got, err := sums.Of(name)
		wanted, parseErr := ParseDigest(want)
		if parseErr == nil && (got != wanted || err != nil) || parseErr != nil && (err == nil || err.Error() != want) {
			t.Errorf("Of(%q) = %v, %v, want %s", name, got, err, want)
		}
	}
}
