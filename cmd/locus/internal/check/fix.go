package check

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"

	"locus/check"
	"locus/check/report"
	"locus/cmd/locus/internal/checkfiles"
	"locus/cmd/locus/internal/cli"
)

// fix rewrites permanently moved links in the files that were read. It first shows the changes and
// asks the user. It returns an error if the user declines, or if a file was not rewritten because it
// is a symbolic link out of its folder.
func (k *checker) fix(r *check.Report) error {
	moves, err := report.Moves(r)
	if err != nil {
		return err
	}
	var all []checkfiles.Rewriting
	if len(moves) > 0 {
		if all, err = k.reader.Rewritings(moves); err != nil {
			return err
		}
	}
	if err := k.Out.Flush(); err != nil {
		return err
	}
	n := len(all)
	all = slices.DeleteFunc(all, func(w checkfiles.Rewriting) bool { return k.reader.LeadsOut(w.File) })
	var leftErr error
	if n -= len(all); n > 0 {
		leftErr = fmt.Errorf("files not rewritten, because they are symbolic links that lead out of their folder: %d", n)
	}
	if len(all) == 0 {
		return leftErr
	}
	links := 0
	for _, w := range all {
		links += w.Links
		if err := w.Diff(k.Stderr); err != nil {
			return err
		}
	}
	if !k.options.Yes && !k.agrees(fmt.Sprintf("Links to rewrite: %d. Rewrite them?", links)) {
		return &cli.Hinted{Err: fmt.Errorf("links not changed: %d", links), Hint: "--yes rewrites them"}
	}
	for _, w := range all {
		if err := save(k.Env, w); err != nil {
			return err
		}
	}
	return leftErr
}

// save writes w.After to its file, and keeps the permissions. It returns an error if the file has
// changed since it was read.
func save(e *cli.Env, w checkfiles.Rewriting) error {
	now, err := e.ReadFile(w.File)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, w.Before) {
		return fmt.Errorf("%q changed in the meantime, and was not rewritten", w.File)
	}
	info, err := e.Stat(w.File)
	if err != nil {
		return err
	}
	if err := e.SaveText(w.File, string(w.After)); err != nil {
		return err
	}
	return os.Chmod(e.Path(w.File), info.Mode().Perm())
}

// agrees asks the user a question on the terminal, and reports whether the answer is y or yes.
// Without a terminal it returns false and asks nothing.
func (k *checker) agrees(question string) bool {
	if !cli.IsTerminal(k.Stdin) || !cli.IsTerminal(k.Stderr) {
		return false
	}
	fmt.Fprintf(k.Stderr, "%s [y/N] ", question)
	answer, err := bufio.NewReader(k.Stdin).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return err == nil && (answer == "y" || answer == "yes")
}
