package check

import "testing"

func TestScopeOf(t *testing.T) {
	for page, want := range map[string]string{
		"http://h/a/b.html?x=/y#z": "http://h/a/",
		"http://h/a/":              "http://h/a/",
		"http://h":                 "http://h",
		"http://h/":                "http://h/",
		"gopher://h/1/menu":        "gopher://h/1/",
	} {
		if got := ScopeOf(page); got != want {
			t.Errorf("ScopeOf(%q) = %q, want %q", page, got, want)
		}
	}
}

func TestMaxPerServer(t *testing.T) {
	for _, test := range []struct {
		perServer int
		rules     []int // PerServer of each HostRule
		want      int
	}{
		{0, nil, 8},
		{2, nil, 2},
		{2, []int{1, 5, 0}, 5},
		{0, []int{5}, 8},
		{2, []int{-1}, maxOpen},
		{-1, []int{5}, maxOpen},
	} {
		p := Policy{PerServer: test.perServer}
		for _, n := range test.rules {
			p.Hosts = append(p.Hosts, HostRule{Host: "h", PerServer: n})
		}
		if got := p.MaxPerServer(); got != test.want {
			t.Errorf("PerServer %d and the rules %v: MaxPerServer = %d, want %d", test.perServer, test.rules, got, test.want)
		}
	}
}
