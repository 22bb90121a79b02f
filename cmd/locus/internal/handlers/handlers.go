// Package handlers implements the verb install-handlers: open the desktop's links of every
// scheme with locus.
package handlers

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"locus/cmd/locus/internal/cli"
	"locus/cmd/locus/internal/desktop"
	"locus/scheme"
)

// Options are the flags of install-handlers.
type Options struct {
	At      string   `flag:"at"`
	Schemes []string `flag:"scheme"`
	DryRun  bool     `flag:"dry-run"`
	Remove  bool     `flag:"remove"`
}

// Verb returns the verb install-handlers.
func Verb() *cli.Verb {
	return cli.New(Run, cli.Verb{
		Name:     "install-handlers",
		Summary:  "open the desktop's links of every scheme with locus",
		Synopsis: "locus install-handlers [--at URL] [--scheme SCHEME…] [--dry-run] [--remove]",
		Description: "On Linux and the BSDs, install one desktop entry for URLs that open in the browser\n" +
			"through the gateway, and one for sessions in a terminal, and name them in\n" +
			"mimeapps.list. On Windows, write to the user's registry. On macOS, make the application\n" +
			"~/Applications/locus.app.\n\n" +
			"A scheme that another program opens stays with that program, unless --scheme names it.\n" +
			"On macOS the system chooses between the two. Links of http, https and file are never\n" +
			"changed. On Windows --remove does not bring back the program that opened a scheme\n" +
			"before.\n\n" +
			"The gateway has a page that installs handlers in a browser: " + cli.UsualGateway + "-/handlers",
		Usages:   [][2]string{{"scheme", "install locus for URLs of `SCHEME`, and no others; repeatable"}},
		Examples: []string{"locus install-handlers --dry-run --scheme gopher"},
	})
}

// Run installs locus as a handler of URLs on the user's desktop, or with --remove removes it.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	return o.runOn(ctx, e, runtime.GOOS)
}

// runOn runs the verb for the desktop of an operating system. system is runtime.GOOS except in
// tests.
func (o Options) runOn(ctx context.Context, e *cli.Env, system string) error {
	plan, err := o.plan(ctx, e, system)
	if err != nil {
		return err
	}
	for _, kept := range plan.Kept {
		e.Say(fmt.Sprintf("%s stays with %s; --scheme %[1]s takes it", kept.Scheme, cmp.Or(kept.By, "another program")))
	}
	if o.DryRun {
		_, err := e.Out.WriteString(plan.String())
		return err
	}
	if err := plan.Do(ctx); err != nil || o.Remove {
		return err
	}
	e.Say("locus now opens links of these schemes: " + strings.Join(plan.Opens, ", "))
	return nil
}

// plan returns a plan that installs the handlers or, with --remove, removes them. It does not carry
// it out.
func (o Options) plan(ctx context.Context, e *cli.Env, system string) (*desktop.Plan, error) {
	f := e.Folders()
	d := &desktop.Desktop{System: system, Home: f.Home(), Data: f.Data(), Config: f.Config(), LookPath: e.LookPath, Command: e.Command}
	h := desktop.Handler{Name: "locus", About: "opens URLs of every scheme", Program: e.Program}
	for _, s := range scheme.All() {
		h.Schemes = append(h.Schemes, s.Name)
		if s.Flags.Has(scheme.Session) {
			h.Sessions = append(h.Sessions, s.Name)
		}
	}
	if o.Remove {
		return d.Remove(ctx, h)
	}
	at, err := e.UserGateway(o.At)
	if err != nil {
		return nil, err
	}
	wanted, err := o.wantedSchemes()
	if err != nil {
		return nil, err
	}
	h.Args = []string{"open", "--link", "--at", at.String(), "--"}
	return d.Install(ctx, h, wanted, len(o.Schemes) > 0)
}

// neverTaken are schemes for which locus does not install itself: browsers and file managers open
// them, a cid URL is useful only within its message, and a titan URL is only for uploads.
var neverTaken = []string{"http", "https", "file", "cid", "titan"}

// mail are the schemes that locus takes only for --scheme, because people already have a mail program.
var mail = []string{"mailto", "imap", "imaps"}

// wantedSchemes returns the schemes to install: the values of --scheme, or else all schemes that locus opens except
// neverTaken and mail. A value of --scheme that is unknown or in neverTaken is a UsageError.
func (o Options) wantedSchemes() ([]string, error) {
	if len(o.Schemes) == 0 {
		return slices.DeleteFunc(cli.Schemes(), func(name string) bool {
			return slices.Contains(mail, name) || slices.Contains(neverTaken, name)
		}), nil
	}
	var wanted []string
	for _, name := range o.Schemes {
		s, ok := scheme.Lookup(name)
		if !ok || slices.Contains(neverTaken, s.Name) {
			return nil, cli.Misuse("--scheme must be a scheme that `locus schemes` lists, other than %s, not %q", strings.Join(neverTaken, ", "), name)
		}
		wanted = append(wanted, s.Name)
	}
	return wanted, nil
}
