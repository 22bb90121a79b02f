// Package desktop sets which program opens the URLs of a scheme on a user's desktop: by
// desktop entries on Linux and the BSDs, by the registry of Windows, and by an application on
// macOS.
//
//	d := &desktop.Desktop{System: runtime.GOOS, Home: home, LookPath: exec.LookPath, Command: exec.CommandContext, …}
//	plan, err := d.Install(ctx, handler, []string{"gopher"}, false)
//	fmt.Print(plan)       // what would be changed
//	err = plan.Do(ctx)    // changes it
//
// It changes only files and settings of the user, never of the machine.
package desktop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
)

// A Handler is a program that opens URLs.
type Handler struct {
	// Name is part of the names of files and registry keys, and the user sees it. It consists of
	// letters and digits.
	Name string
	// About describes the program in a few words, for the settings of Windows.
	About string
	// Program is the file of the program. Args are its arguments before the URL.
	Program string
	Args    []string
	// Schemes are all schemes that the program can open, in lower case. Remove looks for all of
	// them. Sessions are the Schemes whose URLs open in a terminal.
	Schemes, Sessions []string
}

// A Desktop is the desktop of one user. Set all fields, except that only macOS needs Home, and only
// Linux and the BSDs need Data and Config.
type Desktop struct {
	// System is a value of runtime.GOOS. Values other than "windows" and "darwin" stand for
	// desktops with desktop entries (freedesktop.org).
	System string
	// Home is the user's home. Data and Config are the folders of the XDG Base Directory
	// Specification, such as ~/.local/share and ~/.config. "": unknown.
	Home, Data, Config string
	// LookPath finds a program of the system, and Command makes a command that runs it, as the
	// functions of os/exec with these names do.
	LookPath func(name string) (string, error)
	Command  func(ctx context.Context, name string, args ...string) *exec.Cmd
}

// A Plan is a list of the changes that Install or Remove would make.
type Plan struct {
	// Opens are the schemes that the handler opens after Install.
	Opens []string
	// Kept are the schemes that other programs continue to open.
	Kept []Kept

	text string                      // the result of String
	do   func(context.Context) error // makes the changes
}

// A Kept is a scheme that another program continues to open.
type Kept struct {
	Scheme string
	By     string // the desktop entry of the program; "": unknown
}

// String returns a list of the files and keys that Do writes and removes, for people.
func (p *Plan) String() string { return p.text }

// Do makes the changes. If it returns an error, it may have made some of them. It can be called
// again.
func (p *Plan) Do(ctx context.Context) error { return p.do(ctx) }

var (
	errNoProgram = errors.New("the path of this program is unknown")
	errNoHome    = errors.New("the user's home folder is unknown")
)

// Install returns a Plan by which h will open the URLs of schemes. It changes nothing. If another
// program opens a scheme, the scheme stays with that program, unless takes is set. macOS decides
// between the programs itself.
func (d *Desktop) Install(ctx context.Context, h Handler, schemes []string, takes bool) (*Plan, error) {
	if h.Program == "" {
		return nil, errNoProgram
	}
	switch d.System {
	case "windows":
		return d.installRegistry(ctx, h, schemes, takes)
	case "darwin":
		return d.installApp(h, schemes)
	}
	return d.installEntries(h, schemes, takes)
}

// Remove returns a Plan by which h will not open URLs any more. It changes nothing. After it,
// Windows does not bring back the program that opened a scheme before.
func (d *Desktop) Remove(ctx context.Context, h Handler) (*Plan, error) {
	switch d.System {
	case "windows":
		return d.removeRegistry(ctx, h)
	case "darwin":
		return d.removeApp(h)
	}
	return d.removeEntries(h)
}

// isSession reports whether h opens the URLs of a scheme in a terminal.
func (h Handler) isSession(scheme string) bool { return slices.Contains(h.Sessions, scheme) }

// runTool runs a program of the system. If it fails, the error has the output of the program.
func runTool(cmd *exec.Cmd) error {
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, bytes.TrimSpace(said))
	}
	return nil
}
