package tn3270

import (
	"slices"
	"testing"

	"locus/terminal"
)

var _ terminal.Keyboard = (*Session)(nil)

// The text of each special key is one key, and all are different.
func TestSpecialKeys(t *testing.T) {
	seen := map[Key]string{}
	for _, k := range new(Session).Keys() {
		keys := new(keyReader).read([]byte(k.Text))
		if len(keys) != 1 || seen[keys[0]] != "" {
			t.Errorf("the key %s is %v, want one unique key", k.Name, keys)
			continue
		}
		seen[keys[0]] = k.Name
	}
	for name, key := range map[string]Key{"PF1": PF(1), "PF10": PF(10), "PF24": PF(24), "PA2": PA(2), "Clear": Clear, "Back Tab": BackTab} {
		if seen[key] != name {
			t.Errorf("the key %s is %q", name, seen[key])
		}
	}
	if got := len(seen); got != 36 {
		t.Errorf("%d special keys, want 36", got)
	}
}

func TestStatus(t *testing.T) {
	p := Picture{Rows: 1, Columns: 80, Cells: slices.Repeat([]Cell{{Rune: ' '}}, 80), Lock: Waiting, Insert: true, Connected: true}
	if got, want := p.screen().Status, "3270    X SYSTEM        INSERT"; got != want {
		t.Errorf("the status is %q, want %q", got, want)
	}
}
