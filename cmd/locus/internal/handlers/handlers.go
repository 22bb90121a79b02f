// Package handlers is the verb install-handlers: open the desktop's links of every
// scheme with locus.
package handlers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"locus/cmd/locus/internal/cli"
	"locus/scheme"
)

// Options are the flags of install-handlers.
type Options struct {
	At      string   `flag:"at"`
	Schemes []string `flag:"scheme"`
	DryRun  bool     `flag:"dry-run"`
	Remove  bool     `flag:"remove"`
}

// Verb describes install-handlers.
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
			"On macOS the system decides between the two. Links of http, https and file are never\n" +
			"changed. On Windows --remove does not bring back the program that opened a scheme\n" +
			"before.\n\n" +
			"The gateway has a page that installs handlers in a browser: " + cli.UsualGateway + "-/handlers",
		Examples: []string{"locus install-handlers --dry-run --scheme gopher"},
	})
}

// Run installs locus as a handler, or removes it.
func Run(ctx context.Context, e *cli.Env, o Options) error {
	return o.runOn(ctx, e, runtime.GOOS)
}

// runOn does it as the operating system wants it. It is runtime.GOOS, except in tests.
func (o Options) runOn(ctx context.Context, e *cli.Env, system string) error {
	switch system {
	case "windows":
		return o.runWindows(ctx, e)
	case "darwin":
		return o.runMac(ctx, e)
	}
	return o.runDesktop(ctx, e)
}

// runDesktop installs desktop entries and names them in mimeapps.list, or removes them.
func (o Options) runDesktop(ctx context.Context, e *cli.Env) error {
	changes, taken, err := o.changes(e)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := c.do(e, o.DryRun); err != nil {
			return err
		}
	}
	if o.DryRun {
		return nil
	}
	refresh(ctx, e, filepath.Dir(changes[0].name))
	if !o.Remove {
		e.Say("locus now opens links of these schemes: " + strings.Join(taken, ", "))
	}
	return nil
}

// A change is a file and its new text.
type change struct {
	name, text string // text "": the file is deleted
}

// do replaces the file, or deletes it. If dryRun is set it only writes what it would do.
func (c change) do(e *cli.Env, dryRun bool) error {
	switch {
	case dryRun && c.text == "":
		return e.Line("# remove " + c.name)
	case dryRun:
		return e.Line("# write " + c.name + "\n" + c.text)
	case c.text == "":
		if err := os.Remove(c.name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(c.name), 0o700); err != nil {
		return err
	}
	return e.SaveText(c.name, c.text)
}

// changes returns the files to change, and the schemes that locus will open.
func (o Options) changes(e *cli.Env) (changes []change, taken []string, err error) {
	data, config := e.XDGDir("XDG_DATA_HOME", ".local", "share"), e.XDGDir("XDG_CONFIG_HOME", ".config")
	if data == "" || config == "" {
		return nil, nil, errors.New("the home of the user is unknown")
	}
	listName := filepath.Join(config, "mimeapps.list")
	text, err := os.ReadFile(listName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	list := parseDefaults(string(text))
	if o.Remove {
		for _, s := range scheme.All() {
			list = list.without(s.Name, browserEntry).without(s.Name, terminalEntry)
		}
	} else if list, taken, err = o.take(e, list); err != nil {
		return nil, nil, err
	}
	for _, entry := range []string{browserEntry, terminalEntry} {
		c := change{name: filepath.Join(data, "applications", entry)}
		if c.text, err = o.entryText(e, entry, list.openedBy(entry)); err != nil {
			return nil, nil, err
		}
		changes = append(changes, c)
	}
	return append(changes, change{listName, list.String()}), taken, nil
}

// take makes locus the handler of schemes, and returns which. Without --scheme it leaves
// those that another program opens.
func (o Options) take(e *cli.Env, list defaults) (_ defaults, taken []string, err error) {
	wanted, err := o.wantedSchemes()
	if err != nil {
		return nil, nil, err
	}
	for _, s := range wanted {
		entry := entryOf(s)
		if other := list.of(s.Name); other != "" && other != entry && len(o.Schemes) == 0 {
			e.Say(fmt.Sprintf("%s stays with %s; --scheme %s takes it", s.Name, other, s.Name))
			continue
		}
		list = list.with(s.Name, entry)
		taken = append(taken, s.Name)
	}
	return list, taken, nil
}

// entryText returns the text of an entry; "" if it opens nothing.
func (o Options) entryText(e *cli.Env, entry string, schemes []string) (string, error) {
	if len(schemes) == 0 {
		return "", nil
	}
	if e.Program == "" {
		return "", errors.New("the file of this program is unknown")
	}
	at, err := e.UserGateway(o.At)
	if err != nil {
		return "", err
	}
	args := []string{e.Program, "open", "--at", at.String(), "--"}
	return desktopEntry("locus", entry == terminalEntry, schemes, args), nil
}

// openedBy returns the schemes whose URLs entry opens first.
func (d defaults) openedBy(entry string) []string {
	var names []string
	for _, s := range scheme.All() {
		if d.of(s.Name) == entry {
			names = append(names, s.Name)
		}
	}
	return names
}

func entryOf(s scheme.Scheme) string {
	if s.Flags.Has(scheme.Session) {
		return terminalEntry
	}
	return browserEntry
}

// neverTaken are schemes that locus does not install itself for. Browsers and file managers open
// them, or only a message can name them.
var neverTaken = []string{"http", "https", "file", "cid"}

// wantedSchemes returns the values of --scheme, or else all schemes that locus opens
// except mailto, for which people have a program.
func (o Options) wantedSchemes() ([]scheme.Scheme, error) {
	if len(o.Schemes) == 0 {
		opened := cli.Schemes()
		return slices.DeleteFunc(scheme.All(), func(s scheme.Scheme) bool {
			return !slices.Contains(opened, s.Name) || s.Name == "mailto" || slices.Contains(neverTaken, s.Name)
		}), nil
	}
	var wanted []scheme.Scheme
	for _, name := range o.Schemes {
		s, ok := scheme.Lookup(name)
		if !ok || slices.Contains(neverTaken, s.Name) {
			return nil, cli.Misuse("--scheme wants a scheme of `locus schemes` that is not of %s, not %q", strings.Join(neverTaken, ", "), name)
		}
		wanted = append(wanted, s)
	}
	return wanted, nil
}

// refresh makes the desktop read its entries again, if there is a program for that. If
// not, the desktop reads them later.
func refresh(ctx context.Context, e *cli.Env, folder string) {
	if name, err := e.LookPath("update-desktop-database"); err == nil {
		_ = e.Command(ctx, name, folder).Run()
	}
}
