package transfer

import (
	"testing"
)

// Summary counts the files that were copied, or that are to be copied.
func TestSummary(t *testing.T) {
	sent := Report{Files: 3, Failed: 1, Newer: 2, Skipped: 28, Deleted: 4}
	for _, test := range []struct{ got, want string }{
		{sent.Summary(false, "sent", "to send"), "3 sent, 1 failed, 2 newer at the target, 28 unchanged, 4 deleted"},
		{sent.Summary(true, "sent", "to send"), "3 to send, 1 failed, 2 newer at the target, 28 unchanged, 4 to delete"},
		{Report{}.Summary(false, "sent", "to send"), "0 sent"},
		{Report{}.Summary(false, "fetched", "to fetch"), "0 fetched"},
		{Report{Files: 2, Deleted: 1}.Summary(true, "fetched", "to fetch"), "2 to fetch, 1 to delete"},
		{Report{Files: 2, Failed: 1, Skipped: 5, Deleted: 1}.Summary(false, "fetched", "to fetch"), "2 fetched, 1 failed, 5 unchanged, 1 deleted"},
	} {
		if test.got != test.want {
			t.Errorf("= %q, want %q", test.got, test.want)
		}
	}
}
