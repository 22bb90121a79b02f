package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"locus/access"
	"locus/cmd/locus/internal/console"
)

// EditText lets the user edit a text in $VISUAL or $EDITOR, which is a program or its path, perhaps
// with arguments, and returns the text as the user saved it. The editor gets a temporary file whose
// name ends in suffix, and lines that end in LF. what is the noun for the text in errors, such as
// "message". Without an editor, the error has a hint. Unless stdout is a terminal, the editor's stdout
// goes to stderr, because stdout is for the text.
func (e *Env) EditText(ctx context.Context, what, text, suffix string) (string, error) {
	value := strings.TrimSpace(cmp.Or(e.Getenv("VISUAL"), e.Getenv("EDITOR")))
	editor := strings.Fields(value)
	if _, err := e.LookPath(value); err == nil {
		editor = []string{value} // its path may have blanks
	}
	if len(editor) == 0 {
		return "", access.WithRemedy(errors.New("no editor is set"), access.Advice("set EDITOR to the name of one"))
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return console.Edit(text, programName+"-*"+suffix, func(name string) error {
		cmd := e.Command(ctx, editor[0], append(editor[1:], name)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = e.Stdin, e.Stderr, e.Stderr
		if IsTerminal(e.Stdout) {
			cmd.Stdout = e.Stdout
		}
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("edit the %s with %s: %w", what, editor[0], err)
		}
		return nil
	})
}
