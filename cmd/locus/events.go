package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"locus/render"
	"locus/transfer"
)

// A reporter shows the events of transfers: as JSON on stdout for --json, and on the
// terminal if stderr is one.
type reporter struct {
	*process
	mu        sync.Mutex
	json      func(any) error      // nil without --json
	board     *board               // nil without a terminal
	shown     map[string]time.Time // the time of the last progress event, by URL
	passwords map[string]string    // that were typed, by prompt
}

func (p *process) newReporter(json bool) *reporter {
	t := &reporter{process: p, shown: make(map[string]time.Time), passwords: make(map[string]string)}
	if json {
		t.json = func(v any) error {
			if err := render.NewEncoder(p.out).Encode(v); err != nil {
				return err
			}
			return p.out.Flush()
		}
	}
	if isTerminal(p.stderr) && !p.quiet {
		t.board = newBoard(p.stderr)
	}
	return t
}

// An eventJSON is an event in JSON.
type eventJSON struct {
	Event string   `json:"event"`
	URL   any      `json:"url"`
	Name  any      `json:"name"`
	Done  int64    `json:"done"`
	Size  *int64   `json:"size"`
	Wait  *float64 `json:"wait,omitempty"`
	Error *string  `json:"error,omitempty"`
	Exit  *int     `json:"exit,omitempty"`
}

// event shows an event.
func (t *reporter) event(e transfer.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.json == nil && !t.quiet {
		t.explain(e)
	}
	if t.board != nil {
		t.board.event(e)
	}
	if t.json == nil || e.Kind == transfer.Progress && !t.due(e) {
		return
	}
	v := eventJSON{Event: e.Kind.String(), Done: e.Done}
	if !e.URL.IsZero() {
		v.URL = render.Value(e.URL.Redacted())
	}
	if e.Name != "" {
		v.Name = render.Value(e.Name)
	}
	if e.Size >= 0 {
		v.Size = &e.Size
	}
	if e.Kind == transfer.Retrying {
		seconds := e.Wait.Seconds()
		v.Wait = &seconds
	}
	if e.Err != nil {
		text := e.Err.Error()
		v.Error = &text
	}
	exit := 0
	switch e.Kind {
	case transfer.Failed:
		exit = 1
		v.Exit = &exit
	case transfer.Done, transfer.Skipped:
		v.Exit = &exit
	}
	_ = t.json(v) // an error of stdout returns at the last Flush
}

// explain reports why a transfer takes longer.
func (t *reporter) explain(e transfer.Event) {
	switch e.Kind {
	case transfer.Retrying:
		t.clear()
		t.note(e.URL, e.Err, e.Wait)
	case transfer.Restarted:
		t.clear()
		t.say(fmt.Sprintf("%s: started again: %v", e.URL.Redacted(), e.Err))
	}
}

// due reports whether it is time for another progress event of a transfer.
func (t *reporter) due(e transfer.Event) bool {
	key := e.URL.String()
	if time.Since(t.shown[key]) < time.Second {
		return false
	}
	if len(t.shown) > 1000 {
		clear(t.shown)
	}
	t.shown[key] = time.Now()
	return true
}

// report shows an error above the progress of the transfers.
func (t *reporter) report(err error) { t.above(func() { t.process.report(err) }) }

func (t *reporter) above(do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clear()
	do()
}

// clear removes the progress from the terminal until the next event.
func (t *reporter) clear() {
	if t.board != nil {
		t.board.clear()
	}
}

// close removes the progress from the terminal.
func (t *reporter) close() { t.above(func() {}) }

// asking returns a function that calls ask once for each prompt, one at a time, above
// the progress.
func (t *reporter) asking(ask func(context.Context, string) (string, error)) func(context.Context, string) (string, error) {
	if ask == nil {
		return nil
	}
	return func(ctx context.Context, prompt string) (password string, err error) {
		t.above(func() {
			var known bool
			if password, known = t.passwords[prompt]; known {
				return
			}
			if password, err = ask(ctx, prompt); err == nil {
				t.passwords[prompt] = password
			}
		})
		return password, err
	}
}
