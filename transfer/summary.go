package transfer

import (
	"fmt"
	"strings"
)

// Summary returns a line for people, such as "3 fetched, 1 failed, 28 unchanged". dryRun must be
// the DryRun of the options: the line of a dry run says how many files are to be copied. done and
// toDo are words for the files, such as "fetched" and "to fetch".
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

// summary returns a line of the counts and, at the end, the number of deleted files. It leaves out
// numbers that are 0, except the first one.
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

// either returns yes if is is true, and no otherwise.
func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}
