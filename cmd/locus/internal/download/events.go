package download

import (
	"context"
	"fmt"
	"os"
	"sync"

	"golang.org/x/term"

	"locus/cmd/locus/internal/board"
	"locus/cmd/locus/internal/cli"
	"locus/transfer"
)

// A reporter shows the events of transfers: as JSON on stdout with --json, and as progress if
// stderr is a terminal. Several goroutines may use it at once.
type reporter struct {
	env       *cli.Env
	mu        sync.Mutex
	json      *transfer.EventWriter // nil without --json
	board     *board.Board          // nil unless stderr is a terminal
	passwords map[string]string     // the passwords that were typed, by prompt
}

// newReporter returns a reporter that writes events to stdout if json is set, and shows the
// progress if stderr is a terminal.
func newReporter(e *cli.Env, json bool) *reporter {
	r := &reporter{env: e, passwords: make(map[string]string)}
	if json {
		r.json = transfer.NewEventWriter(e.Out)
	}
	if cli.IsTerminal(e.Stderr) && !e.Quiet {
		r.board = board.New(e.Stderr, func() (int, int) { return sizeOf(e.Stderr) })
	}
	return r
}

// sizeOf returns the size of a terminal, or 80 by 24 if the size is unknown.
func sizeOf(terminal *os.File) (columns, rows int) {
	columns, rows, err := term.GetSize(int(terminal.Fd()))
	if err != nil || columns < 1 || rows < 1 {
		return 80, 24
	}
	return columns, rows
}

// event shows an event: as JSON, on the board of a terminal, and as a message if the transfer takes
// longer than expected.
func (r *reporter) event(e transfer.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.json == nil && !r.env.Quiet {
		r.explain(e)
	}
	if r.board != nil {
		r.board.Event(e)
	}
	if r.json != nil && !(r.env.Quiet && isProgress(e.Kind)) {
		_ = r.json.Write(e) // the last Flush returns an error of stdout
		_ = r.env.Out.Flush()
	}
}

// isProgress reports whether events of a kind are about a transfer that continues, so that --quiet
// hides them.
func isProgress(kind transfer.Kind) bool {
	return kind == transfer.Progress || kind == transfer.Retrying || kind == transfer.Restarted
}

// explain tells the user why a transfer is tried again or starts again. It ignores other events.
// The caller holds r.mu.
func (r *reporter) explain(e transfer.Event) {
	switch e.Kind {
	case transfer.Retrying:
		r.clear()
		r.env.Note(e.URL, e.Err, e.Wait)
	case transfer.Restarted:
		r.clear()
		r.env.Say(fmt.Sprintf("%s: started again: %v", e.URL.Redacted(), e.Err))
	}
}

// report shows an error above the progress of the transfers.
func (r *reporter) report(err error) { r.above(func() { r.env.Report(err) }) }

// above removes the progress from the terminal, and calls do while it holds r.mu, so that the
// progress stays away.
func (r *reporter) above(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clear()
	do()
}

// summarize shows the summary of copying a tree on stderr: always if stderr is a terminal, and
// otherwise only if a file failed. With --json or --quiet, summarize does nothing.
func (r *reporter) summarize(summary string, hasFailed bool) {
	if r.json != nil || r.env.Quiet || r.board == nil && !hasFailed {
		return
	}
	r.above(func() {
		_ = r.env.Out.Flush() // the plan of a dry run comes before the summary; the last Flush returns an error of stdout
		r.env.Say(summary)
	})
}

// clear removes the progress from the terminal until the next event. The caller holds r.mu.
func (r *reporter) clear() {
	if r.board != nil {
		r.board.Clear()
	}
}

// close removes the progress from the terminal.
func (r *reporter) close() { r.above(func() {}) }

// asking returns a Prompt that calls ask once for each prompt, and remembers the password. It hides
// the progress while the user is asked. It returns nil if ask is nil.
func (r *reporter) asking(ask cli.Prompt) cli.Prompt {
	if ask == nil {
		return nil
	}
	return func(ctx context.Context, prompt string) (password string, err error) {
		r.above(func() {
			var known bool
			if password, known = r.passwords[prompt]; known {
				return
			}
			if password, err = ask(ctx, prompt); err == nil {
				r.passwords[prompt] = password
			}
		})
		return password, err
	}
}
