package site

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"locus/extract/document/dialect"
	"locus/internal/lazy"
)

// A Generator is a program that makes a site of the files below a folder, or a host that shows these files. The zero
// Generator means that none is known.
type Generator struct {
	Name    string          // such as "Hugo"
	Config  string          // the name of the file or folder that configures it
	IsHost  bool            // it shows the files themselves, and makes no further pages
	Dialect dialect.Dialect // how it reads the files

	places
}

// places are the places in the folder of a generator. Names are relative to that folder, and several names are separated
// by spaces.
type places struct {
	pages    string // the folders with the sources of pages: "." is the whole folder, and "*" every folder in it
	key      string // the key of the configuration whose value replaces pages
	static   string // the folders whose files are published at the root of the site
	aliases  string // the beginnings of links that stand for a folder, such as @/=content
	isStrict bool   // the generator fails if a page to which a link leads is missing
	isClosed bool   // the generator fails if another file to which a link leads is missing
}

// Makes reports whether the generator may make pages and files that are not among its sources.
func (g Generator) Makes() bool { return g.Config != "" && !g.IsHost }

// A recognition says how a generator is recognised, and how it reads the files.
type recognition struct {
	name    string
	configs string          // patterns (package path) for the names of its configuration
	word    string          // if not "", the configuration has this word
	beside  string          // if not "", this file or folder is beside the configuration
	isHost  bool            // see Generator
	dialect dialect.Dialect // see Generator
	places
	math string // words of the configuration, any of which makes dollars math
	wiki string // words of the configuration, any of which makes [[…]] a link
	own  string // words of the configuration, any of which sets OnlyOwnID
	ids  string // words of the configuration, any of which sets OtherIDs
	lax  string // words of the configuration, any of which makes the generator accept missing pages
}

// hugoInserts are the marks of Hugo's shortcodes, except the ones that make no headings.
const hugoInserts = "{{<|{{%|!{{< ref |!{{< relref |!{{% ref |!{{% relref |!{{< highlight |!{{< /highlight |!{{< figure "

// remark are words of the configurations in which the packages of remark render math.
const remark = "remark-math remarkMath"

// recognitions lists the generators. The first one that fits a folder counts, so a name that several generators use
// comes later than the names that tell them apart.
//
// The traits follow the documentation of each generator, with its default settings. doc/check-sources.md has them for
// users.
var recognitions = []recognition{
	{
		name: "Zola", configs: "zola.toml config.toml", word: "base_url", beside: "content",
		dialect: dialect.Dialect{Naming: dialect.Zola, OnlyOwnID: true, Math: dialect.NoMath, Inserts: "{{|{%"},
		places:  places{pages: "content", static: "static", aliases: "@/=content"}, ids: "slugify",
	},
	{
		name: "Hugo", configs: "hugo.toml hugo.yaml hugo.yml hugo.json config/_default",
		dialect: dialect.Dialect{Naming: dialect.Hugo, OnlyOwnID: true, Math: dialect.NoMath, Shortcodes: true, Inserts: hugoInserts}, math: "passthrough",
		places: places{pages: "content", key: "contentDir", static: "static assets"}, ids: "autoHeadingID",
	},
	{
		name: "Hugo", configs: "config.toml config.yaml config.yml config.json", beside: "content",
		dialect: dialect.Dialect{Naming: dialect.Hugo, OnlyOwnID: true, Math: dialect.NoMath, Shortcodes: true, Inserts: hugoInserts}, math: "passthrough",
		places: places{pages: "content", key: "contentDir", static: "static assets"}, ids: "autoHeadingID",
	},
	{
		name: "mdBook", configs: "book.toml",
		dialect: dialect.Dialect{Naming: dialect.MDBook, OnlyOwnID: true, Math: dialect.NoMath, Inserts: "{{#"}, math: "katex",
		places: places{pages: "src", key: "src"},
	},
	{
		name: "Docusaurus", configs: "docusaurus.config.*",
		dialect: dialect.Dialect{Naming: dialect.Slugger, OnlyOwnID: true, Math: dialect.NoMath, Inserts: ".mdx'|.mdx\"|.md'|.md\""}, math: remark,
		places: places{pages: "docs src/pages *", static: "static", aliases: "@site/=."},
	},
	{
		name: "VitePress", configs: ".vitepress",
		dialect: dialect.Dialect{Naming: dialect.VitePress, OnlyOwnID: true, Math: dialect.NoMath, Inserts: "<!--@include|<!-- @include"}, math: "math katex",
		places: places{pages: ".", key: "srcDir", static: "public", isStrict: true}, lax: "ignoreDeadLinks rewrites", ids: "slugify",
	},
	{
		name: "VuePress", configs: ".vuepress",
		dialect: dialect.Dialect{Naming: dialect.VitePress, Math: dialect.NoMath, Inserts: "@include|@snippet"}, math: "math katex",
		places: places{pages: ".", static: ".vuepress/public"}, ids: "slugify",
	},
	{
		name: "MkDocs", configs: "mkdocs.yml mkdocs.yaml",
		dialect: dialect.Dialect{Naming: dialect.MkDocs, Math: dialect.NoMath, IndentedText: true, Inserts: "--8<--|{%|::: "},
		places:  places{pages: "docs", key: "docs_dir"},
		math:    "arithmatex mdx_math katex", wiki: "roamlinks ezlinks wikilinks", own: "attr_list extra", ids: "slugify",
	},
	{
		name: "Quarto", configs: "_quarto.yml _quarto.yaml",
		dialect: dialect.Dialect{Naming: dialect.Pandoc, OnlyOwnID: true, Shortcodes: true, Inserts: "{{< include"},
		places:  places{pages: "."}, ids: "identifiers id-prefix",
	},
	{
		name: "R Markdown", configs: "_bookdown.yml _site.yml _output.yml",
		dialect: dialect.Dialect{Naming: dialect.Pandoc, OnlyOwnID: true, Inserts: "child=|child =|asis"},
		places:  places{pages: "."},
	},
	{
		name: "Sphinx", configs: "conf.py", word: "myst",
		dialect: dialect.Dialect{Naming: dialect.MyST, Math: dialect.NoMath, Directives: true, Inserts: "{include}|{eval-rst}|{auto"}, math: "dollarmath myst_nb",
		places: places{pages: "."}, ids: "slug_func",
	},
	{name: "Sphinx", configs: "conf.py", dialect: dialect.Dialect{Naming: dialect.Docutils}, places: places{pages: "."}},
	{
		name: "Jupyter Book", configs: "_config.yml _config.yaml", beside: "_toc.yml",
		dialect: dialect.Dialect{Naming: dialect.MyST, Directives: true, Inserts: "{include}|{eval-rst}|{auto"},
		places:  places{pages: "."},
	},
	{name: "Jupyter Book", configs: "myst.yml", dialect: dialect.Dialect{Naming: dialect.MyST, Directives: true, Inserts: "{include}|{eval-rst}|{auto"}, places: places{pages: "."}},
	{name: "Antora", configs: "antora.yml", dialect: dialect.Dialect{ResourceIDs: true}, places: places{pages: "modules", isClosed: true}},
	{
		name: "Astro", configs: "astro.config.*",
		dialect: dialect.Dialect{Naming: dialect.Slugger, Math: dialect.NoMath, Inserts: ".mdx'|.mdx\"|.md'|.md\""}, math: remark,
		places: places{pages: "src/pages src/content src/content/docs *", static: "public"},
	},
	{
		name: "Nuxt", configs: "nuxt.config.*",
		dialect: dialect.Dialect{Naming: dialect.Slugger, Math: dialect.NoMath, Inserts: "\n::"}, math: remark,
		places: places{pages: "pages app/pages content *", static: "public"},
	},
	{
		name: "Next", configs: "next.config.*",
		dialect: dialect.Dialect{Naming: dialect.Slugger, OtherIDs: true, Math: dialect.NoMath, Inserts: ".mdx'|.mdx\"|.md'|.md\""}, math: remark,
		places: places{pages: "pages app src/pages src/app content *", static: "public"},
	},
	{
		name: "Gatsby", configs: "gatsby-config gatsby-config.*",
		dialect: dialect.Dialect{Naming: dialect.Slugger, Math: dialect.NoMath, Inserts: ".mdx'|.mdx\"|.md'|.md\""}, math: "katex",
		places: places{pages: "src/pages content *", static: "static"},
	},
	{name: "Eleventy", configs: ".eleventy.js eleventy.config.*", dialect: dialect.Dialect{OtherIDs: true, Liquid: true, Inserts: "{%"}, places: places{pages: "."}},
	{
		name: "Pelican", configs: "pelicanconf.py", dialect: dialect.Dialect{Naming: dialect.MkDocs, OnlyOwnID: true},
		places: places{pages: "content"},
	},
	{name: "Quartz", configs: "quartz.config.*", dialect: dialect.Dialect{Naming: dialect.Slugger, WikiLinks: true}, places: places{pages: "content *"}},
	{
		name: "Jekyll", configs: "_config.yml _config.yaml",
		dialect: dialect.Dialect{Naming: dialect.Kramdown, OnlyOwnID: true, Math: dialect.DoubleMath, Liquid: true, Kramdown: true, Inserts: "{% include|{%- include|{{ content|{% for"},
		places:  places{pages: "."},
		wiki:    "wikilinks", ids: "auto_id commonmark CommonMark transliterated",
	},

	{name: "Obsidian", configs: ".obsidian", isHost: true, dialect: dialect.Dialect{WikiLinks: true}},
	{name: "Foam", configs: ".foam", isHost: true, dialect: dialect.Dialect{WikiLinks: true}},
	{name: "Gollum", configs: ".gollum _Sidebar.md _Footer.md", isHost: true, dialect: dialect.Dialect{WikiLinks: true}},
	{name: "GitHub", configs: ".github", isHost: true},
	{name: "GitLab", configs: ".gitlab-ci.yml .gitlab", isHost: true, dialect: dialect.Dialect{Naming: dialect.GitLab}},
	{name: "Bitbucket", configs: "bitbucket-pipelines.yml", isHost: true, dialect: dialect.Dialect{Naming: dialect.Bitbucket, Math: dialect.NoMath}},
}

// GeneratorIn returns the generator that a folder configures, and the host that shows the files which the generator does
// not read. Each is the zero Generator if the folder has no configuration that it knows.
func GeneratorIn(folder fs.FS) (generator, host Generator) {
	var names []string
	entries, _ := fs.ReadDir(folder, ".")
	for _, e := range entries {
		if mayConfigure(e.Name()) {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 { // as in most folders
		return Generator{}, Generator{}
	}
	for _, r := range recognitions {
		found := &generator
		if r.isHost {
			found = &host
		}
		if i := slices.IndexFunc(names, func(name string) bool { return found.Config == "" && r.fits(folder, name) }); i >= 0 {
			*found = r.generator(folder, names[i])
		}
	}
	return generator, host
}

// configStems has the names of all configurations, without "/" and the text after it, and without ".*".
var configStems = lazy.Value[map[string]bool]{Make: func() map[string]bool {
	stems := map[string]bool{}
	for _, r := range recognitions {
		for pattern := range strings.FieldsSeq(r.configs) {
			pattern, _, _ = strings.Cut(pattern, "/")
			stems[strings.TrimSuffix(pattern, ".*")] = true
		}
	}
	return stems
}}

// mayConfigure reports whether an entry of a folder may be a configuration. It is quick, because a folder may have
// many entries.
func mayConfigure(name string) bool {
	stems := configStems.Get()
	return stems[name] || stems[strings.TrimSuffix(name, path.Ext(name))]
}

// fits reports whether the entry of a folder configures the generator.
func (r recognition) fits(folder fs.FS, name string) bool {
	isConfig := slices.ContainsFunc(strings.Fields(r.configs), func(pattern string) bool {
		pattern, below, isDeep := strings.Cut(pattern, "/")
		isMatch, _ := path.Match(pattern, name)
		return isMatch && (!isDeep || has(folder, path.Join(name, below)))
	})
	return isConfig && (r.beside == "" || has(folder, r.beside)) && (r.word == "" || hasWord(configText(folder, name), r.word))
}

// generator returns the generator that a file or a folder configures.
func (r recognition) generator(folder fs.FS, config string) Generator {
	g := Generator{Name: r.name, Config: config, IsHost: r.isHost, Dialect: r.dialect, places: r.places}
	if r.math+r.wiki+r.own+r.ids+r.lax+r.key == "" {
		return g
	}
	text := configText(folder, config)
	if hasWord(text, r.math) {
		g.Dialect.Math = dialect.DollarMath
	}
	g.Dialect.WikiLinks = g.Dialect.WikiLinks || hasWord(text, r.wiki)
	g.isStrict = g.isStrict && !hasWord(text, r.lax)
	g.Dialect.OnlyOwnID = g.Dialect.OnlyOwnID || hasWord(text, r.own)
	g.Dialect.OtherIDs = g.Dialect.OtherIDs || hasWord(text, r.ids)
	if values := valuesOf(text, r.key); len(values) > 0 {
		g.pages = strings.Join(values, " ")
	}
	return g
}

// setting matches a line of YAML, TOML or JavaScript that sets a key to a path without blanks.
var setting = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[\s{]*["']?(\w+)["']?\s*[:=]\s*["']?(?:\./)?([^\s"',#]+)["',]?`)
}}

// valuesOf returns the paths to which a configuration sets a key, which may be several for several languages.
func valuesOf(text []byte, key string) (values []string) {
	if key == "" {
		return nil
	}
	for _, m := range setting.Get().FindAllSubmatch(text, -1) {
		if string(m[1]) == key {
			values = append(values, path.Clean(string(m[2])))
		}
	}
	return values
}

// has reports whether a folder has a file or a folder.
func has(folder fs.FS, name string) bool {
	_, err := fs.Stat(folder, name)
	return err == nil
}

// maxConfig is how many bytes of a configuration are read.
const maxConfig = 1 << 20

// configText returns the text of a configuration. For a folder, such as .vitepress, it is the text of the file config
// in that folder. It is nil if the configuration cannot be read.
func configText(folder fs.FS, name string) []byte {
	info, err := fs.Stat(folder, name)
	switch {
	case err != nil:
		return nil
	case info.IsDir():
		for _, pattern := range []string{"/config.*", "/config/index.*"} {
			if names, _ := fs.Glob(folder, name+pattern); len(names) > 0 {
				return configText(folder, names[0])
			}
		}
		return nil
	case info.Size() > maxConfig:
		return nil
	}
	text, _ := fs.ReadFile(folder, name)
	return text
}

// hasWord reports whether a text contains one of several words.
func hasWord(text []byte, words string) bool {
	return slices.ContainsFunc(strings.Fields(words), func(word string) bool { return bytes.Contains(text, []byte(word)) })
}
