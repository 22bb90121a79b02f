package main

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/urfave/cli/v3"

	"locus/url"
)

// command returns the whole command. The urfave help command is left out: it
// would take the URL "h" for itself.
func (p *process) command() *cli.Command {
	root := &cli.Command{
		Name:  "locus",
		Usage: "understand and open URLs of every scheme",
		Description: "Data goes to stdout, everything else to stderr. The exit status is 0 if everything\n" +
			"was done, 1 if something failed or is invalid, 2 if the command was misused. Flags\n" +
			"may stand before or after arguments; -- ends them.",
		UsageText:       "locus VERB [FLAG…] [ARGUMENT…]",
		Metadata:        example("locus parse 'ftp://ftp.example.org/%2Fetc/motd;type=a'"),
		Writer:          p.out,
		ErrWriter:       p.stderr,
		HideHelpCommand: true,
		HideVersion:     true,
		ExitErrHandler:  func(context.Context, *cli.Command, error) {},
		Flags:           flags("version"),
		Action:          p.noVerb,
		Commands: []*cli.Command{
			p.parseCommand(), p.resolveCommand(), p.relativeCommand(), p.normalizeCommand(),
			p.equalCommand(), p.editCommand(), p.compareCommand(),
			p.getCommand(), p.mirrorCommand(), p.openCommand(), p.lsCommand(), p.statCommand(), p.putCommand(),
			p.appendCommand(), p.cpCommand(), p.rmCommand(), p.mkdirCommand(),
			p.composeCommand(), p.sendCommand(),
			p.extractCommand(), p.checkCommand(),
			p.schemesCommand(), p.versionCommand(), p.demoCommand(), p.serveCommand(), p.installHandlersCommand(),
			p.helpCommand(), p.completionCommand(),
		},
	}
	prepare(root)
	for _, verb := range root.Commands {
		verb.Before = p.before
	}
	setHelpPrinter()
	return root
}

// before reads the flags that matter before the action of a verb.
func (p *process) before(ctx context.Context, c *cli.Command) (context.Context, error) {
	p.quiet = c.Bool("quiet")
	return ctx, p.takePassword(c)
}

// setHelpPrinter sets what writes help. The library has no other place for it.
var setHelpPrinter = sync.OnceFunc(func() { cli.HelpPrinter = printHelp })

// prepare gives every command what all have in common.
func prepare(c *cli.Command) {
	c.OnUsageError = func(_ context.Context, c *cli.Command, err error, _ bool) error {
		e := &usageError{text: flagProblem(err), hint: "locus help" + strings.TrimPrefix(c.FullName(), "locus")}
		if name, ok := strings.CutPrefix(e.text, unknownFlag+"--"); ok {
			if meant := nearest(name, flagNames(c)); meant != "" {
				e.hint = "did you mean --" + meant + "? " + e.hint + " lists the flags"
			}
		}
		return e
	}
	c.DisableSliceFlagSeparator = true // a value may hold a comma
	for _, sub := range c.Commands {
		prepare(sub)
	}
}

const unknownFlag = "unknown flag "

func flagNames(c *cli.Command) []string {
	var names []string
	for _, f := range c.VisibleFlags() {
		names = append(names, f.Names()...)
	}
	return names
}

// badValue matches the library's error for a value of the wrong type.
var badValue = regexp.MustCompile(`(?s)^invalid value (".*") for flag -(\S+): (.*)$`)

// flagProblem returns the text of this command for the library's error about a flag.
func flagProblem(err error) string {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		return unknownFlag + dashed(name)
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: "); ok {
		return "the flag " + name + " needs a value"
	}
	if m := badValue.FindStringSubmatch(text); m != nil {
		want := "another value than"
		switch {
		case strings.HasPrefix(m[3], "time: "):
			want = "a duration such as 30s or 5m, not"
		case m[3] == "parse error":
			want = "true or false, not"
		case strings.Contains(m[3], "ParseInt"):
			want = "a number, not"
		}
		return dashed(m[2]) + " wants " + want + " " + m[1]
	}
	return text
}

// dashed returns the name of a flag as it is written.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// noVerb is the action without a verb, or with one that does not exist.
func (p *process) noVerb(ctx context.Context, c *cli.Command) error {
	if c.NArg() == 0 {
		if c.Bool("version") {
			return p.version(ctx, c)
		}
		fmt.Fprint(p.stderr, firstSteps)
		return &usageError{text: "a verb is missing", hint: "locus help lists the verbs, locus help VERB explains one"}
	}
	name := c.Args().First()
	if strings.ContainsAny(name, ":/") { // a URL, perhaps with a password: not shown
		return &usageError{text: "a verb is missing before the URL", hint: "locus get URL fetches it, locus open URL opens it"}
	}
	return unknownVerb(c, name)
}

func unknownVerb(c *cli.Command, name string) error {
	var verbs []string
	for _, verb := range c.Root().Commands {
		verbs = append(verbs, verb.Name)
	}
	err := &usageError{text: "unknown verb " + quote(name), hint: "locus help lists the verbs"}
	if meant := nearest(name, verbs); meant != "" {
		err.hint = "did you mean " + meant + "? " + err.hint
	}
	return err
}

// arguments returns the arguments. There must be at least least of them and, unless
// most is negative, at most most.
func arguments(c *cli.Command, least, most int) ([]string, error) {
	args := c.Args().Slice()
	hint := "locus help " + c.Name
	switch {
	case len(args) < least:
		return nil, &usageError{text: c.Name + " wants more arguments: " + argumentsOf(c.UsageText), hint: hint}
	case most == 0 && len(args) > 0:
		return nil, &usageError{text: c.Name + " takes no arguments", hint: hint}
	case most >= 0 && len(args) > most:
		return nil, &usageError{text: c.Name + " wants fewer arguments: " + argumentsOf(c.UsageText), hint: hint}
	}
	return args, nil
}

// argumentsOf returns the arguments in a usage, without the verb and its flags.
func argumentsOf(usage string) string {
	var words []string
	flag := false
	for _, word := range strings.Fields(usage)[2:] {
		flag = flag || strings.HasPrefix(word, "[-") || strings.HasPrefix(word, "[FLAG")
		if !flag {
			words = append(words, word)
		}
		flag = flag && !strings.HasSuffix(word, "]") && !strings.HasSuffix(word, "]…")
	}
	return strings.Join(words, " ")
}

// rfcStandards are the values of --as of the verbs that read by an RFC. The first is
// the default.
var rfcStandards = []string{"rfc3986", "rfc1738", "rfc1630"}

// allStandards are the values of --as of the verbs that can read as browsers do, too.
var allStandards = []string{"rfc3986", "rfc1738", "rfc1630", "whatwg"}

// standards are the standards that --as names.
var standards = map[string]url.Standard{
	"rfc3986": url.RFC3986, "rfc1738": url.RFC1738, "rfc1630": url.RFC1630,
}

func standard(c *cli.Command) (url.Standard, error) {
	std, ok := standards[standardName(c)]
	if !ok {
		return std, misuse("--as wants one of %s, not %q", strings.Join(valuesOf(c, "as"), ", "), c.String("as"))
	}
	return std, nil
}

// standardName returns the value of --as, or the default.
func standardName(c *cli.Command) string {
	return cmp.Or(c.String("as"), "rfc3986")
}
