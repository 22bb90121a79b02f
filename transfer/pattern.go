package transfer

import (
	"fmt"
	"path"
	"strings"
)

// A Filter chooses what a mirror fetches. It matches paths below the root, such as
// "pub/a.txt". A pattern has the syntax of path.Match; a segment "**" matches any
// number of segments. A pattern without a slash matches the last segment of a path.
// One that ends in a slash matches directories only.
//
// An excluded directory is not entered. Include applies to files only.
type Filter struct {
	Include []string // if there are any, a file must match one
	Exclude []string // a file or directory must match none
}

// Check returns an error if a pattern is invalid.
func (f Filter) Check() error {
	for _, list := range [][]string{f.Include, f.Exclude} {
		for _, pattern := range list {
			if _, err := path.Match(pattern, ""); err != nil || strings.Trim(pattern, "/") == "" {
				return fmt.Errorf("%q is not a valid pattern", pattern)
			}
		}
	}
	return nil
}

// Match reports whether a mirror fetches the file or directory name.
func (f Filter) Match(name string, isDir bool) bool {
	if matchesAny(f.Exclude, name, isDir) {
		return false
	}
	return isDir || len(f.Include) == 0 || matchesAny(f.Include, name, isDir)
}

func matchesAny(patterns []string, name string, isDir bool) bool {
	for _, p := range patterns {
		p, onlyDirs := strings.CutSuffix(p, "/")
		if onlyDirs && !isDir {
			continue
		}
		if !strings.Contains(p, "/") {
			if ok, _ := path.Match(p, path.Base(name)); ok {
				return true
			}
			continue
		}
		if matchSegments(strings.Split(strings.TrimPrefix(p, "/"), "/"), strings.Split(name, "/")) {
			return true
		}
	}
	return false
}

// matchSegments reports whether a path matches a pattern.
func matchSegments(pattern, segments []string) bool {
	for i, p := range pattern {
		if p == "**" {
			for n := range len(segments) - i + 1 {
				if matchSegments(pattern[i+1:], segments[i+n:]) {
					return true
				}
			}
			return false
		}
		if i >= len(segments) {
			return false
		}
		if ok, _ := path.Match(p, segments[i]); !ok {
			return false
		}
	}
	return len(segments) == len(pattern)
}
