package download

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"locus/transfer"
	"locus/url"
)

// A board shows the transfers after a second, in lines that fit, and removes them at the
// end.
func TestBoard(t *testing.T) {
	var out bytes.Buffer
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := newBoard(nil)
	b.w, b.now, b.size = &out, func() time.Time { return now }, func() (int, int) { return 60, 24 }
	b.next = now.Add(time.Second)
	send := func(name string, k transfer.Kind, done int64, err error) string {
		out.Reset()
		now = now.Add(500 * time.Millisecond)
		b.event(transfer.Event{Kind: k, URL: url.MustParse("http://u:secret@h/" + url.Escape(name, url.Set{})), Name: name, Done: done, Size: 4 << 20, Err: err})
		return out.String()
	}
	for _, tt := range []struct {
		name string
		kind transfer.Kind
		done int64
		want string // with "|" for "\x1b[K\n"; "" for nothing
	}{
		{"a.iso", transfer.Started, 0, ""},
		{"a.iso", transfer.Progress, 1 << 20, "a.iso           25%  1.0 MiB of 4.0 MiB  2.0 MiB/s  2s left|\x1b[J"},
		{"b\x1b[2J", transfer.Started, 0, ""},
		{"a.iso", transfer.Retrying, 1 << 20, "25%  1.0 MiB of 4.0 MiB  waiting to try again|"},
		{"a.iso", transfer.Done, 4 << 20, "1 done, 4.0 MiB"},
		{"c", transfer.Failed, 0, "1 done, 1 failed, 4.0 MiB"},
	} {
		got := strings.ReplaceAll(send(tt.name, tt.kind, tt.done, errors.New("reason")), "\x1b[K\n", "|")
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s %v: %q, want %q", tt.name, tt.kind, got, tt.want)
		}
		if strings.Contains(got, "\x1b[2J") || strings.Contains(got, "secret") {
			t.Errorf("%s %v shows %q", tt.name, tt.kind, got)
		}
		for line := range strings.SplitSeq(got, "|") {
			if n := len([]rune(strings.TrimLeft(line, "\x1b[0123456789A\r"))); n > 60 {
				t.Errorf("a line of %d: %q", n, line)
			}
		}
	}
	out.Reset()
	shown := b.shown
	b.clear()
	if got := out.String(); shown == 0 || !strings.HasSuffix(got, "A\r\x1b[J") || b.shown != 0 {
		t.Errorf("clear after %d lines: %q", shown, got)
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
