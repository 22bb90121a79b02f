package sync

import (
	"errors"
	"fmt"
	"path"
	"reflect"

	"locus/access"
	"locus/internal/glob"
	"locus/transfer/internal/tree"
	"locus/url"
)

// ErrOverlap says that one of two trees is in the other: a copy would copy a tree into
// itself, or delete its source.
var ErrOverlap = errors.New("one of the folders is in the other")

// checkOverlap returns an error that wraps ErrOverlap if a Send between these endpoints would
// copy a tree into itself, or delete its source.
func (s *sender) checkOverlap(from, to Endpoint) error {
	if !haveSameRoot(from, to) || !areOverlapping(s.from.shown, s.to.shown, s.Filter, s.Delete) {
		return nil
	}
	return fmt.Errorf("send %s to %s: %w", s.from.shown.Start.Redacted(), s.to.shown.Start.Redacted(), ErrOverlap)
}

// CheckOverlap returns an error that wraps ErrOverlap if the folder source must not be mirrored
// into the folder target. See transfer.MirrorOptions.CheckOverlap.
func CheckOverlap(source, target url.URL, filter glob.Filter, deletes bool) error {
	from, err := tree.At(source)
	if err != nil {
		return err
	}
	to, err := tree.At(target)
	if err != nil || !areOverlapping(from, to, filter, deletes) {
		return err
	}
	return fmt.Errorf("mirror %s into %s: %w", from.Start.Redacted(), to.Start.Redacted(), ErrOverlap)
}

// areOverlapping reports whether target is in source, so that a copy would not end, or, if
// deletes is set, source is in target, so that the copy would delete its source. A tree that the
// filter excludes is safe.
func areOverlapping(source, target tree.Tree, filter glob.Filter, deletes bool) bool {
	targetName, targetInside := nameIn(source, target)
	sourceName, sourceInside := nameIn(target, source)
	return targetInside && !isExcluded(filter, targetName) || deletes && sourceInside && !isExcluded(filter, sourceName)
}

// haveSameRoot reports whether equal URLs name the same file at both endpoints. It is false if
// that is unknown.
func haveSameRoot(a, b Endpoint) bool {
	if !a.Shown.IsZero() && !b.Shown.IsZero() {
		return true
	}
	return isSameEngine(a.Engine, b.Engine)
}

// isSameEngine reports whether a and b are the same value. It is false for types that cannot be
// compared.
func isSameEngine(a, b access.Engine) bool {
	return a != nil && reflect.TypeOf(a) == reflect.TypeOf(b) && reflect.ValueOf(a).Comparable() && a == b
}

// nameIn returns the path of the root of inner below the root of outer; "." if the roots are the
// same. ok is false if inner is not in outer.
func nameIn(outer, inner tree.Tree) (name string, ok bool) {
	dirs, last, ok := outer.PathOf(inner.Start)
	if !ok {
		return "", false
	}
	return path.Join(append(append([]string{"."}, dirs...), last)...), true
}

// isExcluded reports whether the filter excludes the named directory, or a directory above it.
func isExcluded(filter glob.Filter, name string) bool {
	for ; name != "." && name != ""; name = path.Dir(name) {
		if !filter.Match(name, true) {
			return true
		}
	}
	return false
}
