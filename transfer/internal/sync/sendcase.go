package sync

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"locus/access"
	"locus/internal/sentinel"
)

// fold returns a form of name that is equal for names which differ only in case, so that a server
// that ignores case does not tell them apart.
func fold(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// findTwins adds to s.twins the names in the directory dir of the source that differ from each
// other only in case. It leaves out the names that the target has already, because its server tells
// them apart.
func (s *sender) findTwins(dir string, source, target listedDir) {
	first := make(map[string]string, len(source.entries))
	note := func(base string) {
		if _, exists := target.entries[base]; !exists {
			s.update(func() { s.twins.Add(localPath(dir, base)) })
		}
	}
	for base := range source.entries {
		if other, ok := first[fold(base)]; ok {
			note(base)
			note(other)
		}
		first[fold(base)] = base
	}
}

// asTwin calls do, which sends the file or makes the named directory, and returns its error. If
// name is in s.twins, asTwin calls do while no other twin is sent. It then also returns an error if
// the target lists the name in another case, before or after do.
func (s *sender) asTwin(ctx context.Context, name string, isDir bool, do func() error) error {
	if !s.isTwin(name) {
		return do()
	}
	s.twinLock.Lock()
	defer s.twinLock.Unlock()
	if err := s.checkCase(ctx, name, isDir); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return s.checkCase(ctx, name, isDir)
}

// isTwin reports whether name is in s.twins: it differs from another name in its directory only in
// case.
func (s *sender) isTwin(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.twins.Has(name)
}

// checkCase returns an error that wraps ErrOneName if the target has the named file or directory,
// but lists it in another case.
func (s *sender) checkCase(ctx context.Context, name string, isDir bool) error {
	if _, err := s.ask(ctx, s.to, access.Stat, name, isDir); err != nil {
		return nil //nolint:nilerr // the name is free, or the server does not tell
	}
	there, err := s.listDir(ctx, s.to, path.Dir(name))
	if err != nil {
		return err
	}
	base := path.Base(name)
	if _, exact := there.entries[base]; exact {
		return nil
	}
	for other := range there.entries {
		if fold(other) == fold(base) {
			return fmt.Errorf("the server treats %q and %q as the same name; rename one of them, or exclude it: %w", base, other, ErrOneName)
		}
	}
	return nil
}

// ErrOneName says that two files of the source would be one at the target.
var ErrOneName = sentinel.New("they would be one file", errors.ErrUnsupported)
