package download

import (
	"fmt"
	"strings"
)

// A summary counts what a copy of a tree did, or what a dry run would do.
type summary struct {
	verb    string // of the files that were copied: "sent" or "fetched"
	planned string // the same for a dry run: "to send" or "to fetch"
	dryRun  bool

	copied, failed, unchanged, deleted int // files
	newer                              int // files that stayed because they are newer at the target
	notDeleted                         error
}

// String returns a line such as "3 sent, 1 failed, 28 unchanged, 2 deleted".
func (s summary) String() string {
	verb, deleted := s.verb, "deleted"
	if s.dryRun {
		verb, deleted = s.planned, "to delete"
	}
	text := []string{fmt.Sprintf("%d %s", s.copied, verb)}
	for _, part := range []struct {
		n    int
		what string
	}{{s.failed, "failed"}, {s.newer, "newer at the target"}, {s.unchanged, "unchanged"}, {s.deleted, deleted}} {
		if part.n > 0 {
			text = append(text, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	return strings.Join(text, ", ")
}

// summarize shows s at the end of a copy: always on a terminal, and elsewhere if a file
// failed. With --json or --quiet it shows nothing.
func (r *reporter) summarize(s summary) {
	if r.json != nil || r.env.Quiet || r.board == nil && s.failed == 0 {
		return
	}
	r.above(func() {
		_ = r.env.Out.Flush() // the plan of a dry run comes first; an error returns at the last Flush
		r.env.Say(s.String())
	})
}
