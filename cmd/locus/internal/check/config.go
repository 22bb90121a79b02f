package check

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"locus/check"
	"locus/cmd/locus/internal/cli"
)

// configName is the name of the configuration.
const configName = "locus-check.toml"

// A hostTable is a [[host]] of the configuration.
type hostTable struct {
	Name      string            `toml:"name"`
	Headers   map[string]string `toml:"headers"`
	Cookies   map[string]string `toml:"cookies"`
	UserAgent string            `toml:"user-agent"`
	Accept    []int             `toml:"accept"`
	Exclude   []string          `toml:"exclude-url"`
	Rate      float64           `toml:"rate"`
	PerHost   int               `toml:"per-host"`
	Timeout   duration          `toml:"timeout"`
	Retries   *int              `toml:"retries"`
	RetryWait duration          `toml:"retry-wait"`
}

// A duration is written as "30s".
type duration time.Duration

// UnmarshalText parses a duration greater than 0.
func (d *duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil || parsed <= 0 {
		return fmt.Errorf("%q is no duration such as \"30s\"", text)
	}
	*d = duration(parsed)
	return nil
}

// initialConfig is what --init writes.
//
//go:embed initial.toml
var initialConfig string

// writeConfig writes a configuration into the current folder.
func writeConfig(e *cli.Env, o Options) error {
	if len(o.Args) > 0 {
		return cli.Misuse("--init takes no arguments: it writes %s into the current folder", configName)
	}
	f, err := os.OpenFile(e.Path(configName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists, and was not changed", configName)
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(initialConfig)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return e.Line("wrote " + configName)
}

// configure reads the configuration. It sets the flags that were not given, and returns the
// rules for hosts.
func configure(e *cli.Env, o *Options) ([]check.HostRule, error) {
	name, err := findConfig(e, o)
	if err != nil || name == "" {
		return nil, err
	}
	text, err := e.ReadFile(name)
	if err != nil {
		return nil, err
	}
	defaults, hosts, err := parseConfig(text)
	if err != nil {
		return nil, cli.Misuse("%s%v", name, err)
	}
	if !o.Join { // it does what the process that starts the run says
		if err := Verb().SetDefaults(o, o.Given, defaults); err != nil {
			return nil, cli.Misuse("%s: %v", name, err)
		}
	}
	var rules []check.HostRule
	for _, host := range hosts {
		rule, err := host.rule(variables(e, o))
		if errors.Is(err, errNotTrusted) {
			return nil, &cli.UsageError{Text: fmt.Sprintf("%s: host %q: %v", name, host.Name, err), Hint: "--config " + name + " trusts it"}
		}
		if err != nil {
			return nil, cli.Misuse("%s: host %q: %v", name, host.Name, err)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

var errNotTrusted = errors.New("a file that was found cannot read")

// variables returns what looks up a variable of the environment for a configuration. A
// stranger's could send the user's tokens to the stranger's host, so only one that --config
// names gets them.
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

// findConfig returns the name of the configuration; "" if there is none. Without --config
// it is looked for from the first argument upward, to the folder of a Git repository. A
// folder in which everybody may write is left out.
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
	for {
		if info, err := os.Stat(folder); err == nil && info.IsDir() && info.Mode().Perm()&0o002 == 0 {
			name := filepath.Join(folder, configName)
			if _, err := os.Stat(name); err == nil {
				return e.Short(name), nil
			}
		}
		above := filepath.Dir(folder)
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil || above == folder {
			return "", nil
		}
		folder = above
	}
}

// configFlags are the flags that a configuration can set: what is checked, how politely,
// and what fails. A configuration that is found may be a stranger's, so it can write no
// file, and choose no way to the network and no login.
var configFlags = strings.Fields("recursive scope level include exclude no-ignore include-url exclude-url accept " +
	"base root index extension code examples data-attributes jobs per-host rate retries retry-wait timeout idle min-rate " +
	"no-mx all probe fail-on max-age")

// parseConfig parses a configuration: values of flags by their names, and the tables of
// hosts. An error begins with ":LINE: ".
func parseConfig(text []byte) (map[string]any, []hostTable, error) {
	var config struct {
		Host []hostTable `toml:"host"`
	}
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&config)
	if err := configError(err); err != nil {
		return nil, nil, err
	}
	values := make(map[string]any)
	if err := toml.Unmarshal(text, &values); err != nil {
		return nil, nil, configError(err)
	}
	delete(values, "host")
	return values, config.Host, nil
}

// configError returns an error of the decoder with its line, and without the text of the
// configuration, which may have secrets. It is nil if the only unknown keys are flags.
func configError(err error) error {
	if err == nil {
		return nil
	}
	if unknown, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		for _, one := range unknown.Errors {
			if key := one.Key(); len(key) != 1 || !slices.Contains(configFlags, key[0]) {
				line, _ := one.Position()
				return fmt.Errorf(":%d: unknown key %q", line, strings.Join(key, "."))
			}
		}
		return nil
	}
	if wrong, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := wrong.Position()
		return fmt.Errorf(":%d: %s", line, strings.TrimPrefix(wrong.Error(), "toml: "))
	}
	return fmt.Errorf(": %w", err)
}

// rule returns the rule for a host.
func (t hostTable) rule(lookup func(name string) (string, error)) (check.HostRule, error) {
	rule := check.HostRule{
		Host: t.Name, Accept: t.Accept, Exclude: t.Exclude, Rate: t.Rate, PerServer: t.PerHost,
		Timeout: time.Duration(t.Timeout), Wait: time.Duration(t.RetryWait),
	}
	if t.Retries != nil {
		if rule.Retries = *t.Retries; rule.Retries == 0 {
			rule.Retries = -1 // none
		}
	}
	if t.Rate < 0 || t.PerHost < 0 || rule.Retries < -1 {
		return rule, errors.New("a number is less than 0")
	}
	add := func(name, value string) error {
		field, err := check.ExpandField(name, value, lookup)
		rule.Header = append(rule.Header, field)
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(t.Headers)) {
		if err := add(name, t.Headers[name]); err != nil {
			return rule, err
		}
	}
	if t.UserAgent != "" {
		if err := add("User-Agent", t.UserAgent); err != nil {
			return rule, err
		}
	}
	cookies, err := check.Cookies(t.Cookies)
	if err != nil || cookies == "" {
		return rule, err
	}
	return rule, add("Cookie", cookies)
}
