package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"locus/access"
	"locus/internal/sentinel"
)

// reviewDir lists a directory again after files were sent into it: the target must have
// each of them, and its size. It remembers what the target says of them.
//
// It also lists the source again before something is deleted: a listing that was cut off
// between two lines looks complete.
func (s *sender) reviewDir(ctx context.Context, t task) {
	target, err := s.listDir(ctx, s.to, t.name)
	if err != nil {
		s.failed(ctx, t.name, true, err)
		return
	}
	source, err := s.listSource(ctx, t)
	if err != nil {
		s.failed(ctx, t.name, true, err)
		return
	}
	for _, base := range slices.Sorted(maps.Keys(source.entries)) {
		if ctx.Err() != nil {
			return
		}
		if err := s.reviewEntry(ctx, localPath(t.name, base), base, source.entries[base], target); err != nil {
			name := localPath(t.name, base)
			if s.sent.Has(sentKey(name, source.entries[base].version)) {
				s.update(func() { s.report.Files-- })
			}
			s.failed(ctx, name, true, err)
		}
	}
}

// errOtherName keeps Delete from removing a file that was just sent: a server that ignores
// case lists it under its old name.
var errOtherName = errors.New("the server does not list it under this name")

// errLost is the error of a file that a server accepted and then does not have, perhaps
// because it changed the name.
var errLost = sentinel.New("the server accepted it, but has no file of this name now", fs.ErrNotExist)

// reviewEntry checks an entry of the source, and remembers it if it was sent.
func (s *sender) reviewEntry(ctx context.Context, name, base string, e item, target listedDir) error {
	there, ok := target.entries[base]
	wasSent := s.sent.Has(sentKey(name, e.version))
	isDir := e.kind == access.Directory
	switch {
	case !ok && !target.opaque && s.Delete && base[0] != '.' && (isDir || wasSent) && s.Filter.Match(name, isDir) && !s.isTwin(name):
		return errOtherName
	case !wasSent:
		return nil
	case !ok:
		found, exists, err := s.statTarget(ctx, name) // servers hide some names
		if err != nil {
			return err
		}
		if !exists {
			return errLost
		}
		there = found
	}
	if there.Size >= 0 && there.kind != access.Link && e.Size >= 0 && there.Size != e.Size {
		return fmt.Errorf("the server has %d of its %d bytes: %w", there.Size, e.Size, access.ErrChanged)
	}
	s.log.record(sentFile{Name: name, Source: e.version, Target: there.seen()})
	return nil
}

// deleteAll removes parts of uploads that were killed, and with Delete what the source
// does not have.
func (s *sender) deleteAll(ctx context.Context) error {
	for t := range s.leftovers.All() {
		if err := s.stopped(ctx); err != nil {
			return err
		}
		if s.DryRun || s.kept.Has(t.name) {
			continue
		}
		if err := s.removeTarget(ctx, t); err != nil {
			s.skip(t.name, -1, leftBehind(err))
		}
	}
	if !s.Delete {
		return nil
	}
	order := newTasks(s.store) // a directory comes after its content
	s.report.NotDeleted = s.mayDelete(ctx, order)
	if s.report.NotDeleted != nil {
		return ctx.Err()
	}
	return s.deleteInOrder(ctx, order)
}

// deleteInOrder deletes what is in order. A directory comes after its content.
func (s *sender) deleteInOrder(ctx context.Context, order *taskQueue) error {
	done := "" // a directory of which nothing is left to delete
	for t := range order.All() {
		if err := s.stopped(ctx); err != nil {
			return err
		}
		switch {
		case done != "" && (t.name == done || strings.HasPrefix(t.name, done+"/")):
		case !t.absent:
			if err := s.remove(ctx, t); err != nil {
				s.failed(ctx, t.name, false, err)
			}
		case !s.DryRun && s.removeLink(ctx, t.name):
			done = t.name
		}
	}
	return nil
}

// removeLink removes what the server shows as a directory if it is a symbolic link. It
// reports whether nothing in there may be deleted: it is removed, or it may be a link.
//
// QUIRK: pyftpdlib shows a link to a directory as a directory. Only a link is removed by
// DELE.
func (s *sender) removeLink(ctx context.Context, name string) (done bool) {
	u, err := s.to.at(name, false)
	if err == nil {
		err = s.Retry.Do(ctx, func(ctx context.Context) error {
			_, err := s.to.engine.Do(ctx, &access.Request{Op: access.Delete, URL: u, Login: s.Login})
			return err
		}, s.notify(name))
	}
	if refused, ok := errors.AsType[*access.Error](err); ok && refused.Reply != nil && refused.Reply.Code/100 == 5 {
		return false // it is a directory
	}
	if err != nil {
		s.failed(ctx, name, false, err)
		return true
	}
	if err := s.checkDeleted(ctx, name); err != nil {
		s.failed(ctx, name, false, err)
		return true
	}
	s.deleted(name, Deleted)
	return true
}

// checkDeleted returns an error if the target still lists a link.
//
// QUIRK: ftpd of the GNU inetutils answers 250, and a link to a directory stays.
func (s *sender) checkDeleted(ctx context.Context, name string) error {
	there, err := s.listDir(ctx, s.to, path.Dir(name))
	if err != nil {
		return err
	}
	if _, ok := there.entries[path.Base(name)]; ok {
		return errStays
	}
	return nil
}

var errStays = errors.New("the server says that it has deleted the link, and still lists it; remove it there, or exclude it")

var errUnlisted = errors.New("the server does not list its directories")

// mayDelete adds what to delete to order. It returns why nothing may be deleted.
func (s *sender) mayDelete(ctx context.Context, order *taskQueue) error {
	switch {
	case s.incomplete || s.report.Failed > 0:
		return errors.New("not everything could be read and sent")
	case s.unlisted:
		return errUnlisted
	case s.found == 0 && s.Filter.hasPatterns():
		return errNoMatch
	case s.found == 0:
		return errors.New("the source is empty")
	}
	for t := range s.extra.All() {
		if err := s.stopped(ctx); err != nil {
			return err
		}
		if err := s.checkGone(ctx, t.name); err != nil {
			return err
		}
		if _, err := s.addExtra(ctx, order, t); err != nil {
			return err
		}
	}
	return checkDeletes(order.Len()-s.maybeLinks, s.MaxDelete)
}

// checkGone returns an error if the source has the name after all.
func (s *sender) checkGone(ctx context.Context, name string) error {
	u, err := s.from.at(name, false)
	if err != nil {
		return err
	}
	_, err = s.statOf(ctx, s.from, u, name)
	switch {
	case err == nil:
		return fmt.Errorf("%s: the source has it after all", name)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errors.ErrUnsupported):
		return nil
	}
	return fmt.Errorf("%s: the source may have it after all: %w", name, err)
}

// addExtra adds a file to order, or a directory with all that is in it. all is false if
// something in it stays. Before a directory of FTP it adds its name with absent, for
// removeLink.
func (s *sender) addExtra(ctx context.Context, order *taskQueue, t task) (all bool, err error) {
	if !t.isDir {
		order.Add(t)
		return true, nil
	}
	if t.level > maxDepth {
		return false, tooDeep(s.target(t.name))
	}
	if _, isFTP := s.to.tree.(ftpTree); isFTP {
		order.Add(task{name: t.name, absent: true})
		s.maybeLinks++
	}
	inside, err := s.listDir(ctx, s.to, t.name)
	switch {
	case err != nil:
		return false, err
	case inside.opaque:
		return false, errUnlisted
	}
	all = true
	for _, base := range slices.Sorted(maps.Keys(inside.entries)) {
		e := inside.entries[base]
		child := task{name: localPath(t.name, base), isDir: e.kind == access.Directory, kind: e.kind, level: t.level + 1}
		if !e.hasURL || !s.Filter.Match(child.name, child.isDir) {
			all = false
			continue
		}
		whole, err := s.addExtra(ctx, order, child)
		if err != nil {
			return false, err
		}
		all = all && whole
	}
	if all {
		order.Add(t)
	}
	return all, nil
}

// remove removes and counts a file or an empty directory of the target.
func (s *sender) remove(ctx context.Context, t task) error {
	kind := WouldDelete
	if !s.DryRun {
		kind = Deleted
		if err := s.removeTarget(ctx, t); err != nil {
			return err
		}
		if t.kind == access.Link {
			if err := s.checkDeleted(ctx, t.name); err != nil {
				return err
			}
		}
	}
	s.deleted(t.name, kind)
	return nil
}

// deleted counts and reports what was removed, or would be.
func (s *sender) deleted(name string, kind Kind) {
	s.report.Deleted++
	s.Event(Event{Kind: kind, URL: s.target(name), Name: name, Size: -1})
}

// removeTarget removes a file or an empty directory of the target. It is no error if it is
// gone.
func (s *sender) removeTarget(ctx context.Context, t task) error {
	u, err := s.to.at(t.name, t.isDir)
	if err != nil {
		return err
	}
	err = s.Retry.Do(ctx, func(ctx context.Context) error {
		_, err := s.to.engine.Do(ctx, &access.Request{Op: access.Delete, URL: u, Login: s.Login})
		return err
	}, s.notify(t.name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
