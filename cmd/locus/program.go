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

// The tasks of the verbs, as titles in the help. The most wanted ones come first.
const (
	openAndFetch = "open and fetch"
	sendAndCopy  = "send and copy"
	findLinks    = "find and check links"
	understand   = "understand URLs"
	serving      = "serve"
	itself       = "this program"
)

// program returns the whole command, with all verbs.
func program() *cli.Program {
	p := &cli.Program{
		Summary:  "understand and open URLs of every scheme",
		Synopsis: "locus VERB [FLAG…] [ARGUMENT…]",
		Description: "Data goes to stdout, everything else to stderr. The exit status is 0 if everything\n" +
			"was done, 1 if something failed or is invalid, 2 if the command was misused. Flags\n" +
			"may stand before or after arguments; -- ends them.",
		Examples: []string{"locus get https://example.org/"},
		Verbs: []cli.Maker{
			{Name: "get", Task: openAndFetch, Make: get.Verb},
			{Name: "open", Task: openAndFetch, Make: open.Verb},
			{Name: "mirror", Task: openAndFetch, Make: mirror.Verb},
			{Name: "ls", Task: openAndFetch, Make: list.Ls},
			{Name: "stat", Task: openAndFetch, Make: list.Stat},
			{Name: "put", Task: sendAndCopy, Make: put.Verb},
			{Name: "append", Task: sendAndCopy, Make: appendto.Verb},
			{Name: "cp", Task: sendAndCopy, Make: cp.Verb},
			{Name: "rm", Task: sendAndCopy, Make: upload.Rm},
			{Name: "mkdir", Task: sendAndCopy, Make: upload.Mkdir},
			{Name: "compose", Task: sendAndCopy, Make: compose.Verb},
			{Name: "send", Task: sendAndCopy, Make: send.Verb},
			{Name: "check", Task: findLinks, Make: check.Verb},
			{Name: "extract", Task: findLinks, Make: extract.Verb},
			{Name: "parse", Task: understand, Make: parse.Verb},
			{Name: "compare", Task: understand, Make: compare.Verb},
			{Name: "edit", Task: understand, Make: edit.Verb},
			{Name: "normalize", Task: understand, Make: text.Normalize},
			{Name: "resolve", Task: understand, Make: text.Resolve},
			{Name: "relative", Task: understand, Make: text.Relative},
			{Name: "equal", Task: understand, Make: text.Equal},
			{Name: "schemes", Task: understand, Make: schemes.Verb},
			{Name: "serve", Task: serving, Make: serve.Verb},
			{Name: "demo", Task: serving, Make: demo.Verb},
			{Name: "install-handlers", Task: serving, Make: handlers.Verb},
			{Name: "version", Task: itself, Make: version.Verb},
		},
		FirstSteps: firstSteps,
		URLStarts:  cli.URLStarts,
		Version:    version.Write,
	}
	p.Verbs = append(p.Verbs,
		cli.Maker{Name: "help", Task: itself, Make: func() *cli.Verb { return p.Help(cli.Spec) }},
		cli.Maker{Name: "completion", Task: itself, Make: p.Completion})
	return p
}

// firstSteps is the text that locus writes if the user names no verb.
const firstSteps = `five things to do with locus:
   locus get URL             fetch what a URL names
   locus open HOST           open a site, or a telnet session
   locus mirror URL DIR      copy everything below a URL into a folder
   locus check FILE          find dead links in a file, folder or site
   locus serve               open URLs of every scheme in the browser
`
