package serve

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/flags"
	"locus/gateway"
	"locus/server"
)

// The front page shows the links of --start and the places of --places, or the shipped places of all
// kinds that the policy opens.
func TestAddLinks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "links.gmi")
	if err := os.WriteFile(file, []byte("# Ours\n=> gopher://h/ A hole\n=> x-unknown://h/ Nowhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := file + ".broken"
	if err := os.WriteFile(broken, []byte("\n=> hole\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shipped := []string{"Gopher", "Gemini", "FTP", "News", "Library catalogues", "Terminals"}
	for _, test := range []struct {
		name          string
		o             Options
		p             server.Policy
		links, places []string // the groups
		err           string
	}{
		{"no flags", Options{}, server.Policy{}, nil, shipped, ""},
		{"one scheme", Options{}, server.Policy{Kind: server.Public, Schemes: []string{"gopher"}}, nil, shipped[:1], ""},
		{"an archive", Options{Replay: cli.Replay{From: "x.warc"}}, server.Policy{}, nil, nil, ""},
		{"--start", Options{Start: file}, server.Policy{}, []string{"Ours"}, shipped, ""},
		{"--places", Options{Places: file}, server.Policy{}, nil, []string{"Ours"}, ""},
		{"a wrong --start", Options{Start: broken}, server.Policy{}, nil, nil, `--start: ` + broken + `: line 2: "hole" is not a complete URL`},
		{"a missing --places", Options{Places: file + ".none"}, server.Policy{}, nil, nil, "--places: "},
	} {
		g := &gateway.Gateway{}
		e, _ := envOf(t, nil)
		err := test.o.addLinks(e, g, test.p)
		if test.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), test.err) || strings.HasPrefix(test.name, "a wrong") && !flags.IsMisuse(err) {
				t.Errorf("%s: the error is %v, want %s", test.name, err, test.err)
			}
			continue
		}
		if got := groups(g.FrontLinks); err != nil || !slices.Equal(got, test.links) {
			t.Errorf("%s: the links are in the groups %q, %v, want %q", test.name, got, err, test.links)
		}
		if got := groups(g.Places); !slices.Equal(got, test.places) {
			t.Errorf("%s: the places are in the groups %q, want %q", test.name, got, test.places)
		}
	}
}

// groups returns the groups of links, in their order.
func groups(links []gateway.FrontLink) []string {
	var all []string
	for _, l := range links {
		if !slices.Contains(all, l.Group) {
			all = append(all, l.Group)
		}
	}
	return all
}

// Each shipped place has a title, a description and a URL that locus opens.
func TestShippedPlaces(t *testing.T) {
	places, err := gateway.ParseFrontLinks(shippedPlaces)
	if err != nil || len(places) < 15 {
		t.Fatalf("the shipped places are %d, %v", len(places), err)
	}
	for _, l := range places {
		if l.Title == l.URL.String() || !strings.HasSuffix(l.About, ".") || !cli.CanOpen(l.URL.Scheme()) {
			t.Errorf("the place %s has the title %q and the description %q", l.URL, l.Title, l.About)
		}
	}
}
