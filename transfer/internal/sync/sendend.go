package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"locus/access"
	"locus/internal/sentinel"
	"locus/transfer/internal/tree"
)

// reviewDir lists the directory of t again after files were sent into it. The target must have each
// file with its size, or reviewDir reports a failure. The manifest gets the versions that the target
// lists.
//
// It also lists the source again, because a listing that was cut off between two lines looks
// complete, and then Delete would remove too much.
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
	hasExtra := s.hasExtra(t.name, source, target)
	for _, base := range slices.Sorted(maps.Keys(source.entries)) {
		if ctx.Err() != nil {
			return
		}
		name := localPath(t.name, base)
		err := s.reviewEntry(ctx, name, base, source.entries[base], target)
		if err == nil && hasExtra && base[0] != '.' && s.hidden.Has(name) { // servers hide names that begin with a dot
			err = errOtherName // the extra file may be this one
		}
		if err != nil {
			if _, wasSent := s.sent.find(name); wasSent {
				s.update(func() { s.report.Files-- })
			}
			s.failed(ctx, name, true, err)
		}
	}
}

// hasExtra reports whether Delete would remove an entry of target, the directory dir of the target.
// It is false without Delete.
func (s *sender) hasExtra(dir string, source, target listedDir) bool {
	for base, e := range target.entries {
		_, ok := source.entries[base]
		if !ok && s.Delete && e.hasURL && base != tree.StateDir && s.Filter.Match(localPath(dir, base), e.kind == access.Directory) {
			return true
		}
	}
	return false
}

// errOtherName keeps Delete from removing a file of the source, because a server that ignores case
// lists the file under its old name.
var errOtherName = errors.New("the server does not list it under this name")

// errLost is the error of a file that a server accepted and then does not have, perhaps
// because it changed the name.
var errLost = sentinel.New("the server accepted it, but has no file of this name now", fs.ErrNotExist)

// reviewEntry checks that target has the entry e, called base, of the source, if the file was sent.
// It then records the file in the manifest. It looks the sent version up by its name, because e may
// be another version: a link is listed with its own size and time, and a listing may lack the size or
// the time of a file. The error is errOtherName if Delete might remove the file under another name,
// and errLost if the target does not have the file.
func (s *sender) reviewEntry(ctx context.Context, name, base string, e item, target listedDir) error {
	there, ok := target.entries[base]
	sent, wasSent := s.sent.find(name)
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
	if there.Size >= 0 && there.kind != access.Link && sent.Size >= 0 && there.Size != sent.Size {
		return fmt.Errorf("the server has %d of its %d bytes: %w", there.Size, sent.Size, access.ErrChanged)
	}
	if sent.wasCompared || sent.is(e.version) { // otherwise a later run would compare another version
		s.log.record(sentFile{Name: name, Source: sent.version, Target: there.seen()})
	}
	return nil
}

// removeLeftovers removes the parts of uploads that were killed, except the parts that a later run
// may continue. A part that cannot be removed is reported as skipped.
func (s *sender) removeLeftovers(ctx context.Context) error {
	return s.removeAll(ctx, s.leftovers, func(t task) error {
		if s.kept.Has(t.name) {
			return nil
		}
		if err := s.removeTarget(ctx, t); err != nil {
			s.skip(t.name, -1, leftBehind(err))
		}
		return nil
	})
}

// deletion returns the functions by which a sender deletes the files that only the target has.
func (s *sender) deletion() deletion {
	return deletion{
		incomplete: errNotSent,
		empty:      errors.New("the source is empty"),
		refuse:     s.refuse,
		find:       s.findGone,
		confirm:    func(context.Context) error { return nil }, // findGone asks for each name
		remove:     s.deleteInOrder,
	}
}

var errNotSent = errors.New("not everything could be read and sent")

// refuse returns the reason if Delete must keep all files of the target: a file of the source was not
// sent, or the target does not list its directories. Otherwise it returns nil.
func (s *sender) refuse() error {
	switch {
	case s.report.Failed > 0:
		return errNotSent
	case s.unlisted:
		return errUnlisted
	}
	return nil
}

// deleteInOrder deletes the files of order, where a directory comes after its content. It reports a
// file that cannot be deleted, and continues. The error says why order cannot be read, or why the
// run stopped. A task whose absent is true deletes nothing itself: it stands before the content of a
// directory that may be a link. If removeLink removes that link, the content stays.
func (s *sender) deleteInOrder(ctx context.Context, order *taskQueue) error {
	done := "" // a directory that removeLink has removed
	return s.removeAll(ctx, order, func(t task) error {
		switch {
		case done != "" && (t.name == done || strings.HasPrefix(t.name, done+"/")):
		case !t.absent:
			if err := s.remove(ctx, t); err != nil {
				s.failed(ctx, t.name, false, err)
			}
		case !s.DryRun && s.removeLink(ctx, t.name):
			done = t.name
		}
		return nil
	})
}

var errUnlisted = errors.New("the server does not list its folders")

// findGone adds the extra files of the target, and the content of its extra directories, to order,
// and returns how many of them will be deleted. It asks the source for each extra name, and returns
// an error if the source has the name now.
func (s *sender) findGone(ctx context.Context, order *taskQueue) (int, error) {
	for t := range s.extra.All() {
		if err := s.stopped(ctx); err != nil {
			return 0, err
		}
		if err := s.checkGone(ctx, t.name); err != nil {
			return 0, err
		}
		if _, err := s.addExtra(ctx, order, t); err != nil {
			return 0, err
		}
	}
	return order.Len() - s.maybeLinks, nil
}

// addExtra adds the extra file or directory t of the target to order. A directory comes after its
// content. If something in the directory stays, the directory stays, too, and all is false. If the
// server shows links as directories, addExtra first adds an absent task with the name of the
// directory, so that removeLink looks whether it is a link.
func (s *sender) addExtra(ctx context.Context, order *taskQueue, t task) (all bool, err error) {
	if !t.isDir {
		order.Add(t)
		return true, nil
	}
	if t.level > tree.MaxDepth {
		return false, tree.TooDeep(s.target(t.name))
	}
	if s.to.tree.LinksAsDirs {
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
