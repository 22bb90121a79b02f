package glob

import (
	"fmt"
	"path"
	"strings"

	"locus/internal/shard"
)

// A Filter chooses files of a tree by their paths below its root, such as "pub/a.txt". A
// pattern has the syntax of path.Match; a segment "**" matches any number of segments. A
// pattern without a slash matches the last segment of a path. A pattern that ends in a
// slash matches only directories.
//
// An excluded directory is not entered. Include applies only to files, because a directory
// may contain a file that matches.
type Filter struct {
	Include []string // if it is not empty, a file must match one of these
	Exclude []string // a file or directory must not match any of these

	// A file must be in the part Part of Parts parts (package shard). If Parts is 0, files are not divided.
	Part, Parts int
}

// Check returns an error if a pattern is invalid or empty, or Part is not a part of Parts.
func (f Filter) Check() error {
	for _, list := range [][]string{f.Include, f.Exclude} {
		for _, pattern := range list {
			if _, err := path.Match(pattern, ""); err != nil || strings.Trim(pattern, "/") == "" {
				return fmt.Errorf("%q is not a valid pattern", pattern)
			}
		}
	}
	return f.shard().Check()
}

// shard returns Part and Parts as a Shard.
func (f Filter) shard() shard.Shard { return shard.Shard{Part: f.Part, Count: f.Parts} }

// Match reports whether the filter chooses the path name. If isDir is set, name is a directory, which Match
// chooses unless it is excluded.
func (f Filter) Match(name string, isDir bool) bool {
	if matchesAny(f.Exclude, name, isDir) {
		return false
	}
	return isDir || (len(f.Include) == 0 || matchesAny(f.Include, name, isDir)) && f.shard().Has(name)
}

// matchesAny reports whether one of patterns matches name, which is a directory if isDir is set. A
// pattern without a slash matches the last segment of name, and a pattern that ends in a slash
// matches only directories.
func matchesAny(patterns []string, name string, isDir bool) bool {
	for _, p := range patterns {
		p, onlyDirs := strings.CutSuffix(p, "/")
		if onlyDirs && !isDir {
			continue
		}
		if !strings.Contains(p, "/") {
			if matchesSegment(p, path.Base(name)) {
				return true
			}
			continue
		}
		if MatchPath(strings.Split(strings.TrimPrefix(p, "/"), "/"), strings.Split(name, "/")) {
			return true
		}
	}
	return false
}

// MatchPath reports whether the segments of a path match the segments of a pattern. Each
// segment of the pattern has the syntax of path.Match; "**" matches zero or more segments.
// A segment with a syntax error does not match.
//
// It compares at most len(pattern) times len(name) segments, because it goes back only to
// the last "**".
func MatchPath(pattern, name []string) bool {
	stars := -1           // the index of the last "**"
	p, n, from := 0, 0, 0 // stars matches the names before from
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			stars, from = p, n
			p++
		case p < len(pattern) && matchesSegment(pattern[p], name[n]):
			p, n = p+1, n+1
		case stars >= 0: // let "**" match one more segment
			from++
			p, n = stars+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}

// matchesSegment is path.Match, but returns false for a pattern with a syntax error.
func matchesSegment(pattern, name string) bool {
	ok, _ := path.Match(pattern, name)
	return ok
}
