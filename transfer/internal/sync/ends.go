package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"locus/access"
	"locus/internal/sentinel"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
	"locus/url"
)

// ends are the source and the target of a sender, with the requests that both get: listings,
// Stat, and changes of the target. Requests are tried again after transient failures.
type ends struct {
	*run
	from, to side
}

// A side is the source or the target of a sender.
type side struct {
	engine access.Engine
	tree   tree.Tree
	shown  tree.Tree // the tree in events
}

// failed reports the failure err of the named file or directory. It does not report it if the run
// is being stopped. mayLead says that files of the source may not have been found because of it, so
// that the run is incomplete.
func (s *ends) failed(ctx context.Context, name string, mayLead bool, err error) {
	if mayLead {
		s.miss()
	}
	if ctx.Err() == nil && s.store.Err() == nil {
		s.Event(fetch.Event{Kind: fetch.Failed, URL: s.target(name), Name: name, Size: -1, Err: err})
	}
}

// skip reports that the named file, of size bytes, is not sent for the reason why.
func (s *ends) skip(name string, size int64, why error) {
	s.Event(fetch.Event{Kind: fetch.Skipped, URL: s.target(name), Name: name, Size: size, Err: why})
}

// target returns the URL of the named file at the target, for events. If the name cannot be in a
// URL, it returns the URL of the root.
func (s *ends) target(name string) url.URL {
	shown := side{tree: s.to.shown}
	u, err := shown.at(name, false)
	if err != nil {
		return s.to.shown.Start
	}
	return u
}

// at returns the URL of the named file or directory below the root of the side; "." is the root.
func (s side) at(name string, isDir bool) (url.URL, error) {
	if name == "." {
		return s.tree.Start, nil
	}
	return s.tree.At(splitName(name), isDir)
}

// ask sends a request without a body to the side of, about the named file or directory, and returns
// the entry in the response. It tries again after a transient failure, also for an Op that changes
// the target, because making or removing a name twice does no harm.
func (s *ends) ask(ctx context.Context, of side, op access.Op, name string, isDir bool) (e access.Entry, err error) {
	u, err := of.at(name, isDir)
	if err != nil {
		return e, err
	}
	err = s.repeat(ctx, s.target(name), name, func(ctx context.Context) error {
		r, err := of.engine.Do(ctx, &access.Request{Op: op, URL: u, Login: s.Login})
		if err == nil {
			e = r.Entry
		}
		return err
	})
	return e, err
}

// makeDir makes a directory of the target. It returns nil if the directory exists, or if the server
// makes directories by itself.
func (s *ends) makeDir(ctx context.Context, name string) error {
	_, err := s.ask(ctx, s.to, access.MakeDir, name, true)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// makeRoot makes the root of the target. If that fails, it makes the missing directories above the
// root, and tries again. If they cannot be made, it returns the error of the first attempt.
func (s *ends) makeRoot(ctx context.Context) error {
	err := s.makeDir(ctx, ".")
	if err == nil {
		return nil
	}
	above, ok := s.to.tree.Parent()
	if !ok {
		return err
	}
	t, treeErr := tree.WritableAt(above, "written")
	if treeErr != nil {
		return err
	}
	higher := &ends{run: s.run, to: side{s.to.engine, t, t}}
	if higherErr := higher.makeRoot(ctx); higherErr != nil {
		return err
	}
	return s.makeDir(ctx, ".")
}

// localPath joins dir, the path of a directory below the root ("." for the root itself), and name.
func localPath(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// checkName returns an error that wraps fs.ErrInvalid unless name is a plain file name, because
// joining another name to its directory could lead to another directory.
func checkName(name string) error {
	if name == "" || name == "." || name == ".." || path.Base(name) != name || containsNUL(name) {
		return fmt.Errorf("%q cannot be the name of a file: %w", name, fs.ErrInvalid)
	}
	return nil
}

// maxListing is how many bytes the entries of one directory may take in memory: their names, and
// about 200 bytes more for each.
const maxListing = 256 << 20

// A listedDir is a listing, by name.
type listedDir struct {
	entries map[string]item
	absent  bool // there is no such directory
	opaque  bool // the server does not list it
	isWhole bool // Stat did not find a name that the listing lacks
}

// listSource lists a directory of the source. It fails if the directory does not exist or cannot be
// listed.
func (s *ends) listSource(ctx context.Context, t task) (listedDir, error) {
	source, err := s.listDir(ctx, s.from, t.name)
	if err == nil && (source.absent || source.opaque) {
		err = &access.Error{Op: "list", URL: t.url, Err: errNotListed}
	}
	return source, err
}

var errNotListed = sentinel.New("the server does not list it as a folder", errors.ErrUnsupported)

// listDir lists the named directory of one side. After a transient failure it lists the directory
// again from its start. A directory that does not exist, or that the server does not list, is not
// an error: see listedDir.
func (s *ends) listDir(ctx context.Context, of side, name string) (listedDir, error) {
	u, err := of.at(name, true)
	if err != nil {
		return listedDir{}, err
	}
	var found listedDir
	err = s.repeat(ctx, s.target(name), name, func(ctx context.Context) (err error) {
		found, err = s.readDir(ctx, of, name, u)
		return err
	})
	return found, err
}

// readDir makes one attempt to list the named directory, whose URL is u. A directory that does not
// exist is absent, and a directory that the server cannot list is opaque; neither is an error.
func (s *ends) readDir(ctx context.Context, of side, name string, u url.URL) (listedDir, error) {
	found := listedDir{entries: make(map[string]item)}
	r, err := of.engine.Do(ctx, &access.Request{URL: u, Login: s.Login, List: true})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return listedDir{absent: true}, nil
	case of.tree.Unlisted && errors.Is(err, fs.ErrPermission) && !errors.Is(err, access.ErrPassword), errors.Is(err, errors.ErrUnsupported):
		return listedDir{opaque: true}, nil
	case err != nil:
		return found, err
	}
	defer r.Body.Close()
	if r.List == nil {
		return listedDir{opaque: true}, nil
	}
	size := 0
	err = s.entries(ctx, r.List, func(e access.Entry) error {
		child, isBelow, err := childOf(of.tree, name, e)
		if err != nil || !isBelow {
			return err
		}
		if size += len(child) + 200; size > maxListing {
			return fmt.Errorf("%s: %w", u.Redacted(), access.ErrTooLong)
		}
		found.entries[child] = itemOf(e)
		return nil
	})
	return found, err
}

// childOf returns the name of e in the directory dir. ok is false if e is not directly in dir. It
// fails if it cannot tell, because the entry may be a file whose line was garbled, and then the
// listing is incomplete.
func childOf(t tree.Tree, dir string, e access.Entry) (name string, ok bool, err error) {
	if e.URL.IsZero() {
		if t.Garbled {
			return "", false, fmt.Errorf("the listing has an invalid entry: %q", e.Title)
		}
		return e.Title, checkName(e.Title) == nil, nil // a device, or a socket
	}
	dirs, name, below := t.PathOf(e.URL)
	if !below || len(dirs) == 0 && name == "" {
		return "", false, nil
	}
	if name == "" {
		dirs, name = dirs[:len(dirs)-1], dirs[len(dirs)-1]
	}
	for _, d := range append(dirs, name) {
		if err := checkName(d); err != nil {
			return "", false, err
		}
	}
	return name, path.Join(append([]string{"."}, dirs...)...) == dir, nil
}

// statTarget sends a Stat for the named file to the target. ok is false if the file does not exist
// or if there is an error. If the server does not support Stat, ok is true, and the size and the
// time of found are unknown.
func (s *ends) statTarget(ctx context.Context, name string) (found item, ok bool, err error) {
	e, err := s.ask(ctx, s.to, access.Stat, name, false)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return item{version: version{Size: -1}}, true, nil
	case errors.Is(err, fs.ErrNotExist):
		return found, false, nil
	}
	return itemOf(e), err == nil, err
}

// removeLink removes name from the target if name is a symbolic link that the server shows as a
// directory. done is false if name is a directory, whose files the caller deletes one by one. done
// is true if name was such a link, or may be one. Then the files below name must stay. It counts
// and reports a link that it has removed, and reports failures.
//
// QUIRK: pyftpdlib shows a link to a directory as a directory. Only a link is removed by DELE.
func (s *ends) removeLink(ctx context.Context, name string) (done bool) {
	_, err := s.ask(ctx, s.to, access.Delete, name, false)
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
	s.deleted(name, fetch.Deleted)
	return true
}

// checkDeleted returns an error if the target still lists the named link, which it has accepted to
// delete.
//
// QUIRK: ftpd of the GNU inetutils answers 250, and a link to a directory stays.
func (s *ends) checkDeleted(ctx context.Context, name string) error {
	there, err := s.listDir(ctx, s.to, path.Dir(name))
	if err != nil {
		return err
	}
	if _, ok := there.entries[path.Base(name)]; ok {
		return errStays
	}
	return nil
}

var errStays = errors.New("the server reports that it deleted the link, but still lists it; remove it there, or exclude it")

// checkGone asks the source whether it has the named file, which its listing lacks, so that the
// file is not deleted by mistake. It returns an error if the source has the file, or if the request
// fails. It returns nil if the file does not exist, or if the source does not support Stat.
func (s *ends) checkGone(ctx context.Context, name string) error {
	_, err := s.ask(ctx, s.from, access.Stat, name, false)
	switch {
	case err == nil:
		return fmt.Errorf("%s: the source has it after all", name)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errors.ErrUnsupported):
		return nil
	}
	return fmt.Errorf("%s: the source may have it after all: %w", name, err)
}

// remove removes a file or an empty directory of the target, and counts and reports it. It returns
// an error if the target still lists a link that it has removed. In a dry run it only counts and
// reports.
func (s *ends) remove(ctx context.Context, t task) error {
	kind := fetch.WouldDelete
	if !s.DryRun {
		kind = fetch.Deleted
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

// deleted counts and reports a file that was removed, or would be removed.
func (s *ends) deleted(name string, kind fetch.Kind) {
	s.report.Deleted++
	s.Event(fetch.Event{Kind: kind, URL: s.target(name), Name: name, Size: -1})
}

// removeTarget removes a file or an empty directory of the target, without counting it. It returns
// nil if it is gone already.
func (s *ends) removeTarget(ctx context.Context, t task) error {
	_, err := s.ask(ctx, s.to, access.Delete, t.name, t.isDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// splitName returns the segments of a path below a root.
func splitName(name string) []string { return strings.Split(name, "/") }

func containsNUL(name string) bool { return strings.Contains(name, "\x00") }
