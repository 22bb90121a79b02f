package sync

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"locus/access"
	"locus/transfer/internal/fetch"
)

// file does the task t of a file that a listing has named: it fetches the file, unless the local
// file is the same. It reports success and failure as events. It calls received once another task
// may use the server, perhaps before it returns.
func (m *walk) file(ctx context.Context, t task, received func()) {
	if err := m.checkSize(t); err != nil {
		m.failed(t.url, t.name, false, err)
		return
	}
	if !t.absent {
		if info, err := m.root.Lstat(t.name); err == nil && m.isSame(ctx, t, info) {
			m.upToDate(t, info)
			return
		}
	}
	if m.DryRun {
		m.dryRunFile(ctx, t)
		return
	}
	if m.tree.Scattered {
		if err := m.mkdir(path.Dir(t.name)); err != nil {
			m.failed(t.url, t.name, false, err)
			return
		}
	}
	isElsewhere, claimed := false, t.name
	isDangling := func(err error) bool {
		return t.kind == access.Link && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission))
	}
	d := m.download(m.request(t), t.name, received)
	d.ListedTime, d.Absent = t.modTime, t.absent
	d.ChooseName = func(r *access.Resource) (string, error) {
		switch isElsewhere = m.isElsewhere(r.URL); {
		case isElsewhere:
			return "", &fetch.Skip{Why: ErrOtherHost}
		case r.List != nil:
			return "", &fetch.Skip{Why: errLinked}
		}
		name, err := m.typedName(t, claimed, r.Type)
		if err == nil {
			claimed = name
		}
		return name, err
	}
	d.IsQuiet = func(err error) bool {
		return m.stopIfFull(t.name, err) || isDangling(err) || m.mayBeDir(t, err)
	}
	result, err := d.Run(ctx)
	switch {
	case isElsewhere && err == nil:
		m.omit(t.url, t.name, ErrOtherHost)
	case err == nil:
		m.fetched(result)
	case m.mayBeDir(t, err):
		m.pushAsDir(t)
	case isDangling(err):
		t.size = -1
		m.skip(t, errLinked)
	default:
		m.failed(t.url, t.name, false, nil)
	}
}

// pushAsDir pushes the task t again as a directory, because its entry turned out not to be a file.
// It takes back the name and the count of the file.
func (m *walk) pushAsDir(t task) {
	m.names.release(t.name)
	_ = m.countFile(-1)                              // a smaller count cannot fail
	if err := m.names.claimDir(t.name); err != nil { // here, because no entry of an empty directory claims it
		m.failed(t.url, t.name, true, err)
		return
	}
	m.push(task{url: m.tree.Directory(t.url), name: t.name, isDir: true, size: -1, level: t.level})
}

// dryRunFile reports that the file of t would be fetched. It opens the file first if the name of
// the local file depends on the media type, or if the entry may be a directory, whose files Delete
// must keep. Then it may also report a failure, or push a directory.
func (m *walk) dryRunFile(ctx context.Context, t task) {
	if m.tree.Name != nil || t.kind == access.Unknown && t.size < 0 {
		r, err := m.retries("").Do(ctx, m.request(t))
		if err == nil {
			r.Body.Close()
			if m.isElsewhere(r.URL) {
				m.omit(t.url, t.name, ErrOtherHost)
				return
			}
			t.name, err = m.typedName(t, t.name, r.Type)
		}
		if m.mayBeDir(t, err) {
			m.pushAsDir(t)
			return
		}
		if err != nil {
			m.failed(t.url, t.name, false, err)
			return
		}
	}
	m.wouldFetch(t)
}

// request returns the request for the file of t. Known has the size and the exact time from the
// listing; it is nil if the listing lacks the size.
func (m *walk) request(t task) *access.Request {
	req := &access.Request{URL: t.url, Login: m.loginFor(t.url)}
	if t.size >= 0 {
		req.Known = &access.Entry{Size: t.size, Kind: t.kind}
		if fetch.HasSeconds(t.modTime) {
			req.Known.ModTime = t.modTime
		}
	}
	return req
}

// isSame reports whether the local file, which info describes, is up to date. If the listing is not
// exact enough, it asks the server. It also asks for a link, because a listing has the size and
// time of the link itself. It returns false after an error.
func (m *walk) isSame(ctx context.Context, t task, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() {
		return false
	}
	local := version{info.Size(), info.ModTime()}
	if t.kind != access.Link {
		if t.size != local.Size || t.modTime.IsZero() {
			return false
		}
		if listed := compare(version{t.size, t.modTime}, local, false); listed != unclear {
			return listed == same
		}
	}
	e, err := m.retries(t.name).Do(ctx, &access.Request{Op: access.Stat, URL: t.url, Login: m.Login})
	return err == nil && compare(version{e.Size, e.ModTime}, local, true) == same
}

// mayBeDir reports whether the entry of t, whose request failed with err, may be a directory. A
// listing by NLST does not tell files from directories.
func (r *remote) mayBeDir(t task, err error) bool {
	return t.kind == access.Unknown && errors.Is(err, fs.ErrNotExist) && r.tree.Directory(t.url) != t.url
}

// checkSize returns an error if a listing says that a file is larger than MaxSize. It ignores the
// size of a link, because the file behind the link may be smaller.
func (m *walk) checkSize(t task) error {
	if m.File.MaxSize <= 0 || t.size <= m.File.MaxSize || t.kind == access.Link {
		return nil
	}
	return fetch.TooLarge(t.url, m.File.MaxSize)
}
