package transfer

import (
	"locus/internal/glob"
)

// A Filter chooses the files that are copied, by their paths below the root, such as "pub/a.txt".
// The zero Filter matches every file. A pattern has the syntax of path.Match; a segment "**"
// matches any number of segments. A pattern without a slash matches the last segment of a path. One
// that ends in a slash matches directories only.
//
// An excluded directory is not entered. Include applies to files only.
type Filter struct {
	Include []string // if there are any, a file must match one
	Exclude []string // a file or directory must match none

	// A file must be in the part Part, from 1, of Parts parts, by a stable hash of its path. So several machines can copy a
	// tree together, each with its own part. Every machine makes the directories. If Parts is 0, the tree is not
	// divided. A divided tree excludes TreeOptions.Delete, because a file of another part looks surplus.
	Part, Parts int
}

// Check returns an error if a pattern is invalid.
func (f Filter) Check() error { return glob.Filter(f).Check() }

// Match reports whether the file or directory is copied that has the path name below the root.
func (f Filter) Match(name string, isDir bool) bool { return glob.Filter(f).Match(name, isDir) }
