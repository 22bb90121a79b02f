package main

import (
	"locus/cmd/locus/internal/appendto"
	"locus/cmd/locus/internal/check"
	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/compare"
	"locus/cmd/locus/internal/compose"
	"locus/cmd/locus/internal/cp"
	"locus/cmd/locus/internal/demo"
	"locus/cmd/locus/internal/edit"
	"locus/cmd/locus/internal/extract"
	"locus/cmd/locus/internal/get"
	"locus/cmd/locus/internal/handlers"
	"locus/cmd/locus/internal/list"
	"locus/cmd/locus/internal/mirror"
	"locus/cmd/locus/internal/open"
	"locus/cmd/locus/internal/parse"
	"locus/cmd/locus/internal/put"
	"locus/cmd/locus/internal/schemes"
	"locus/cmd/locus/internal/send"
	"locus/cmd/locus/internal/serve"
	"locus/cmd/locus/internal/text"
	"locus/cmd/locus/internal/upload"
	"locus/cmd/locus/internal/version"
)

// program returns the whole command.
func program() *cli.Program {
	p := &cli.Program{
		Summary:  "understand and open URLs of every scheme",
		Synopsis: "locus VERB [FLAG…] [ARGUMENT…]",
		Description: "Data goes to stdout, everything else to stderr. The exit status is 0 if everything\n" +
			"was done, 1 if something failed or is invalid, 2 if the command was misused. Flags\n" +
			"may stand before or after arguments; -- ends them.",
		Examples: []string{"locus parse 'ftp://ftp.example.org/%2Fetc/motd;type=a'"},
		Verbs: []cli.Maker{
			{Name: "parse", Make: parse.Verb},
			{Name: "resolve", Make: text.Resolve},
			{Name: "relative", Make: text.Relative},
			{Name: "normalize", Make: text.Normalize},
			{Name: "equal", Make: text.Equal},
			{Name: "edit", Make: edit.Verb},
			{Name: "compare", Make: compare.Verb},
			{Name: "get", Make: get.Verb},
			{Name: "mirror", Make: mirror.Verb},
			{Name: "open", Make: open.Verb},
			{Name: "ls", Make: list.Ls},
			{Name: "stat", Make: list.Stat},
			{Name: "put", Make: put.Verb},
			{Name: "append", Make: appendto.Verb},
			{Name: "cp", Make: cp.Verb},
			{Name: "rm", Make: upload.Rm},
			{Name: "mkdir", Make: upload.Mkdir},
			{Name: "compose", Make: compose.Verb},
			{Name: "send", Make: send.Verb},
			{Name: "extract", Make: extract.Verb},
			{Name: "check", Make: check.Verb},
			{Name: "schemes", Make: schemes.Verb},
			{Name: "version", Make: version.Verb},
			{Name: "demo", Make: demo.Verb},
			{Name: "serve", Make: serve.Verb},
			{Name: "install-handlers", Make: handlers.Verb},
		},
		FirstSteps: firstSteps,
		URLStarts:  cli.URLStarts,
		Version:    version.Write,
	}
	p.Verbs = append(p.Verbs,
		cli.Maker{Name: "help", Make: func() *cli.Verb { return p.Help(cli.Spec) }},
		cli.Maker{Name: "completion", Make: p.Completion})
	return p
}

// firstSteps is what locus says without a verb.
const firstSteps = `five things to do with locus:
   locus get URL             fetch what a URL names
   locus open HOST           open a site, or a telnet session
   locus mirror URL DIR      copy everything below a URL into a folder
   locus check FILE          find dead links in a file, folder or site
   locus serve               open URLs of every scheme in the browser
`
