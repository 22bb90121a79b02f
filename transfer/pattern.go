package transfer

import (
	"fmt"
	"path"
	"strings"
)

// A Filter chooses what a mirror fetches, by paths below its root, such as
// "pub/a.txt". A pattern is that of path.Match, in which "**" as a segment of its
// own stands for any number of segments. A pattern without a slash is one for the
// last name of a path; one that ends in a slash is one for directories alone.
//
// A directory that is excluded is not entered. Include does not keep from
// entering one.
type Filter struct {
	Include []string // if there are any, a file must match one
	Exclude []string // what matches one is left out, included or not
}

// Check returns what is wrong with the patterns.
func (f Filter) Check() error {
	for _, list := range [][]string{f.Include, f.Exclude} {
		for _, pattern := range list {
			if _, err := path.Match(pattern, ""); err != nil || strings.Trim(pattern, "/") == "" {
				return fmt.Errorf("%q is no pattern", pattern)
			}
		}
	}
	return nil
}

// Takes reports whether a file, or a directory, is to be fetched.
func (f Filter) Takes(name string, dir bool) bool {
	if anyFits(f.Exclude, name, dir) {
		return false
	}
	return dir || len(f.Include) == 0 || anyFits(f.Include, name, dir)
}

func anyFits(patterns []string, name string, dir bool) bool {
	for _, p := range patterns {
		p, onlyDirs := strings.CutSuffix(p, "/")
		if onlyDirs && !dir {
			continue
		}
		if !strings.Contains(p, "/") {
			if ok, _ := path.Match(p, path.Base(name)); ok {
				return true
			}
			continue
		}
		if fits(strings.Split(strings.TrimPrefix(p, "/"), "/"), strings.Split(name, "/")) {
			return true
		}
	}
	return false
}

// fits reports whether segments match a pattern.
func fits(pattern, segments []string) bool {
	for i, p := range pattern {
		if p == "**" {
			for n := range len(segments) - i + 1 {
				if fits(pattern[i+1:], segments[i+n:]) {
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
