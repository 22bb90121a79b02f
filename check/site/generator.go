package site

import (
	"bytes"
	"io/fs"
	"path"
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
	math    string          // words of the configuration, any of which makes dollars math
	wiki    string          // words of the configuration, any of which makes [[…]] a link
}

// recognitions lists the generators. The first one that fits a folder counts, so a name that several generators use
// comes later than the names that tell them apart. Hosts come last.
//
// The traits follow the documentation of each generator, with its default settings.
var recognitions = []recognition{
	{
		name: "Zola", configs: "zola.toml config.toml", word: "base_url", beside: "content",
		dialect: dialect.Dialect{Naming: dialect.Zola, OnlyOwnID: true, Math: dialect.NoMath},
	},
	{
		name: "Hugo", configs: "hugo.toml hugo.yaml hugo.yml hugo.json config/_default",
		dialect: dialect.Dialect{Naming: dialect.Hugo, OnlyOwnID: true, Math: dialect.NoMath, Shortcodes: true}, math: "passthrough",
	},
	{
		name: "Hugo", configs: "config.toml config.yaml config.yml config.json", beside: "content",
		dialect: dialect.Dialect{Naming: dialect.Hugo, OnlyOwnID: true, Math: dialect.NoMath, Shortcodes: true}, math: "passthrough",
	},
	{
		name: "mdBook", configs: "book.toml",
		dialect: dialect.Dialect{Naming: dialect.MDBook, OnlyOwnID: true, Math: dialect.NoMath}, math: "katex",
	},
	{
		name: "Docusaurus", configs: "docusaurus.config.*",
		dialect: dialect.Dialect{Naming: dialect.Slugger, OnlyOwnID: true, Math: dialect.NoMath}, math: "remark-math remarkMath",
	},
	{
		name: "VitePress", configs: ".vitepress",
		dialect: dialect.Dialect{Naming: dialect.VitePress, OnlyOwnID: true, Math: dialect.NoMath}, math: "math katex",
	},
	{
		name: "VuePress", configs: ".vuepress",
		dialect: dialect.Dialect{Naming: dialect.VitePress, OnlyOwnID: true, Math: dialect.NoMath}, math: "math katex",
	},
	{
		name: "MkDocs", configs: "mkdocs.yml mkdocs.yaml",
		dialect: dialect.Dialect{Naming: dialect.MkDocs, OnlyOwnID: true, Math: dialect.NoMath, IndentedText: true},
		math:    "arithmatex mdx_math katex", wiki: "roamlinks ezlinks wikilinks",
	},
	{
		name: "Quarto", configs: "_quarto.yml _quarto.yaml",
		dialect: dialect.Dialect{Naming: dialect.Pandoc, OnlyOwnID: true, Shortcodes: true},
	},
	{
		name: "R Markdown", configs: "_bookdown.yml _site.yml _output.yml",
		dialect: dialect.Dialect{Naming: dialect.Pandoc, OnlyOwnID: true},
	},
	{
		name: "Sphinx", configs: "conf.py", word: "myst",
		dialect: dialect.Dialect{Naming: dialect.MyST, Math: dialect.NoMath, Directives: true}, math: "dollarmath myst_nb",
	},
	{name: "Sphinx", configs: "conf.py", dialect: dialect.Dialect{Naming: dialect.Docutils}},
	{
		name: "Jupyter Book", configs: "_config.yml _config.yaml", beside: "_toc.yml",
		dialect: dialect.Dialect{Naming: dialect.MyST, Directives: true},
	},
	{name: "Jupyter Book", configs: "myst.yml", dialect: dialect.Dialect{Naming: dialect.MyST, Directives: true}},
	{name: "Antora", configs: "antora.yml", dialect: dialect.Dialect{ResourceIDs: true}},
	{
		name: "Astro", configs: "astro.config.*",
		dialect: dialect.Dialect{Naming: dialect.Slugger, Math: dialect.NoMath}, math: "remark-math remarkMath",
	},
	{
		name: "Nuxt", configs: "nuxt.config.*",
		dialect: dialect.Dialect{Naming: dialect.Slugger, Math: dialect.NoMath}, math: "remark-math remarkMath",
	},
	{
		name: "Next", configs: "next.config.*",
		dialect: dialect.Dialect{Naming: dialect.Slugger, Math: dialect.NoMath}, math: "remark-math remarkMath",
	},
	{name: "Gatsby", configs: "gatsby-config gatsby-config.*", dialect: dialect.Dialect{Naming: dialect.Slugger, Math: dialect.NoMath}, math: "katex"},
	{name: "Eleventy", configs: ".eleventy.js eleventy.config.*", dialect: dialect.Dialect{Liquid: true}},
	{name: "Pelican", configs: "pelicanconf.py", dialect: dialect.Dialect{Naming: dialect.MkDocs, OnlyOwnID: true}},
	{
		name: "Jekyll", configs: "_config.yml _config.yaml",
		dialect: dialect.Dialect{Naming: dialect.Kramdown, OnlyOwnID: true, Math: dialect.DoubleMath, Liquid: true, Kramdown: true},
		wiki:    "wikilinks",
	},
	{name: "Obsidian", configs: ".obsidian", isHost: true, dialect: dialect.Dialect{WikiLinks: true}},
	{name: "Foam", configs: ".foam", isHost: true, dialect: dialect.Dialect{WikiLinks: true}},
	{name: "Quartz", configs: "quartz.config.*", dialect: dialect.Dialect{Naming: dialect.Slugger, WikiLinks: true}},
	{name: "Gollum", configs: ".gollum _Sidebar.md _Footer.md", isHost: true, dialect: dialect.Dialect{WikiLinks: true}},
	{name: "GitHub", configs: ".github", isHost: true},
	{name: "GitLab", configs: ".gitlab-ci.yml .gitlab", isHost: true, dialect: dialect.Dialect{Naming: dialect.GitLab}},
	{name: "Bitbucket", configs: "bitbucket-pipelines.yml", isHost: true, dialect: dialect.Dialect{Naming: dialect.Bitbucket, Math: dialect.NoMath}},
}

// GeneratorIn returns the generator that a folder configures. It returns the zero Generator if the folder has no
// configuration that it knows.
func GeneratorIn(folder fs.FS) Generator {
	var names []string
	entries, _ := fs.ReadDir(folder, ".")
	for _, e := range entries {
		if mayConfigure(e.Name()) {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 { // as in most folders
		return Generator{}
	}
	for _, r := range recognitions {
		for _, name := range names {
			if r.fits(folder, name) {
				return r.generator(folder, name)
			}
		}
	}
	return Generator{}
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
	g := Generator{Name: r.name, Config: config, IsHost: r.isHost, Dialect: r.dialect}
	if r.math == "" && r.wiki == "" {
		return g
	}
	text := configText(folder, config)
	if hasWord(text, r.math) {
		g.Dialect.Math = dialect.DollarMath
	}
	if hasWord(text, r.wiki) {
		g.Dialect.WikiLinks = true
	}
	return g
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
		names, _ := fs.Glob(folder, name+"/config.*")
		if len(names) == 0 {
			return nil
		}
		return configText(folder, names[0])
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
