// Package config reads the configuration of a check, the file locus-check.toml. It has
// defaults by name, and a table for each host with rules of its own:
//
//	exclude-url = ["^https://intranet\\."]
//
//	[[host]]
//	name = "api.example.org"
//	headers = {Authorization = "Bearer ${TOKEN}"}
//	rate = 0.5
package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"locus/check"
)

// Name is the name of the file.
const Name = "locus-check.toml"

// Find looks for a configuration in a folder and those above, to that of a Git repository.
// A folder in which everybody may write is left out. It returns "" if there is none.
func Find(folder string) string {
	for {
		if info, err := os.Stat(folder); err == nil && info.IsDir() && info.Mode().Perm()&0o002 == 0 {
			name := filepath.Join(folder, Name)
			if _, err := os.Stat(name); err == nil {
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

// A Host is a [[host]] of a configuration.
type Host struct {
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

// Parse parses a configuration: values by their names, which are some of names, and the
// tables of hosts. An error begins with ":LINE: ".
func Parse(text []byte, names []string) (map[string]any, []Host, error) {
	var config struct {
		Host []Host `toml:"host"`
	}
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&config)
	if err := withLine(err, names); err != nil {
		return nil, nil, err
	}
	values := make(map[string]any)
	if err := toml.Unmarshal(text, &values); err != nil {
		return nil, nil, withLine(err, names)
	}
	delete(values, "host")
	return values, config.Host, nil
}

// withLine returns an error of the decoder with its line, and without the text of the
// configuration, which may have secrets. It is nil if names has all unknown keys.
func withLine(err error, names []string) error {
	if err == nil {
		return nil
	}
	if unknown, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		for _, one := range unknown.Errors {
			if key := one.Key(); len(key) != 1 || !slices.Contains(names, key[0]) {
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

// Rule returns the rule for a host. lookup returns the value of a variable of the environment,
// which a header may have.
func (t Host) Rule(lookup func(name string) (string, error)) (check.HostRule, error) {
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
