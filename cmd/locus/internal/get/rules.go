package get

import (
	"slices"
	"strings"

	"locus/cmd/locus/internal/cli"
)

// rules returns the rules for flags that need other flags, or exclude them. They apply to files, folders and stdout.
func rules() []cli.Rule {
	tree := cli.FlagNames[cli.Tree]()
	return []cli.Rule{
		{Flags: tree + " output remote-name recursive sha256 checksum-file input offset search answer raw charset", Excludes: "metalink", Text: "%s cannot be combined with --metalink"},
		{Flags: "output", Excludes: "remote-name", Text: "-o and -O cannot be combined"},
		{Flags: "output remote-name", Excludes: "recursive", Text: "-r makes a folder, so use --output-dir instead of -o or -O"},
		{Flags: "output", Excludes: "output-dir", Text: "-o and --output-dir cannot be combined"},
		{Flags: "sha256", Excludes: "checksum-file"},
		{Flags: "sha256 checksum-file", Excludes: "recursive", Text: "digests cannot be checked with -r"},
		{Flags: "raw offset continue sha256 checksum-file split recursive", Excludes: "marcxml", Text: "%s cannot be combined with --marcxml"},
		{Flags: "offset search answer raw charset", Excludes: "recursive", Text: "%s cannot be combined with -r"},
		{Flags: tree, Needs: "recursive", Text: "%s needs -r"},
	}
}

// fileRules returns the rules for flags that are refused if get writes to files. They allow --raw if FTP may send a
// file as text, because only the line ends of such a file depend on --raw.
func (o Options) fileRules() []cli.Rule {
	rules := []cli.Rule{{Flags: "charset", Text: "--charset works only on a terminal, because files keep their bytes"}}
	isText := func(arg string) bool { return strings.Contains(strings.ToLower(arg), ";type=a") }
	if o.Given["input"] || slices.ContainsFunc(o.URLs, isText) {
		return rules
	}
	return append(rules, cli.Rule{Flags: "raw", Text: "--raw works only on a terminal, because files always keep their bytes, except FTP texts (;type=a)"})
}

// stdoutRules returns the rules for flags that are refused if get writes to stdout, because they only matter for
// files.
func stdoutRules() []cli.Rule {
	return []cli.Rule{{
		Flags: "json continue sha256 checksum-file split jobs sync",
		Text:  "%s works only for files", Hint: "to write files, use -o FILE, -O or --output-dir DIR",
	}}
}

// check returns a UsageError for flags and arguments that do not go together.
func (o Options) check() error {
	if err := o.Given.Check(rules()...); err != nil {
		return err
	}
	if o.Given["metalink"] {
		return o.checkMetalink()
	}
	if err := o.checkURLs(); err != nil || o.Recursive {
		return err
	}
	if o.hasRemoteNames() || o.Given["output"] && o.Output != "-" {
		return o.Given.Check(o.fileRules()...)
	}
	return o.Given.Check(stdoutRules()...)
}

// checkURLs returns a UsageError if URLs are missing, or if there are several URLs for the one file of --output.
func (o Options) checkURLs() error {
	has := o.Given
	switch {
	case has["output"] && o.Output == "":
		return cli.Misuse("-o needs the name of a file")
	case has["output"] && o.Output != "-" && (len(o.URLs) > 1 || has["input"]):
		return &cli.UsageError{Text: "-o FILE takes only one URL", Hint: "to save each URL in a file of its own, use -O"}
	case len(o.URLs) == 0 && !has["input"]:
		return &cli.UsageError{Text: "get needs more arguments: URL…", Hint: "locus help get"}
	}
	return nil
}

// checkMetalink returns a UsageError if the value of --metalink is empty, or if there are URLs as well.
func (o Options) checkMetalink() error {
	switch {
	case len(o.URLs) > 0:
		return cli.Misuse("--metalink takes no URL, because the Metalink contains the URLs")
	case o.Metalink == "":
		return cli.Misuse("--metalink needs a file or a URL")
	}
	return nil
}

// hasRemoteNames reports whether the name of each file comes from its URL.
func (o Options) hasRemoteNames() bool { return o.RemoteName || o.Given["output-dir"] }
