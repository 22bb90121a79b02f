package transfer

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestDigests(t *testing.T) {
	sum, long := strings.Repeat("ab", 32), strings.Repeat("cd", 64)
	for _, test := range []struct {
		in   string
		want map[string]string // nil for an error
	}{
		{sum + "  a\n" + sum + " *b c\r\n\n# note\n", map[string]string{"a": sum, "b c": sum}},
		{"SHA256 (a) = " + sum + "\nSHA512 (b (c)) = " + long, map[string]string{"a": sum, "b (c)": long}},
		{`\` + sum + `  a\nb\\c`, map[string]string{"a\nb\\c": sum}},
		{sum + "  a\r\n" + sum + " *b \r\n", map[string]string{"a": sum, "b ": sum}},
		{strings.ToUpper(sum) + "  ./dir/a", map[string]string{"./dir/a": sum}},
		{`\SHA256 (a\nb) = ` + sum, map[string]string{"a\nb": sum}},
		{
			"-----BEGIN PGP SIGNED MESSAGE-----\r\nHash: SHA256\r\n\r\n# a.iso: 12 bytes\r\nSHA256 (a.iso) = " + sum +
				"\r\n-----BEGIN PGP SIGNATURE-----\r\n\r\niQIzBAEBCAAdFiEE\r\n-----END PGP SIGNATURE-----\r\n",
			map[string]string{"a.iso": sum},
		},
		{"", map[string]string{}},
		{sum + " a\n", nil},
		{sum[1:] + "  a\n", nil},
		{sum + "  a\n" + long + "  a\n", map[string]string{"a": long}},
		{long + "  a\n" + sum + "  a\n", map[string]string{"a": long}},
		{sum + "  a\n" + strings.Repeat("00", 32) + "  a\n", nil},
		{sum + "  \n", nil},
		{sum + "\n", nil},
		{"12  a\n", nil},
		{"SHA256 a = " + sum, nil},
		{"MD5 (a) = " + sum, nil},
	} {
		all, err := ParseDigests(strings.NewReader(test.in))
		got := make(map[string]string)
		for name, d := range all {
			got[name] = d.String()
		}
		if (err != nil) != (test.want == nil) || err == nil && !reflect.DeepEqual(got, test.want) {
			t.Errorf("ParseDigests(%q) = %q, %v, want %q", test.in, got, err, test.want)
		}
	}
	d, err := ParseDigest("E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855")
	if err != nil || d.Check(strings.NewReader("")) != nil {
		t.Errorf("the digest of nothing: %v, %v", d, err)
	}
	if err := d.Check(strings.NewReader("x")); !errors.Is(err, ErrDigest) {
		t.Errorf("Check = %v, want %v", err, ErrDigest)
	}
}

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
