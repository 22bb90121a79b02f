package check

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"locus/check"
	"locus/cmd/locus/internal/cli"
	"locus/extract/document"
	"locus/render"
)

// A rewriting is a file whose links change.
type rewriting struct {
	file          string
	before, after []byte
}

// fix rewrites permanently moved links in the files that were read. It shows the changes
// and asks the user first.
func (k *checker) fix(r *check.Report) error {
	moves, err := r.Moves()
	if err != nil {
		return err
	}
	if len(moves) == 0 {
		return k.Out.Flush()
	}
	var all []rewriting
	links := 0
	for _, file := range k.filesOnce() {
		before, err := k.ReadFile(file)
		if err != nil {
			return err
		}
		base := k.reader.baseOf(file)
		edits, err := check.Edits(before, document.ByName(file), base, moves)
		if err != nil {
			return fmt.Errorf("read %s: %w", file, err)
		}
		if len(edits) > 0 {
			links += len(edits)
			all = append(all, rewriting{file, before, check.Apply(before, edits)})
		}
	}
	if len(all) == 0 {
		return k.Out.Flush()
	}
	if err := k.showRewriting(all); err != nil {
		return err
	}
	if !k.options.Yes && !k.agrees(fmt.Sprintf("Links to rewrite: %d. Rewrite them?", links)) {
		return &cli.Hinted{Err: fmt.Errorf("links not changed: %d", links), Hint: "--yes rewrites them"}
	}
	for _, w := range all {
		if err := w.save(k.Env); err != nil {
			return err
		}
	}
	return nil
}

// filesOnce returns the files that were read, by name. Of names that lead to one file it
// returns the first.
func (k *checker) filesOnce() (all []string) {
	slices.Sort(k.reader.files)
	seen := make(map[string]bool)
	for _, file := range k.reader.files {
		target, err := filepath.EvalSymlinks(k.Path(file))
		if err != nil {
			target = file // reading it fails, too
		}
		if !seen[target] {
			seen[target] = true
			all = append(all, file)
		}
	}
	return all
}

// save rewrites the file, unless it has changed since it was shown. It keeps its
// permissions.
func (w rewriting) save(e *cli.Env) error {
	now, err := e.ReadFile(w.file)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, w.before) {
		return fmt.Errorf("%q has changed meanwhile, and was not rewritten", w.file)
	}
	info, err := e.Stat(w.file)
	if err != nil {
		return err
	}
	if err := e.SaveText(w.file, string(w.after)); err != nil {
		return err
	}
	return os.Chmod(e.Path(w.file), info.Mode().Perm())
}

// showRewriting writes the changes to stderr, as diff -U0 does.
func (k *checker) showRewriting(all []rewriting) error {
	if err := k.Out.Flush(); err != nil {
		return err
	}
	for _, w := range all {
		fmt.Fprintf(k.Stderr, "--- %s\n+++ %s\n", render.Clean(w.file), render.Clean(w.file))
		before, after := bytes.Split(w.before, []byte("\n")), bytes.Split(w.after, []byte("\n"))
		for i := range min(len(before), len(after)) {
			if !bytes.Equal(before[i], after[i]) {
				fmt.Fprintf(k.Stderr, "@@ -%d +%d @@\n-%s\n+%s\n", i+1, i+1, render.Clean(string(before[i])), render.Clean(string(after[i])))
			}
		}
	}
	return nil
}

// agrees asks the user on the terminal. Without a terminal the answer is no.
func (k *checker) agrees(question string) bool {
	if !cli.IsTerminal(k.Stdin) || !cli.IsTerminal(k.Stderr) {
		return false
	}
	fmt.Fprintf(k.Stderr, "%s [y/N] ", question)
	answer, err := bufio.NewReader(k.Stdin).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return err == nil && (answer == "y" || answer == "yes")
}
