package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"locus/render"
	"locus/transfer"
)

// A teller tells people and programs how transfers go: as JSON on stdout if that
// was asked for, and to people on the terminal that stderr is, if it is one.
type teller struct {
	*process
	mu        sync.Mutex
	json      func(any) error // nil if it was not asked for
	board     *board          // nil if there is no terminal
	told      map[string]time.Time
	passwords map[string]string // by what was asked
}

func (p *process) newTeller(json bool) *teller {
	t := &teller{process: p, told: make(map[string]time.Time), passwords: make(map[string]string)}
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

// A told is an event in JSON.
type told struct {
	Event string   `json:"event"`
	URL   any      `json:"url"`
	Name  any      `json:"name"`
	Done  int64    `json:"done"`
	Size  *int64   `json:"size"`
	Wait  *float64 `json:"wait,omitempty"`
	Error *string  `json:"error,omitempty"`
	Exit  *int     `json:"exit,omitempty"`
}

// event tells one event.
func (t *teller) event(e transfer.Event) {
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
	v := told{Event: e.Kind.String(), Done: e.Done}
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
	_ = t.json(v) // should stdout be gone, Flush at the end says so
}

// explain tells people why a transfer takes longer.
func (t *teller) explain(e transfer.Event) {
	switch e.Kind {
	case transfer.Retrying:
		t.clear()
		t.note(e.URL, e.Err, e.Wait)
	case transfer.Restarted:
		t.clear()
		t.say(fmt.Sprintf("%s: begun again: %v", e.URL.Redacted(), e.Err))
	}
}

// due reports whether it is time to tell again how far a transfer is.
func (t *teller) due(e transfer.Event) bool {
	key := e.URL.String()
	if time.Since(t.told[key]) < time.Second {
		return false
	}
	if len(t.told) > 1000 {
		clear(t.told)
	}
	t.told[key] = time.Now()
	return true
}

// report tells people about an error, above what is shown of the transfers.
func (t *teller) report(err error) { t.above(func() { t.process.report(err) }) }

func (t *teller) above(do func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clear()
	do()
}

// clear takes from the terminal what is shown of the transfers, until the next
// event.
func (t *teller) clear() {
	if t.board != nil {
		t.board.clear()
	}
}

// close takes from the terminal what was shown of the transfers.
func (t *teller) close() { t.above(func() {}) }

// asking asks for each password once, one after another, above what is shown.
func (t *teller) asking(ask func(context.Context, string) (string, error)) func(context.Context, string) (string, error) {
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
