package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/urfave/cli/v3"

	"locus"
)

// clientOf returns the client that the flags of a verb make.
func clientOf(t *testing.T, args ...string) (*locus.Client, error) {
	t.Helper()
	p := newProcess(os.Stdin, os.Stdout, os.Stderr)
	root := p.command()
	var client *locus.Client
	for _, verb := range root.Commands {
		if verb.Name == args[0] {
			verb.Action = func(_ context.Context, c *cli.Command) (err error) {
				client, err = p.opener(c)
				return err
			}
		}
	}
	err := root.Run(t.Context(), append([]string{"locus"}, args...))
	return client, err
}

// --min-rate is that of the client.
func TestMinRate(t *testing.T) {
	for _, verb := range []string{"get", "mirror", "ls", "extract", "cp", "check"} {
		for text, want := range map[string]int64{"": 0, "0": -1, "1": 1, "2K": 2048} {
			args := []string{verb, "http://h.invalid/"}
			if text != "" {
				args = append(args, "--min-rate", text)
			}
			client, err := clientOf(t, args...)
			if err != nil || client.MinRate != want {
				t.Errorf("%q: %v, %v, want %d", args, client, err, want)
			}
		}
		if _, err := clientOf(t, verb, "--min-rate", "-1"); err == nil {
			t.Errorf("%s takes a --min-rate of -1", verb)
		}
	}
}

// Verbs that open URLs have the flags of every access.
func TestAccessFlags(t *testing.T) {
	verbs := []string{"get", "mirror", "ls", "stat", "put", "append", "rm", "mkdir", "cp", "open", "extract", "check", "serve"}
	for _, verb := range newProcess(os.Stdin, os.Stdout, os.Stderr).command().Commands {
		if !slices.Contains(verbs, verb.Name) {
			continue
		}
		names := flagNames(verb)
		wanted := []string{"idle", "timeout", "proxy", "allow-port"}
		if verb.Name != "open" { // it opens sessions only, and gives the rest to the browser
			wanted = append(wanted, "ftp-tls", "news-tls", "spool", "mail")
		}
		for _, name := range wanted {
			if !slices.Contains(names, name) {
				t.Errorf("%s has no --%s", verb.Name, name)
			}
		}
	}
}

// .netrc is read once, however many servers are asked.
func TestNetrcIsReadOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "netrc")
	if err := os.WriteFile(name, []byte("machine h login ada password sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProcess(os.Stdin, os.Stdout, os.Stderr)
	read := func() error {
		c := &cli.Command{Flags: flags(loginFlags), Action: func(_ context.Context, c *cli.Command) error { return p.readLogins(c) }}
		return c.Run(t.Context(), []string{"get", "--netrc-file", name})
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if err := read(); err != nil {
		t.Errorf("it is read again: %v", err)
	}
	if _, password, err := p.logins.at("h", "ada", true); password != "sesame" || err != nil {
		t.Errorf("the password is %q, %v", password, err)
	}
}
