package transfer

import (
	"fmt"
	"path"
	"reflect"

	"locus/access"
	"locus/internal/sentinel"
)

// ErrOverlap says that Send was given two trees, one of which is in the other: it would
// copy a tree into itself, or delete its source.
var ErrOverlap error = &sentinel.Error{Text: "one of the folders is in the other"}

// checkOverlap returns ErrOverlap if the target is in the source, or if Delete would
// remove the source from the target. A tree that the Filter excludes is safe.
func (s *sender) checkOverlap(from, to Place) error {
	if !haveSameRoot(from, to) {
		return nil
	}
	source, target := s.from.shown, s.to.shown
	targetName, targetInside := nameIn(source, target)
	sourceName, sourceInside := nameIn(target, source)
	switch {
	case targetInside && !s.isExcluded(targetName):
	case s.Delete && sourceInside && !s.isExcluded(sourceName):
	default:
		return nil
	}
	return fmt.Errorf("send %s to %s: %w", source.start().Redacted(), target.start().Redacted(), ErrOverlap)
}

// haveSameRoot reports whether equal URLs name the same file in both places.
func haveSameRoot(a, b Place) bool {
	if !a.Shown.IsZero() && !b.Shown.IsZero() {
		return true
	}
	return isSameEngine(a.Engine, b.Engine)
}

func isSameEngine(a, b access.Engine) bool {
	return a != nil && reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && a == b
}

// nameIn returns the name of the root of inner below the root of outer; "." for the same.
func nameIn(outer, inner tree) (name string, ok bool) {
	dirs, last, ok := outer.place(inner.start())
	if !ok {
		return "", false
	}
	return path.Join(append(append([]string{"."}, dirs...), last)...), true
}

// isExcluded reports whether the Filter excludes a directory, or one above it.
func (s *sender) isExcluded(name string) bool {
	for ; name != "."; name = path.Dir(name) {
		if !s.Filter.Match(name, true) {
			return true
		}
	}
	return false
}
