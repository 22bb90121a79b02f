package site_test

import (
	"cmp"
	"testing"
	"testing/fstest"

	"locus/check/site"
	"locus/extract/document/dialect"
	"locus/url"
)

// GeneratorIn tells the generators apart by the names and the contents of their configurations.
func TestGeneratorIn(t *testing.T) {
	for _, test := range []struct {
		files        map[string]string
		name, config string
	}{
		{map[string]string{"config.toml": "base_url = \"/\"", "content/a.md": ""}, "Zola", "config.toml"},
		{map[string]string{"config.toml": "baseURL = \"/\"", "content/a.md": ""}, "Hugo", "config.toml"},
		{map[string]string{"config.toml": "base_url = \"/\""}, "", ""},
		{map[string]string{"hugo.yaml": ""}, "Hugo", "hugo.yaml"},
		{map[string]string{"config/_default/hugo.toml": ""}, "Hugo", "config"},
		{map[string]string{"config/app.toml": ""}, "", ""},
		{map[string]string{"book.toml": ""}, "mdBook", "book.toml"},
		{map[string]string{"docusaurus.config.ts": ""}, "Docusaurus", "docusaurus.config.ts"},
		{map[string]string{".vitepress/config.mts": ""}, "VitePress", ".vitepress"},
		{map[string]string{".vuepress/config.js": ""}, "VuePress", ".vuepress"},
		{map[string]string{"mkdocs.yml": ""}, "MkDocs", "mkdocs.yml"},
		{map[string]string{"_quarto.yml": ""}, "Quarto", "_quarto.yml"},
		{map[string]string{"_bookdown.yml": ""}, "R Markdown", "_bookdown.yml"},
		{map[string]string{"conf.py": "extensions = ['myst_parser']"}, "Sphinx", "conf.py"},
		{map[string]string{"conf.py": ""}, "Sphinx", "conf.py"},
		{map[string]string{"_config.yml": "", "_toc.yml": ""}, "Jupyter Book", "_config.yml"},
		{map[string]string{"_config.yml": ""}, "Jekyll", "_config.yml"},
		{map[string]string{"antora.yml": ""}, "Antora", "antora.yml"},
		{map[string]string{"astro.config.mjs": ""}, "Astro", "astro.config.mjs"},
		{map[string]string{"nuxt.config.ts": ""}, "Nuxt", "nuxt.config.ts"},
		{map[string]string{"next.config.js": ""}, "Next", "next.config.js"},
		{map[string]string{".gitlab-ci.yml": ""}, "GitLab", ".gitlab-ci.yml"},
		{map[string]string{".gitlab-ci.yml": "", ".github/a": ""}, "GitHub", ".github"},
		{map[string]string{".gitlab-ci.yml": "", "mkdocs.yml": ""}, "MkDocs", "mkdocs.yml"},
		{map[string]string{"bitbucket-pipelines.yml": ""}, "Bitbucket", "bitbucket-pipelines.yml"},
		{map[string]string{"README.md": "", "package.json": ""}, "", ""},
	} {
		made, shown := site.GeneratorIn(folderOf(test.files))
		if got := cmp.Or(made.Name, shown.Name); got != test.name || cmp.Or(made.Config, shown.Config) != test.config {
			t.Errorf("GeneratorIn(%q) = %+v and %+v, want %q by %q", test.files, made, shown, test.name, test.config)
		}
	}
}

// A word of the configuration switches a trait of the dialect on.
func TestDialectOfConfiguration(t *testing.T) {
	for _, test := range []struct {
		name, config string
		math         dialect.Math
		wiki         bool
	}{
		{"mkdocs.yml", "site_name: x", dialect.NoMath, false},
		{"mkdocs.yml", "markdown_extensions: [pymdownx.arithmatex]\nplugins: [roamlinks]", dialect.DollarMath, true},
		{".vitepress/config.ts", "export default {}", dialect.NoMath, false},
		{".vitepress/config.ts", "export default { markdown: { math: true } }", dialect.DollarMath, false},
		{"docusaurus.config.js", "remarkPlugins: [require('remark-math')]", dialect.DollarMath, false},
		{"_config.yml", "", dialect.DoubleMath, false},
		{"_quarto.yml", "", dialect.DollarMath, false},
		{".obsidian/app.json", "", dialect.DollarMath, true},
	} {
		made, shown := site.GeneratorIn(folderOf(map[string]string{test.name: test.config}))
		got := cmp.Or(made, shown).Dialect
		if got.Math != test.math || got.WikiLinks != test.wiki {
			t.Errorf("with %s %q: %+v, want Math %v, WikiLinks %v", test.name, test.config, got, test.math, test.wiki)
		}
	}
}

// folderOf returns a folder with files of the given texts.
func folderOf(texts map[string]string) fstest.MapFS {
	files := fstest.MapFS{}
	for name, text := range texts {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

// A word of the configuration says that the ids of headings are not known, or that an id replaces them.
func TestIdsOfConfiguration(t *testing.T) {
	for _, test := range []struct {
		name, config string
		other, own   bool
	}{
		{"mkdocs.yml", "site_name: x", false, false},
		{"mkdocs.yml", "markdown_extensions: [attr_list]", false, true},
		{"mkdocs.yml", "  - toc:\n      slugify: !!python/object/apply:pymdownx.slugs.slugify {}\n", true, false},
		{"hugo.toml", "[markup.goldmark.parser]\nautoHeadingIDType = 'blackfriday'", true, true},
		{"_config.yml", "markdown: CommonMark", true, true},
		{"_config.yml", "", false, true},
		{"conf.py", "extensions = ['myst_parser']\nmyst_heading_slug_func = f", true, false},
		{"eleventy.config.js", "", true, false},
	} {
		g, _ := site.GeneratorIn(folderOf(map[string]string{test.name: test.config}))
		if g.Dialect.OtherIDs != test.other || g.Dialect.OnlyOwnID != test.own {
			t.Errorf("with %s %q: %+v, want OtherIDs %v, OnlyOwnID %v", test.name, test.config, g.Dialect, test.other, test.own)
		}
	}
}

// The folder with the pages is the one that the configuration names.
func TestPagesOfConfiguration(t *testing.T) {
	for _, test := range []struct{ name, config, file string }{
		{"mkdocs.yml", "", "docs/a.md"},
		{"mkdocs.yml", "docs_dir: manual", "manual/a.md"},
		{"mkdocs.yml", "docs_dir: 'manual/en' # the pages", "manual/en/a.md"},
		{"mkdocs.yml", "# docs_dir: manual", "docs/a.md"},
		{"mkdocs.yml", "docs_dir: документы\r\n", "%D0%B4%D0%BE%D0%BA%D1%83%D0%BC%D0%B5%D0%BD%D1%82%D1%8B/a.md"},
		{"mkdocs.yml", "\ufeffdocs_dir: manual", "manual/a.md"},
		{"book.toml", "[book]\nsrc = \"text\"\n", "text/a.md"},
		{"hugo.json", `{"contentDir": "pages"}`, "pages/a.md"},
		{"hugo.toml", "[languages.en]\ncontentDir = 'content/en'\n[languages.de]\ncontentDir = 'content/de'", "content/de/a.md"},
		{".vitepress/config.js", "export default { srcDir: './src', title: 'x' }", "src/a.md"},
		{".vitepress/config.js", "export default {\n  srcDir: process.cwd(),\n}", "any/a.md"},
	} {
		p := projectOf(t, map[string]string{test.name: test.config})
		if !p.Reads(url.MustParse("file:///r/"+test.file)) || test.file != "any/a.md" && p.Reads(url.MustParse("file:///r/other/a.md")) {
			t.Errorf("with %s %q, the pages are not only in the folder of %s", test.name, test.config, test.file)
		}
	}
}
