package dialect

import "testing"

func TestNamingString(t *testing.T) {
	for _, test := range []struct {
		in   Naming
		want string
	}{
		{GitHub, "GitHub"},
		{Pandoc, "pandoc"},
		{Zola, "Zola"},
		{numberOfNaming, "unknown"},
	} {
		if got := test.in.String(); got != test.want {
			t.Errorf("String of %d = %q, want %q", test.in, got, test.want)
		}
	}
}
