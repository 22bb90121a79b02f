package main

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	many := manyAtOnce()
	for _, test := range []struct{ args, want []string }{
		{[]string{"-v", "./..."}, []string{"-v ./..."}},
		{[]string{"-timeout", "3m", "-race", "locus/internal/marc", "locus/internal/walk"}, []string{"-p=1 -timeout 3m locus/internal/marc", many + " -timeout 3m -race locus/internal/walk"}},
		{
			[]string{"-race", "-v", "locus/internal/walk", "locus/cmd/locus/internal/put", "locus/cmd/locus/internal/browsertest", "locus/cmd/locus"},
			[]string{many + " -race -v locus/cmd/locus locus/cmd/locus/internal/browsertest locus/cmd/locus/internal/put locus/internal/walk"},
		},
		{[]string{"-race", "-p=7", "locus/url"}, []string{"-p=1 -p=7 locus/url"}},
		{[]string{"-race", "locus/access", "locus/cmd/locus/internal/killtest"}, []string{"-p=1 locus/cmd/locus/internal/killtest locus/access"}},
		{[]string{"-race"}, []string{many + " -race locus/internal/tests"}},
	} {
		packages, err := list(test.args)
		var got []string
		for _, run := range split(test.args, packages) {
			got = append(got, strings.Join(run, " "))
		}
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("split(%q) = %q, %v, want %q", test.args, got, err, test.want)
		}
	}
	if packages, err := list([]string{"-race", "./missing"}); err == nil {
		t.Errorf("list of a package that does not exist = %q", packages)
	}
}
