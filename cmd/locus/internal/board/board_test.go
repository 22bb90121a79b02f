package board

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"locus/transfer"
	"locus/url"
)

// A Board shows the transfers after a second, in lines that fit the terminal, and removes the lines
// at the end.
func TestBoard(t *testing.T) {
	var out bytes.Buffer
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := New(&out, func() (int, int) { return 60, 24 })
	b.now = func() time.Time { return now }
	b.next = now.Add(time.Second)
	send := func(name string, k transfer.Kind, done int64, err error) string {
		out.Reset()
		now = now.Add(500 * time.Millisecond)
		b.Event(transfer.Event{Kind: k, URL: url.MustParse("http://u:secret@h/" + url.Escape(name, url.Set{})), Name: name, Done: done, Size: 4 << 20, Err: err})
		return out.String()
	}
	for _, test := range []struct {
		name string
		kind transfer.Kind
		done int64
		want string // "|" stands for "\x1b[K\n"; "" means no output
	}{
		{"a.iso", transfer.Started, 0, ""},
		{"a.iso", transfer.Progress, 1 << 20, "a.iso           25%  1.0 MiB of 4.0 MiB  2.0 MiB/s  2s left|\x1b[J"},
		{"b\x1b[2J", transfer.Started, 0, ""},
		{"a.iso", transfer.Retrying, 1 << 20, "25%  1.0 MiB of 4.0 MiB  waiting to try again|"},
		{"a.iso", transfer.Done, 4 << 20, "1 done, 4.0 MiB"},
		{"c", transfer.Failed, 0, "1 done, 1 failed, 4.0 MiB"},
	} {
		got := strings.ReplaceAll(send(test.name, test.kind, test.done, errors.New("reason")), "\x1b[K\n", "|")
		if !strings.Contains(got, test.want) {
			t.Errorf("%s %v: %q, want %q", test.name, test.kind, got, test.want)
		}
		if strings.Contains(got, "\x1b[2J") || strings.Contains(got, "secret") {
			t.Errorf("Event %s %v shows %q", test.name, test.kind, got)
		}
		for line := range strings.SplitSeq(got, "|") {
			if n := len([]rune(strings.TrimLeft(line, "\x1b[0123456789A\r"))); n > 60 {
				t.Errorf("Event %s %v shows a line of %d columns: %q", test.name, test.kind, n, line)
			}
		}
	}
	out.Reset()
	shown := b.shown
	b.Clear()
	if got := out.String(); shown == 0 || !strings.HasSuffix(got, "A\r\x1b[J") || b.shown != 0 {
		t.Errorf("Clear after %d lines writes %q", shown, got)
	}
}

func TestHuman(t *testing.T) {
	for in, want := range map[float64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1 << 20: "1.0 MiB", 1000 << 20: "1.0 GiB", 5 << 30: "5.0 GiB",
	} {
		if got := human(in); got != want {
			t.Errorf("human(%v) = %q, want %q", in, got, want)
		}
	}
}

// On a terminal with few rows a Board shows as many transfers as fit, and the totals. On a narrow
// terminal it cuts the lines.
func TestBoardSmall(t *testing.T) {
	var out bytes.Buffer
	columns, rows := 40, 5
	b := New(&out, func() (int, int) { return columns, rows })
	b.next = time.Time{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		out.Reset()
		b.next = time.Time{}
		b.Event(transfer.Event{Kind: transfer.Started, URL: url.MustParse("http://h/" + name), Name: name, Size: 1 << 40})
	}
	if got := strings.Count(out.String(), "\n"); got != 3 { // two transfers and the totals
		t.Errorf("the board shows %d lines on a terminal of 5 rows: %q", got, out.String())
	}
	columns, rows = 1, 1
	out.Reset()
	b.next = time.Time{}
	b.Event(transfer.Event{Kind: transfer.Progress, URL: url.MustParse("http://h/a"), Name: "a", Done: 1, Size: -1})
	if got := out.String(); got == "" || !strings.HasSuffix(got, "\x1b[J") {
		t.Errorf("a terminal of one column gets %q", got)
	}
}

// Without a size, a Board assumes 80 columns. A skipped transfer has no row.
func TestBoardDefaults(t *testing.T) {
	var out bytes.Buffer
	b := New(&out, nil)
	at := url.MustParse("http://h/a")
	b.Event(transfer.Event{Kind: transfer.Started, URL: at, Name: strings.Repeat("long", 50), Size: 100})
	if out.Len() > 0 {
		t.Errorf("in the first second the board shows %q", out.String())
	}
	b.Clear()
	if out.Len() > 0 {
		t.Errorf("Clear of an empty board writes %q", out.String())
	}
	b.next = time.Time{}
	b.Event(transfer.Event{Kind: transfer.Progress, URL: at, Done: 50, Size: 100})
	line, _, _ := strings.Cut(out.String(), "\x1b[K")
	if n := len([]rune(line)); n > 79 || !strings.Contains(line, " 50%  50 B of 100 B") {
		t.Errorf("the line has %d characters: %q", n, line)
	}
	out.Reset()
	b.next = time.Time{}
	b.Event(transfer.Event{Kind: transfer.Skipped, URL: at, Size: 100})
	if got := out.String(); strings.Contains(got, "\n") {
		t.Errorf("after a skipped transfer Clear writes %q", got)
	}
}

// Wide characters take two columns of the terminal, and combining characters take none. A line with
// them must also fit, because otherwise the terminal wraps it, and the next lines overwrite others.
func TestBoardWide(t *testing.T) {
	var out bytes.Buffer
	for columns := 20; columns < 70; columns++ {
		for name, want := range map[string]string{strings.Repeat("漢", 50): "漢…", strings.Repeat("e\u0301", 50): "e\u0301…", "漢e\u0301": "漢e\u0301  "} {
			out.Reset()
			b := New(&out, func() (int, int) { return columns, 24 })
			b.next = time.Time{}
			b.Event(transfer.Event{Kind: transfer.Progress, URL: url.MustParse("http://h/a"), Name: name, Done: 50, Size: 100})
			line, _, _ := strings.Cut(out.String(), "\x1b[K")
			n := len([]rune(line)) + strings.Count(line, "漢") - strings.Count(line, "\u0301")
			if n >= columns || columns > 40 && !strings.Contains(line, want) {
				t.Errorf("on %d columns the line takes %d: %q", columns, n, line)
			}
		}
	}
}
