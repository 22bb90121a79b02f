package transfer

import (
	"fmt"
	"strings"
)

// Summary returns a line for people, such as "3 fetched, 1 failed, 28 unchanged". dryRun must be
// that of the options: then the line says what is to be done. done and toDo are words for the
// files, such as "fetched" and "to fetch".
func (r Report) Summary(dryRun bool, done, toDo string) string {
	return summary(dryRun, r.Deleted, []count{
		{r.Files, either(dryRun, toDo, done)}, {r.Failed, "failed"}, {r.Newer, "newer at the target"}, {r.Skipped, "unchanged"},
	})
}

// A count is a number of files in a summary.
type count struct {
	n    int
	what string
}

// summary returns the counts, and that of deleted files at the end. Only the first may be 0.
func summary(dryRun bool, deleted int, counts []count) string {
	counts = append(counts, count{deleted, either(dryRun, "to delete", "deleted")})
	var text []string
	for i, c := range counts {
		if i == 0 || c.n > 0 {
			text = append(text, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(text, ", ")
}

func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}
