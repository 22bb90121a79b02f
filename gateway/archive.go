package gateway

import (
	"cmp"
	"math"
	"net/http"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/pack"
	"locus/gateway/internal/refuse"
)

const (
	maxArchives    = 64 // archives that are written at once
	clientArchives = 4  // archives that are written for one client at once
)

// archive answers with the folder in the query as a zip or tar, with all folders below it. It writes
// the archive while it reads the folder. If reading fails in the middle, the response breaks off.
// For a URL that is not a folder it redirects the browser to the page of the URL.
func (x handler) archive() error {
	format := x.r.query("format")
	if !pack.IsFormat(format) {
		return refuse.ErrNoPage
	}
	t, err := x.admitQuery()
	if err != nil {
		return err
	}
	if err := x.g.archives.enter(x.r.client, maxArchives, clientArchives); err != nil {
		return t.fails(err)
	}
	defer x.g.archives.leave(x.r.client)
	resource, err := x.opener().openListing(t, 0)
	if err != nil {
		return t.fails(err)
	}
	t = t.at(resource.URL)
	if resource.List == nil {
		resource.Body.Close()
		x.redirectTo(t.url)
		return nil
	}
	return t.fails(x.writeArchive(t, resource, format))
}

// writeArchive answers with an archive of folder, which was opened at t, and closes the folder. It
// returns an error only if the response has not begun. Later errors break the response off.
func (x handler) writeArchive(t target, folder *access.Resource, format string) error {
	name := entry.SafeName(entry.Name(t.url))
	if x.r.Method == http.MethodHead {
		x.w.describeArchive(name, format)
		return folder.Body.Close()
	}
	f := &pack.Folder{
		Root: t.url, Do: x.opener().do, Request: x.opener().requests(t), Reserve: x.w.reserve, MaxFile: x.g.MaxSize, MaxSize: x.g.maxArchive(),
		Explain: func(err error) string { x.w.log(t.url, err); return translatePanic(err).Error() },
	}
	if err := f.List(folder); err != nil {
		return err
	}
	x.w.describeArchive(name, format)
	err := f.Write(x.w, format, name)
	switch {
	case err == nil:
		return nil
	case !x.w.began:
		clear(x.w.Header())
		x.w.setPolicy(pagePolicy)
		return err
	}
	x.w.abort(t.url, err)
	return nil
}

// describeArchive sets the header of an archive. The browser stores the archive as name and the
// extension of format, which is "zip" or "tar".
func (w *reply) describeArchive(name, format string) {
	h := w.Header()
	h.Set("Content-Disposition", disposition(name+"."+format))
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", map[string]string{"zip": "application/zip", "tar": "application/x-tar"}[format])
}

// maxArchive returns how many bytes the files in an archive may have: MaxArchive, its default if
// MaxArchive is 0, or the greatest int64 if MaxArchive is negative.
func (g *Gateway) maxArchive() int64 {
	if g.MaxArchive < 0 {
		return math.MaxInt64
	}
	return cmp.Or(g.MaxArchive, 4<<30)
}
