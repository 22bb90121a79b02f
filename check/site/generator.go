package site

import (
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

	places
}

// places names the folders in which a generator looks for pages and files. Names are relative to the folder of the
// configuration, and several names are separated by spaces.
type places struct {
	pages    string // the folders with the sources of pages: "." is the whole folder, and "*" every folder in it
	key      string // the key of the configuration whose value replaces pages
	static   string // the folders whose files are published at the root of the site
	aliases  string // the beginnings of links that stand for a folder, such as @/=content
	isStrict bool   // the generator fails if a page to which a link leads is missing
	isClosed bool   // the generator fails if another file to which a link leads is missing

	addsDocuments bool // the generator may add documents without a source, which roles can name
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
	mdx  string // the key of the configuration that says which files are MDX; detect and md mean that .md is not
	lax  string // words of the configuration, any of which makes the generator accept missing pages
	adds string // words of the configuration, any of which sets addsDocuments
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

// mayConfigure reports whether an entry of a folder may be a configuration, by its name alone. It is quick, because a
// folder may have many entries.
func mayConfigure(name string) bool {
	stems := configStems.Get()
	return stems[name] || stems[strings.TrimSuffix(name, path.Ext(name))]
}

// fits reports whether the named entry of a folder is a configuration of the generator, by the names, the word and the
// neighbour that r demands.
func (r recognition) fits(folder fs.FS, name string) bool {
	isConfig := slices.ContainsFunc(strings.Fields(r.configs), func(pattern string) bool {
		pattern, below, isDeep := strings.Cut(pattern, "/")
		isMatch, _ := path.Match(pattern, name)
		return isMatch && (!isDeep || exists(folder, path.Join(name, below)))
	})
	return isConfig && (r.beside == "" || exists(folder, r.beside)) && (r.word == "" || hasWord(configText(folder, name), r.word))
}

// generator returns the generator that the entry config of a folder configures. It reads the settings that r asks for.
func (r recognition) generator(folder fs.FS, config string) Generator {
	g := Generator{Name: r.name, Config: config, IsHost: r.isHost, Dialect: r.dialect, places: r.places}
	if r.math+r.wiki+r.own+r.ids+r.lax+r.adds+r.mdx+r.key == "" {
		return g
	}
	text := configText(folder, config)
	if hasWord(text, r.math) {
		g.Dialect.Math = dialect.DollarMath
	}
	g.Dialect.WikiLinks = g.Dialect.WikiLinks || hasWord(text, r.wiki)
	g.isStrict = g.isStrict && !hasWord(text, r.lax)
	g.addsDocuments = hasWord(text, r.adds)
	g.Dialect.OnlyOwnID = g.Dialect.OnlyOwnID || hasWord(text, r.own)
	g.Dialect.OtherIDs = g.Dialect.OtherIDs || hasWord(text, r.ids)
	if slices.ContainsFunc(valuesOf(text, r.mdx), func(format string) bool { return format == "detect" || format == "md" }) {
		g.Dialect.IsMDX = false
	}
	if values := valuesOf(text, r.key); len(values) > 0 {
		g.pages = strings.Join(values, " ")
	}
	return g
}
