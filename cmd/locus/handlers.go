package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"locus"
	"locus/scheme"
)

func (p *process) installHandlersCommand() *cli.Command {
	return &cli.Command{
		Name:      "install-handlers",
		Usage:     "open the desktop's links of every scheme with locus",
		UsageText: "locus install-handlers [--at URL] [--scheme SCHEME…] [--dry-run] [--remove]",
		Description: "For Linux and the BSDs: install one desktop entry for URLs that open in the browser\n" +
			"through the gateway, and one for sessions in a terminal, and name them in\n" +
			"mimeapps.list. A scheme that another program opens stays with that program, unless\n" +
			"--scheme names it. Links of http, https and file are never changed.\n\n" +
			"The gateway has a page that installs handlers in a browser: " + usualGateway + "-/handlers",
		Flags:    flags("at scheme dry-run remove"),
		Metadata: example("locus install-handlers --dry-run --scheme gopher"),
		Action:   p.installHandlers,
	}
}

// A changing is a file and its new text.
type changing struct {
	name, text string // text ""; the file is deleted
}

func (p *process) installHandlers(ctx context.Context, c *cli.Command) error {
	if _, err := arguments(c, 0, 0); err != nil {
		return err
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return &hinted{errors.New("locus cannot install handlers on this system"), "the page -/handlers of the gateway installs them in the browser"}
	}
	changes, taken, err := p.handlers(c)
	if err != nil {
		return err
	}
	if c.Bool("dry-run") {
		for _, change := range changes {
			if change.text == "" {
				fmt.Fprintf(p.out, "# remove %s\n", change.name)
				continue
			}
			fmt.Fprintf(p.out, "# write %s\n%s\n", change.name, change.text)
		}
		return nil
	}
	for _, change := range changes {
		if err := change.do(); err != nil {
			return err
		}
	}
	refresh(ctx, filepath.Dir(changes[0].name))
	if !c.Bool("remove") {
		p.say("locus now opens links of these schemes: " + strings.Join(taken, ", "))
	}
	return nil
}

// handlers returns the changes, and the schemes that locus will open.
func (p *process) handlers(c *cli.Command) (changes []changing, taken []string, err error) {
	data, config, err := userFolders()
	if err != nil {
		return nil, nil, err
	}
	listName := filepath.Join(config, "mimeapps.list")
	text, err := os.ReadFile(listName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	list := parseDefaults(string(text))
	if c.Bool("remove") {
		for _, s := range scheme.All() {
			list = list.without(s.Name, browserEntry).without(s.Name, terminalEntry)
		}
	} else {
		wanted, err := wantedSchemes(c)
		if err != nil {
			return nil, nil, err
		}
		for _, s := range wanted {
			entry := entryOf(s)
			if other := list.of(s.Name); other != "" && other != entry && !c.IsSet("scheme") {
				p.say(fmt.Sprintf("%s stays with %s; --scheme %s takes it", s.Name, other, s.Name))
				continue
			}
			list = list.with(s.Name, entry)
			taken = append(taken, s.Name)
		}
	}
	for _, entry := range []string{browserEntry, terminalEntry} {
		change := changing{name: filepath.Join(data, "applications", entry)}
		if change.text, err = entryText(c, entry, list.openedBy(entry)); err != nil {
			return nil, nil, err
		}
		changes = append(changes, change)
	}
	return append(changes, changing{listName, list.String()}), taken, nil
}

// entryText returns the text of an entry; "" if it opens nothing.
func entryText(c *cli.Command, entry string, schemes []string) (string, error) {
	if len(schemes) == 0 {
		return "", nil
	}
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	at, err := gatewayAt(c)
	if err != nil {
		return "", err
	}
	args := []string{program, "open", "--at", at.String(), "--"}
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
func wantedSchemes(c *cli.Command) ([]scheme.Scheme, error) {
	names, err := schemesOf(c)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		client := &locus.Client{Engines: (&engines{}).table}
		opened := client.Schemes()
		return slices.DeleteFunc(scheme.All(), func(s scheme.Scheme) bool {
			return !slices.Contains(opened, s.Name) || s.Name == "mailto" || slices.Contains(neverTaken, s.Name)
		}), nil
	}
	var wanted []scheme.Scheme
	for _, name := range names {
		s, ok := scheme.Lookup(name)
		if !ok || slices.Contains(neverTaken, s.Name) {
			return nil, misuse("--scheme wants a scheme of `locus schemes` that is not of %s, not %q", strings.Join(neverTaken, ", "), name)
		}
		wanted = append(wanted, s)
	}
	return wanted, nil
}

// userFolders returns the desktop's folders for data and settings (XDG Base Directory
// Specification).
func userFolders() (data, config string, err error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", "", err
	}
	data, config = os.Getenv("XDG_DATA_HOME"), os.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(data) {
		data = filepath.Join(home, ".local", "share")
	}
	if !filepath.IsAbs(config) {
		config = filepath.Join(home, ".config")
	}
	return data, config, nil
}

// do replaces the file, or deletes it.
func (c changing) do() error {
	if c.text == "" {
		if err := os.Remove(c.name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	name := c.name
	if linked, err := filepath.EvalSymlinks(name); err == nil {
		name = linked // settings are often symbolic links
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".locus-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(c.text)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// refresh makes the desktop read its entries again, if there is a program for that. If
// not, the desktop reads them later.
func refresh(ctx context.Context, folder string) {
	if name, err := exec.LookPath("update-desktop-database"); err == nil {
		_ = exec.CommandContext(ctx, name, folder).Run()
	}
}
