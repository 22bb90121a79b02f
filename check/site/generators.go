package site

import "locus/extract/document/dialect"

// hugoInserts are the marks of Hugo's shortcodes, except the ones that make no headings.
const hugoInserts = "{{<|{{%|!{{< ref |!{{< relref |!{{% ref |!{{% relref |!{{< highlight |!{{< /highlight |!{{< figure "

// remark are words of the configurations in which the packages of remark render math.
const remark = "remark-math remarkMath"

// documented are words of the configurations with extensions of Sphinx that write documents.
const documented = "autoapi autodoc2 apidoc exhale gallery"

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
		dialect: dialect.Dialect{Naming: dialect.Slugger, OnlyOwnID: true, Math: dialect.NoMath, IsMDX: true, Inserts: ".mdx'|.mdx\"|.md'|.md\""}, math: remark,
		places: places{pages: "docs src/pages *", static: "static", aliases: "@site/=."}, mdx: "format",
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
		places: places{pages: "."}, ids: "slug_func", adds: documented,
	},
	{name: "Sphinx", configs: "conf.py", dialect: dialect.Dialect{Naming: dialect.Docutils}, places: places{pages: "."}, adds: documented},
	{
		name: "Jupyter Book", configs: "_config.yml _config.yaml", beside: "_toc.yml",
		dialect: dialect.Dialect{Naming: dialect.MyST, Directives: true, Inserts: "{include}|{eval-rst}|{auto"},
		places:  places{pages: "."}, adds: documented,
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
	{name: "Quartz", configs: "quartz.config.*", dialect: dialect.Dialect{Naming: dialect.Slugger, WikiLinks: true, PercentComments: true}, places: places{pages: "content *"}},
	{
		name: "Jekyll", configs: "_config.yml _config.yaml",
		dialect: dialect.Dialect{Naming: dialect.Kramdown, OnlyOwnID: true, Math: dialect.DoubleMath, Liquid: true, Kramdown: true, Inserts: "{% include|{%- include|{{ content|{% for"},
		places:  places{pages: "."},
		wiki:    "wikilinks", ids: "auto_id commonmark CommonMark transliterated",
	},

	{name: "Obsidian", configs: ".obsidian", isHost: true, dialect: dialect.Dialect{WikiLinks: true, PercentComments: true}},
	{name: "Foam", configs: ".foam", isHost: true, dialect: dialect.Dialect{WikiLinks: true}},
	{name: "Gollum", configs: ".gollum _Sidebar.md _Footer.md", isHost: true, dialect: dialect.Dialect{WikiLinks: true, TextFirst: true}},
	{name: "GitHub", configs: ".github", isHost: true},
	{name: "GitLab", configs: ".gitlab-ci.yml .gitlab", isHost: true, dialect: dialect.Dialect{Naming: dialect.GitLab}},
	{name: "Bitbucket", configs: "bitbucket-pipelines.yml", isHost: true, dialect: dialect.Dialect{Naming: dialect.Bitbucket, Math: dialect.NoMath}},
}
