// Command site makes the documentation as static pages, from the documents, the help of
// the command and the examples of the packages:
//
//	cd site && go run . -out public
//
// It writes the pages as Markdown into a temporary project of Hugo, and runs the version of
// Hugo that go.mod names. The pages work from a web server and as files. The search works in
// the browser.
package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// project has the settings, the layouts and the style of the pages.
//
//go:embed all:layouts assets hugo.toml
var project embed.FS

// longest is the time after which Hugo is killed. It usually takes a few seconds.
const longest = 5 * time.Minute

func main() {
	root := flag.String("root", "..", "the folder of the module locus")
	out := flag.String("out", "public", "the folder for the pages; its old content is deleted")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := build(ctx, *root, *out); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// build writes the pages of the module in root into the folder out, and removes the old content of
// out.
func build(ctx context.Context, root, out string) error {
	work, err := os.MkdirTemp("", "locus-site-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	hugo, err := buildTool(ctx, ".", filepath.Join(work, "hugo"), "github.com/gohugoio/hugo")
	if err != nil {
		return fmt.Errorf("Hugo cannot be built, so there are NO PAGES (its modules come from the Go module proxy): %w", err)
	}
	locus, err := buildTool(ctx, root, filepath.Join(work, "locus"), "./cmd/locus")
	if err != nil {
		return err
	}
	source := filepath.Join(work, "source")
	if err := os.CopyFS(source, project); err != nil {
		return err
	}
	s := &site{root: root, content: filepath.Join(source, "content"), static: filepath.Join(source, "static"), hasPage: map[string]bool{}, files: map[string]string{}}
	for _, write := range []func() error{
		s.documents,
		func() error { return s.verbs(ctx, locus) },
		func() error { return s.schemes(ctx, locus) },
		s.packages,
		func() error { return s.writeFiles(filepath.Join(source, "data", "files.json")) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, longest) // Hugo may hang after an error in a layout
	defer cancel()
	_, err = run(ctx, source, hugo, "build", "--noBuildLock", "--panicOnWarning", "--cleanDestinationDir",
		"--source", source, "--destination", out, "--cacheDir", filepath.Join(work, "cache"))
	return err
}

// buildTool builds the program pkg in the module at dir as the file path, and returns path.
func buildTool(ctx context.Context, dir, path, pkg string) (string, error) {
	_, err := run(ctx, dir, "go", "build", "-o", path, pkg)
	return path, err
}

// run runs a program in dir and returns its stdout. If it fails, the error has its stderr and
// stdout.
func run(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		text := strings.TrimSpace(stderr.String() + string(out))
		return nil, fmt.Errorf("%s %s: %w", filepath.Base(name), args[0], errors.Join(err, errors.New(text)))
	}
	return out, nil
}
