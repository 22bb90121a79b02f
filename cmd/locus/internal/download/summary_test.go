package download

import "testing"

// A copy of a tree ends with a line of what it did, where that is wanted.
func TestSummary(t *testing.T) {
	all := summary{verb: "sent", planned: "to send", copied: 3, failed: 1, newer: 2, unchanged: 28, deleted: 4}
	for _, tt := range []struct {
		summary summary
		want    string
	}{
		{all, "3 sent, 1 failed, 2 newer at the target, 28 unchanged, 4 deleted"},
		{summary{verb: "fetched"}, "0 fetched"},
		{summary{planned: "to fetch", dryRun: true, copied: 2, deleted: 1}, "2 to fetch, 1 to delete"},
	} {
		if got := tt.summary.String(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.summary, got, tt.want)
		}
	}
	for _, tt := range []struct {
		failed      int
		json, quiet bool
		want        string
	}{
		{failed: 0},
		{failed: 1, want: "locus: 0 sent, 1 failed\n"},
		{failed: 1, json: true},
		{failed: 1, quiet: true},
	} {
		r, written := newReporterIn(t, tt.json)
		r.env.Quiet = tt.quiet
		r.summarize(summary{verb: "sent", failed: tt.failed})
		if _, stderr := written(); stderr != tt.want {
			t.Errorf("%+v: %q, want %q", tt, stderr, tt.want)
		}
	}
}
