package check

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"locus/check"
	"locus/cmd/locus/internal/checkconfig"
	"locus/cmd/locus/internal/cli"
)

// initialConfig is the configuration that --init writes.
//
//go:embed initial.toml
var initialConfig string

// writeConfig obeys --init: it writes a locus-check.toml with comments into the current folder. It
// returns an error if the file exists.
func writeConfig(e *cli.Env, o Options) error {
	if len(o.Args) > 0 {
		return cli.Misuse("--init takes no arguments: it writes %s into the current folder", checkconfig.Name)
	}
	f, err := os.OpenFile(e.Path(checkconfig.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists, and was not changed", checkconfig.Name)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(initialConfig)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return e.Line("wrote " + checkconfig.Name)
}

// configure reads the configuration, and returns its rules for hosts, or nil if there is no configuration.
// Unless o.Join is set, because a worker gets its flags from the run that it joins, configure also sets the
// flags of o that the configuration has and the command line lacks. hint says which flags it has set; "" if none.
func configure(e *cli.Env, o *Options) (rules []check.HostRule, hint string, err error) {
	name, err := findConfig(e, o)
	if err != nil || name == "" {
		return nil, "", err
	}
	text, err := e.ReadFile(name)
	if err != nil && o.Config != "" {
		return nil, "", fmt.Errorf("--config: %w", err)
	}
	if err != nil {
		return nil, "", err
	}
	defaults, hosts, err := checkconfig.Parse(text, configFlags())
	if unknown, ok := errors.AsType[*checkconfig.UnknownKeyError](err); ok && isFlag(unknown.Key) {
		return nil, "", &cli.UsageError{Text: name + err.Error(), Hint: "--" + unknown.Key + " can only be given on the command line"}
	}
	if err != nil {
		return nil, "", cli.Misuse("%s%v", name, err)
	}
	if !o.Join { // the process that starts the run decides for the worker
		maps.DeleteFunc(defaults, func(flag string, _ any) bool { _, isGiven := o.Given[flag]; return isGiven })
		if err := Verb().SetDefaults(o, o.Given, defaults); err != nil {
			return nil, "", cli.Misuse("%s: %v", name, err)
		}
		if len(defaults) > 0 {
			hint = name + " sets --" + strings.Join(slices.Sorted(maps.Keys(defaults)), ", --")
		}
	}
	for _, host := range hosts {
		rule, err := host.Rule(variables(e, o))
		if errors.Is(err, errNotTrusted) {
			return nil, "", &cli.UsageError{Text: fmt.Sprintf("%s: host %q: %v", name, host.Name, err), Hint: "if you trust this file, use --config " + name}
		}
		if err != nil {
			return nil, "", cli.Misuse("%s: host %q: %v", name, host.Name, err)
		}
		rules = append(rules, rule)
	}
	return rules, hint, nil
}

// isFlag reports whether check has a flag with this long name.
func isFlag(name string) bool {
	return slices.ContainsFunc(Verb().Flags(), func(f cli.Flag) bool { return f.Name == name })
}

var errNotTrusted = errors.New("only a file that --config names may read")

// variables returns a function that looks up an environment variable for a configuration. The
// function returns an error for a variable that is empty or not set. It returns an error for every
// variable unless --config names the configuration, because a configuration that locus has found
// could send the user's tokens to a stranger's host.
func variables(e *cli.Env, o *Options) func(name string) (string, error) {
	return func(name string) (string, error) {
		if o.Config == "" {
			return "", fmt.Errorf("%w %s from the environment", errNotTrusted, name)
		}
		value := e.Getenv(name)
		if value == "" {
			return "", fmt.Errorf("the environment has no variable %s", name)
		}
		return value, nil
	}
}

// findConfig returns the value of --config, or else the name of the nearest locus-check.toml in or
// above the folder of the first argument. If the first argument is a URL, "-" or missing, the
// search begins in the current folder. It returns "" if it does not find a file. It does not look
// whether the file of --config exists.
func findConfig(e *cli.Env, o *Options) (string, error) {
	if o.Config != "" {
		return o.Config, nil
	}
	folder, err := e.Abs(".")
	if err != nil {
		return "", err
	}
	if len(o.Args) > 0 && o.Args[0] != "-" {
		if _, isURL := e.ArgumentURL(o.Args[0]); !isURL {
			if folder, err = e.Abs(o.Args[0]); err != nil {
				return "", err
			}
		}
	}
	if name := checkconfig.Find(folder); name != "" {
		return e.Short(name), nil
	}
	return "", nil
}

// configFlags returns the flags that a configuration can set. They select the links, the pace, and
// the verdicts that fail. A configuration that locus finds may be a stranger's, so it cannot make
// locus write a file, choose a proxy or send a login.
func configFlags() []string {
	return strings.Fields("recursive scope level include exclude no-ignore include-url exclude-url accept " +
		"base root index extension code examples data-attributes jobs per-host rate retries retry-wait timeout idle min-rate " +
		"no-mx all offline probe fail-on max-age")
}
