package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// shells maps each shell with completions to the name of its file.
var shells = map[string]string{"bash": "locus", "zsh": "_locus", "fish": "locus.fish", "powershell": "locus.ps1"}

// installed is the path of the program in packages.
const installed = "/usr/bin/locus"

// share writes the files for every platform: manual pages, completions, the documentation and
// desktop entries. It runs the program of this machine, which prints them.
func (r *release) share(ctx context.Context) error {
	manual, err := r.locus(ctx, "help", "--man")
	if err != nil {
		return err
	}
	if err := r.writeShared("man/locus.1", manual); err != nil {
		return err
	}
	for line := range bytes.Lines(manual) {
		verb, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte(".SS "))
		if !ok {
			continue
		}
		name := strings.ReplaceAll(string(verb), `\-`, "-")
		page, err := r.locus(ctx, "help", "--man", name)
		if err != nil {
			return err
		}
		if err := r.writeShared("man/locus-"+name+".1", page); err != nil {
			return err
		}
	}
	for shell, file := range shells {
		text, err := r.locus(ctx, "completion", shell)
		if err != nil {
			return err
		}
		if err := r.writeShared("completions/"+file, text); err != nil {
			return err
		}
	}
	if err := r.documentation(ctx); err != nil {
		return err
	}
	return r.desktop(ctx)
}

// documentation builds the documentation site into the shared folder "documentation".
func (r *release) documentation(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "run", ".", "-out", r.shared("documentation"))
	cmd.Dir = filepath.Join(r.root, "site")
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build the documentation: %w", err)
	}
	return nil
}

// desktop writes the desktop entries that install-handlers makes, with the installed path of the
// program in place of the path of the build.
func (r *release) desktop(ctx context.Context) error {
	home, err := os.MkdirTemp("", "locus-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	if _, err := r.locus(ctx, "install-handlers", "HOME="+home, "XDG_DATA_HOME=", "XDG_CONFIG_HOME="); err != nil {
		return err
	}
	entries, err := filepath.Glob(filepath.Join(home, ".local/share/applications/locus-*.desktop"))
	if err != nil || len(entries) != 2 {
		return fmt.Errorf("install-handlers wrote the entries %q: %w", entries, err)
	}
	for _, entry := range entries {
		text, err := os.ReadFile(entry)
		if err != nil {
			return err
		}
		text = bytes.ReplaceAll(text, []byte(r.binary(host())), []byte(installed))
		if err := r.writeShared("applications/"+filepath.Base(entry), text); err != nil {
			return err
		}
	}
	return nil
}

// shared returns the path of a file that is the same for every platform, such as "man/locus.1".
func (r *release) shared(name string) string { return filepath.Join(r.out, "share", name) }

// sharedFiles returns the names of the files in a shared folder and in the folders below it, such as
// "documentation/doc/serve.html".
func (r *release) sharedFiles(folder string) ([]string, error) {
	var names []string
	err := fs.WalkDir(os.DirFS(r.shared("")), folder, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// writeShared makes or replaces a file that is the same for every platform.
func (r *release) writeShared(name string, text []byte) error {
	return write(r.shared(name), text, 0o644)
}

// locus runs the program of this machine, and returns its stdout. An argument with "=" becomes a
// variable of the environment instead. The error has the program's stderr.
func (r *release) locus(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, r.binary(host()))
	cmd.Env = os.Environ()
	for _, arg := range args {
		if strings.Contains(arg, "=") {
			cmd.Env = append(cmd.Env, arg)
			continue
		}
		cmd.Args = append(cmd.Args, arg)
	}
	var failure bytes.Buffer
	cmd.Stderr = &failure
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("locus %s: %w: %s", strings.Join(args, " "), err, failure.Bytes())
	}
	return text, nil
}
