//go:build !windows

// The output has file names with slashes, so it does not fit Windows.

package desktop_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"locus/cmd/locus/internal/desktop"
)

func ExampleDesktop_Install() {
	home, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(home)
	d := &desktop.Desktop{
		System: "linux", Data: filepath.Join(home, "data"), Config: filepath.Join(home, "config"),
		LookPath: exec.LookPath, Command: exec.CommandContext,
	}
	h := desktop.Handler{Name: "reader", Program: "/opt/reader", Schemes: []string{"gopher"}}
	plan, err := d.Install(context.Background(), h, h.Schemes, false)
	if err != nil {
		panic(err)
	}
	fmt.Print(strings.ReplaceAll(plan.String(), home, "~"))
	// Output:
	// # write ~/data/applications/reader-handler.desktop
	// [Desktop Entry]
	// Type=Application
	// Name=reader
	// NoDisplay=true
	// Exec=/opt/reader %u
	// MimeType=x-scheme-handler/gopher;
	//
	// # remove ~/data/applications/reader-session.desktop
	// # write ~/config/mimeapps.list
	// [Default Applications]
	// x-scheme-handler/gopher=reader-handler.desktop
}
