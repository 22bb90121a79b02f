// Package checkconfig reads the configuration of a check, the file locus-check.toml. It has
// defaults by name, and a table for each host with its own rules:
//
//	exclude-url = ["^https://intranet\\."]
//
//	[[host]]
//	name = "api.example.org"
//	headers = {Authorization = "Bearer ${TOKEN}"}
//	rate = 0.5
package checkconfig

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"locus/check"
)

// Name is the name of the file.
const Name = "locus-check.toml"

// Find returns the name of the nearest configuration, or "" if it does not find one. It looks in
// folder, an absolute path, and in the folders above it up to the root of a Git repository. If
// folder is a file, Find begins in the folder of the file. On Unix it ignores a folder in which
// everybody may write, because a stranger may have put the file there. It ignores pipes and devices.
func Find(folder string) string {
	for {
		if info, err := os.Stat(folder); err == nil && info.IsDir() && !isForAll(info) {
			name := filepath.Join(folder, Name)
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				return name
			}
		}
		above := filepath.Dir(folder)
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil || above == folder {
			return ""
		}
		folder = above
	}
}

// isForAll reports whether everybody may write in a folder, as far as its mode tells. On Windows it
// returns false, because the modes there do not tell.
func isForAll(info os.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o002 != 0
}

// A Host is a table [[host]] of a configuration. [Host.Rule] converts it. A field is zero if the table does not set
// it.
type Host struct {
	Name      string            `toml:"name"`
	Headers   map[string]string `toml:"headers"`
	Cookies   map[string]string `toml:"cookies"`
	UserAgent string            `toml:"user-agent"`
	Accept    []int             `toml:"accept"`
	Exclude   []string          `toml:"exclude-url"`
	Rate      *float64          `toml:"rate"`
	PerHost   *int              `toml:"per-host"`
	Timeout   Duration          `toml:"timeout"`
	Retries   *int              `toml:"retries"`
	RetryWait Duration          `toml:"retry-wait"`
}

// A Duration is a time.Duration that is written as text, such as "30s". It is a struct, because
// otherwise the toml package would accept a number.
type Duration struct{ time.Duration }

// UnmarshalText parses a duration greater than 0. It returns an error for any other text.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil || parsed <= 0 {
		return fmt.Errorf("%q is not a duration such as \"30s\"", text)
	}
	d.Duration = parsed
	return nil
}

// Parse parses a configuration. It returns the values outside tables by their keys, as the toml
// package decodes them, and the tables of hosts. A key that is not in names is an error, and so is
// a table other than [[host]]. An error begins with ":LINE: ", so that the caller can put the name
// of the file before it, or with ": " if the line is unknown. The error does not show the text of
// the configuration, which may contain secrets.
func Parse(text []byte, names []string) (map[string]any, []Host, error) {
	var config struct {
		Host []Host `toml:"host"`
	}
	values := make(map[string]any)
	if err := toml.Unmarshal(text, &values); err != nil {
		return nil, nil, withLine(err, nil)
	}
	hosts, isList := values["host"].([]any)
	if !isList { // [host]
		hosts = []any{values["host"]}
	}
	delete(values, "host")
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&config)
	if err := withLine(err, func(key string) error {
		switch {
		case !slices.Contains(names, key):
			return &UnknownKeyError{key}
		case hasTable(values[key]):
			return fmt.Errorf("%q is not a table", key)
		}
		return nil
	}); err != nil {
		return nil, nil, err
	}
	for _, host := range hosts {
		table, _ := host.(map[string]any)
		for _, key := range []string{"timeout", "retry-wait"} {
			if hasTable(table[key]) { // the toml package accepts an empty table as a Duration
				return nil, nil, fmt.Errorf(": %s: a table is not a duration such as \"30s\"", key)
			}
		}
	}
	return values, config.Host, nil
}

// An UnknownKeyError says that the configuration has a key that Parse does not accept.
type UnknownKeyError struct{ Key string }

// Error returns the text "unknown key" and the key.
func (e *UnknownKeyError) Error() string { return fmt.Sprintf("unknown key %q", e.Key) }

// withLine converts an error of the decoder to an error of Parse: it puts ":LINE: " or ": " before
// the error, and leaves out the text of the configuration, which may contain secrets. judge returns
// the error for an unknown key outside of [[host]], or nil if the key is valid after all. withLine
// returns nil if err is nil, and if judge accepts every unknown key.
func withLine(err error, judge func(key string) error) error {
	if err == nil {
		return nil
	}
	if unknown, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		for _, one := range unknown.Errors {
			key, wrong := one.Key(), fmt.Errorf("unknown key %q", strings.Join(one.Key(), "."))
			if len(key) == 1 {
				wrong = judge(key[0])
			}
			if line, _ := one.Position(); wrong != nil {
				return fmt.Errorf(":%d: %w", line, wrong)
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

// hasTable reports whether a decoded value is a table, or a list that contains a table.
func hasTable(value any) bool {
	if list, ok := value.([]any); ok {
		return slices.ContainsFunc(list, hasTable)
	}
	_, ok := value.(map[string]any)
	return ok
}

// Rule returns the rule for a host. lookup returns the value of an environment variable, for each
// ${NAME} in a header, a cookie or the user agent. Rule returns the errors of lookup. Other errors
// name the value that is wrong.
func (t Host) Rule(lookup func(name string) (string, error)) (check.HostRule, error) {
	rule := check.HostRule{
		Host: t.Name, Accept: t.Accept, Exclude: t.Exclude, Timeout: t.Timeout.Duration, Wait: t.RetryWait.Duration,
	}
	isNoStatus := func(code int) bool { return code < 100 || code > 999 }
	switch {
	case t.Retries != nil && *t.Retries < 0:
		return rule, errors.New("retries must be a number from 0")
	case t.Rate != nil && !(*t.Rate > 0 && *t.Rate < 1e6):
		return rule, fmt.Errorf("rate must be a number of requests a second, above 0 and below 1000000, not %v; leave it out to use --rate", *t.Rate)
	case t.PerHost != nil && (*t.PerHost < 1 || *t.PerHost > 1000):
		return rule, fmt.Errorf("per-host must be a number from 1 to 1000, not %v; leave it out to use --per-host", *t.PerHost)
	case slices.ContainsFunc(t.Accept, isNoStatus):
		return rule, fmt.Errorf("accept must be status codes, such as 403, not %v", t.Accept)
	}
	if t.Rate != nil {
		rule.Rate = *t.Rate
	}
	if t.PerHost != nil {
		rule.PerServer = *t.PerHost
	}
	if t.Retries != nil {
		if rule.Retries = *t.Retries; rule.Retries == 0 {
			rule.Retries = -1 // -1 means no retries
		}
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
	cookies, err := check.Cookies(t.Cookies, lookup)
	if cookies.Name != "" {
		rule.Header = append(rule.Header, cookies)
	}
	return rule, err
}
