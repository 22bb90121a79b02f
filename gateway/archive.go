package gateway

import (
	"cmp"
	"math"
	"net/http"

	"locus/gateway/internal/entry"
	"locus/gateway/internal/pack"
	"locus/gateway/internal/refuse"
)

const (
	maxArchives    = 64 // archives that are written at once
	clientArchives = 4  // archives that are written for one client at once
)

// archive answers with the folder at x.url as a zip or tar, with all folders below it. It writes
// the archive while it reads the folder. If reading fails in the middle, the response breaks off.
func (x *exchange) archive() error {
	format := x.query("format")
	if !pack.IsFormat(format) {
		return refuse.ErrNoPage
	}
	if err := x.admitQuery(); err != nil {
		return err
	}
	x.bytesOnly = true
	err := x.archives.enter(x.client, maxArchives, clientArchives)
	if err != nil {
		return err
	}
	defer x.archives.leave(x.client)
	resource, err := x.openURL()
	if err != nil {
		return err
	}
	if resource.List == nil {
		resource.Body.Close()
		x.redirectTo(x.url)
		return nil
	}
	name := entry.SafeName(entry.Name(x.url))
	if x.r.Method == http.MethodHead {
		x.describeArchive(name, format)
		return resource.Body.Close()
	}
	f := &pack.Folder{
		Root: x.url, Do: x.do, Request: x.requestFor, Reserve: x.reserve, MaxFile: x.MaxSize, MaxSize: x.maxArchive(),
		Explain: func(err error) string { x.log(err); return translatePanic(err).Error() },
	}
	if err := f.List(resource); err != nil {
		return err
	}
	x.describeArchive(name, format)
	to := x.toClient()
	err = f.Write(to, format, name)
	switch {
	case err == nil:
		return nil
	case !to.began:
		clear(x.w.Header())
		x.setPolicy(pagePolicy)
		return err
	}
	x.broken(err)
	return nil
}

// describeArchive writes the header of an archive.
func (x *exchange) describeArchive(name, format string) {
	h := x.w.Header()
	h.Set("Content-Disposition", disposition(name+"."+format))
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", map[string]string{"zip": "application/zip", "tar": "application/x-tar"}[format])
}

// maxArchive returns MaxArchive, or its default.
func (g *Gateway) maxArchive() int64 {
	if g.MaxArchive < 0 {
		return math.MaxInt64
	}
	return cmp.Or(g.MaxArchive, 4<<30)
}
