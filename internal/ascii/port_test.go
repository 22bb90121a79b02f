package ascii

import "testing"

func TestPort(t *testing.T) {
	for in, want := range map[string]int{
		"": -1, "0": 0, "1": 1, "0080": 80, "65535": 65535, "65536": -1, "99999999999999999999": -1,
		"00000000000000000000001": 1, "+1": -1, "-1": -1, "1 ": -1, "0x1": -1, "1_0": -1,
	} {
		if n, ok := Port(in); ok != (want >= 0) || ok && int(n) != want {
			t.Errorf("Port(%q) = %d, %v, want %d", in, n, ok, want)
		}
	}
}

func TestIsScheme(t *testing.T) {
	for in, want := range map[string]bool{
		"a": true, "HTTP": true, "x-own+1.2": true, "z39.50s": true,
		"": false, "1x": false, "+a": false, "a:": false, "a/b": false, "a b": false, "é": false, "aé": false, "a_b": false,
	} {
		if got := IsScheme(in); got != want {
			t.Errorf("IsScheme(%q) = %v, want %v", in, got, want)
		}
	}
}
