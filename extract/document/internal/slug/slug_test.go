package slug

import (
	"slices"
	"strings"
	"testing"

	"locus/extract/document/dialect"
)

// The ids that the programs gave to these headings. Each heading stands alone in its document.
func TestOf(t *testing.T) {
	for _, test := range []struct {
		text string
		want map[dialect.Naming]string
	}{
		{"What's new_in 2.0?", map[dialect.Naming]string{
			dialect.GitHub: "whats-new_in-20", dialect.GitLab: "whats-new_in-20", dialect.Bitbucket: "markdown-header-whats-new_in-20",
			dialect.Docutils: "what-s-new-in-2-0", dialect.Hugo: "whats-new_in-20", dialect.Jupyter: "What's-new_in-2.0? whats-new_in-20", dialect.Kramdown: "whats-new_in-20", dialect.MDBook: "whats-new_in-20 whats-new_in-20",
			dialect.MkDocs: "whats-new_in-20", dialect.MyST: "whats-new_in-20 what-s-new-in-2-0", dialect.Pandoc: "whats-new_in-2.0",
			dialect.Slugger: "whats-new_in-20", dialect.VitePress: "what-s-new-in-2-0", dialect.Zola: "what-s-new-in-2-0",
		}},
		{"3. Pour slowly", map[dialect.Naming]string{
			dialect.GitHub: "3-pour-slowly", dialect.Docutils: "pour-slowly", dialect.Pandoc: "pour-slowly", dialect.VitePress: "_3-pour-slowly", dialect.Zola: "3-pour-slowly",
		}},
		{"Überschrift 日本 №1", map[dialect.Naming]string{
			dialect.GitHub: "überschrift-日本-1", dialect.Docutils: "uberschrift-1", dialect.Hugo: "überschrift-日本-1", dialect.Pandoc: "überschrift-日本-1",
			dialect.MkDocs: "uberschrift-no1", dialect.VitePress: "uberschrift-日本-no1", dialect.MDBook: "überschrift-日本-1 Überschrift-日本-1",
		}},
		{"A -- B — C", map[dialect.Naming]string{
			dialect.GitHub: "a----b--c", dialect.GitLab: "a-b-c", dialect.Kramdown: "a--b--c", dialect.Hugo: "a----b--c", dialect.MkDocs: "a-b-c", dialect.Pandoc: "a-b-c", dialect.VitePress: "a-b-—-c", dialect.Zola: "a-b-c",
		}},
		{"Cups/Mugs: both", map[dialect.Naming]string{dialect.GitHub: "cupsmugs-both", dialect.VitePress: "cups-mugs-both", dialect.Pandoc: "cupsmugs-both", dialect.MkDocs: "cupsmugs-both"}},
		{"1.", map[dialect.Naming]string{dialect.GitHub: "1", dialect.GitLab: "anchor-1", dialect.Docutils: "id1", dialect.Pandoc: "section", dialect.VitePress: "_1", dialect.MkDocs: "1"}},
		{"日本", map[dialect.Naming]string{dialect.MkDocs: "_1", dialect.Bitbucket: "markdown-header-", dialect.Docutils: "id1", dialect.Pandoc: "日本"}},
		{"!!!", map[dialect.Naming]string{dialect.GitHub: "", dialect.Hugo: "heading", dialect.MkDocs: "_1", dialect.Pandoc: "section", dialect.VitePress: ""}},
		{"Été à la plage", map[dialect.Naming]string{dialect.MkDocs: "ete-a-la-plage", dialect.VitePress: "ete-a-la-plage", dialect.Zola: "ete-a-la-plage", dialect.Slugger: "été-à-la-plage"}},
		{"🍵 Emoji 🎉", map[dialect.Naming]string{
			dialect.GitHub: "-emoji-", dialect.GitLab: "-emoji-", dialect.Pandoc: "emoji", dialect.VitePress: "🍵-emoji-🎉", dialect.Hugo: "-emoji-", dialect.MkDocs: "emoji",
		}},
		{"👩\u200d🚀 Crew", map[dialect.Naming]string{dialect.GitHub: "-crew \u200d-crew", dialect.Slugger: "-crew", dialect.GitLab: "-crew", dialect.Hugo: "-crew"}},
		{"-leading hyphen-", map[dialect.Naming]string{dialect.Pandoc: "leading-hyphen-", dialect.VitePress: "leading-hyphen", dialect.Docutils: "leading-hyphen", dialect.MkDocs: "-leading-hyphen-"}},
		{"Straße Łódź Ærø ß", map[dialect.Naming]string{
			dialect.Pandoc: "straße-łódź-ærø-ß", dialect.MkDocs: "strae-odz-r", dialect.VitePress: "straße-łodz-ærø-ß", dialect.Docutils: "strasze-lodz-aero-sz",
		}},
		{"\"Quoted\" text...", map[dialect.Naming]string{dialect.Pandoc: "quoted-text", dialect.GitHub: "quoted-text"}},
		{"½ x² ① Ⅳ", map[dialect.Naming]string{dialect.GitHub: "-x--ⅳ", dialect.Kramdown: "-x--ⅳ", dialect.Slugger: "-x--ⅳ", dialect.Hugo: "-x--", dialect.Pandoc: "x²-①-ⅳ", dialect.VitePress: "_1⁄2-x2-1-iv"}},
		{"İzmir Ⓠ", map[dialect.Naming]string{dialect.GitHub: "i̇zmir-ⓠ", dialect.Kramdown: "i̇zmir-ⓠ", dialect.Slugger: "i̇zmir-ⓠ", dialect.Hugo: "izmir-"}},
		{"a.b.c", map[dialect.Naming]string{dialect.Pandoc: "a.b.c", dialect.VitePress: "a-b-c", dialect.GitHub: "abc"}},
	} {
		for n, want := range test.want {
			if got := strings.Join(new(Ids).Of(n, Plain(test.text)), " "); got != want {
				t.Errorf("Of(%v, %q) = %q, want %q", n, test.text, got, want)
			}
		}
	}
}

// The ids of headings with the same text.
func TestOfRepeated(t *testing.T) {
	for _, test := range []struct {
		n        dialect.Naming
		in, want string
	}{
		{dialect.GitHub, "a a a", "a a-1 a-2"},
		{dialect.GitHub, "echo echo echo-1 echo-1 echo", "echo echo-1 echo-1-1 echo-1-2 echo-2"}, // as in the fixtures of github-slugger, which GitHub made
		{dialect.GitHub, "fox-1 fox fox", "fox-1 fox fox-2"},
		{dialect.Kramdown, "Title Title Title-1", "title title-1 title-1"},
		{dialect.Hugo, "Title Title Title-1 Title", "title title-1 title-1-1 title-2"},
		{dialect.Slugger, "Title Title Title-1 Title", "title title-1 title-1-1 title-2"},
		{dialect.Pandoc, "Title Title Title-1 1 2", "title title-1 title-1-1 section section-1"},
		{dialect.VitePress, "a a a", "a a-1 a-2"},
		{dialect.MkDocs, "Title Title Title_1 ! !", "title title_1 title_2 _1 _2"},
		{dialect.Bitbucket, "a a", "markdown-header-a markdown-header-a_1"},
		{dialect.Docutils, "a 1 a", "a id1 a-1 id2"},
		{dialect.MyST, "a a", "a a a-1 a-1 id1"},
	} {
		var ids Ids
		var got []string
		for _, text := range strings.Fields(test.in) {
			got = append(got, ids.Of(test.n, Plain(text))...)
		}
		if !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%v names %q %q, want %q", test.n, test.in, got, test.want)
		}
	}
}

// The form of the heading from which a rule takes the text.
func TestForms(t *testing.T) {
	h := Heading{Text: "Pour ", Alt: "Pour Kettle", Source: "Pour ![Kettle](k.svg)", TypesetText: "Pour ", TypesetAlt: "Pour Kettle"}
	for n, want := range map[dialect.Naming]string{
		dialect.GitHub: "pour-", dialect.GitLab: "pour", dialect.Kramdown: "pour-", dialect.MkDocs: "pour", dialect.VitePress: "pour", dialect.MDBook: "pour pour",
		dialect.Pandoc: "pour-kettle", dialect.Slugger: "pour-kettle", dialect.Docutils: "pour-kettle", dialect.Hugo: "pour-kettleksvg",
	} {
		if got := strings.Join(new(Ids).Of(n, h), " "); got != want {
			t.Errorf("Of(%v, %+v) = %q, want %q", n, h, got, want)
		}
	}
}

// A document cannot fill the memory with names.
func TestManyHeadings(t *testing.T) {
	var ids Ids
	for i := range maxNames + 10 {
		ids.Of(dialect.GitHub, Plain(strings.Repeat("x", i%7)+string(rune('a'+i%26))+string(rune(0x4e00+i))))
	}
	if len(ids.seen) > maxNames {
		t.Errorf("%d names are kept, want at most %d", len(ids.seen), maxNames)
	}
}
