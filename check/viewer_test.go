package check

import (
	"strings"
	"testing"

	"locus/check/site"
	"locus/extract/document/dialect"
	"locus/url"
)

// A viewer finds anchors by more than their names.
func TestViewerAnchors(t *testing.T) {
	vite := site.Generator{Config: ".vitepress", Dialect: dialect.Dialect{Naming: dialect.VitePress}}
	mkDocs := site.Generator{Config: "mkdocs.yml", Dialect: dialect.Dialect{Naming: dialect.MkDocs}}
	gitLab := site.Generator{Config: ".gitlab-ci.yml", IsHost: true, Dialect: dialect.Dialect{Naming: dialect.GitLab}}
	for _, test := range []struct {
		file, text, fragment string
		generator            site.Generator
		want                 Status
	}{
		{"README.md", "# Warm The Pot\n", "Warm-The-Pot", site.Generator{}, Good},
		{"README.md", "# Warm The Pot\n", "WARM-THE-POT", site.Generator{}, Good},
		{"README.md", "# Warm The Pot\n", "Cool-The-Pot", site.Generator{}, Dead},
		{"README.md", "<a name=Pot></a>\n", "pot", site.Generator{}, Good},
		{"README.md", "# Ä\n", "%C3%84", site.Generator{}, Good},
		{"README.md", "# A\n", "user-content-a", site.Generator{}, Good},
		{"README.md", "# A\n", "user-content-b", site.Generator{}, Dead},
		{"README.md", "# A\n", "readme", site.Generator{}, Good},
		{"README.rst", "A\n=\n", "readme", site.Generator{}, Good},
		{"a.md", "# A\n", "readme", site.Generator{}, Dead},
		{"README.md", "# A\n", "readme", gitLab, Dead},
		{"README.md", "# A\n", "A", gitLab, Dead},
		{"README.md", "# A & B\n", "a-b", gitLab, Good},
		{"README.md", "# A & B\n", "a--b", gitLab, Dead},
		{"a.html", "<p id=A>", "a", site.Generator{}, Dead},
		{"a.md", "# 3. Pour\n", "3-pour", vite, Good},
		{"a.md", "# 3. Pour\n", "_3-Pour", vite, Good},
		{"a.md", "# 3. Pour\n", "4-pour", vite, Dead},
		{"a.md", "# A\n", "A", mkDocs, Dead},
	} {
		var pages Pages
		file := url.MustParse("file:///r/" + test.file)
		read := LinkReader{Sources: site.Sources{Project: &site.Project{Generator: test.generator}}}
		for range pages.Links(read, strings.NewReader(test.text), ModeByName(test.file), file, &site.Site{}) {
			continue
		}
		p, _ := pages.get(file.String())
		if got := (Result{Status: Good, URL: file.String(), Anchors: p.anchors}).At(test.fragment); got.Status != test.want {
			t.Errorf("%s of %q by %s: #%s is %v, want %v", test.file, test.text, test.generator.Name, test.fragment, got.Status, test.want)
		}
	}
}
