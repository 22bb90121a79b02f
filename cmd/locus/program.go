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
		Verbs: []*cli.Verb{
			parse.Verb(), text.Resolve(), text.Relative(), text.Normalize(), text.Equal(), edit.Verb(), compare.Verb(),
			get.Verb(), mirror.Verb(), open.Verb(), list.Ls(), list.Stat(), put.Verb(),
			appendto.Verb(), cp.Verb(), upload.Rm(), upload.Mkdir(),
			compose.Verb(), send.Verb(),
			extract.Verb(), check.Verb(),
			schemes.Verb(), version.Verb(), demo.Verb(), serve.Verb(), handlers.Verb(),
		},
		FirstSteps: firstSteps,
		Version:    version.Write,
	}
	p.Verbs = append(p.Verbs, p.Help(cli.Spec), p.Completion())
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
