package gateway

import (
	"net/http"
	"strings"

	"locus/access"
	"locus/gateway/internal/dav"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/page"
	"locus/gateway/internal/refuse"
	"locus/proto/web"
	"locus/url"
)

// davMethods are the methods that paths below dav.Path accept.
const davMethods = "OPTIONS, GET, HEAD, PROPFIND"

var (
	errDavMethod = refuse.New(http.StatusMethodNotAllowed, "folders that are mounted here are read-only", "")
	errDavDepth  = refuse.New(http.StatusForbidden, "the gateway does not list a whole tree at once", "ask for each folder: Depth: 0 or Depth: 1")
)

// MountTarget returns the URL in the target of a WebDAV request, such as
// "/-/dav/ftp://h/a". If the names in the target are titles of a listing, it returns the
// URL of the listing. ok is false if the target is not below "/-/dav/".
func MountTarget(target string) (u url.URL, ok bool, err error) {
	text, ok := strings.CutPrefix(target, page.OwnPath+dav.Path)
	if !ok {
		return url.URL{}, false, nil
	}
	u, err = dav.Target(text)
	return u, true, err
}

// mounted answers the requests of WebDAV clients.
type mounted struct{ *exchange }

func (x mounted) serve() error {
	h := x.w.Header()
	switch x.r.Method {
	case http.MethodOptions:
		h.Set("DAV", "1")
		h.Set("MS-Author-Via", "DAV") // Windows looks for it
		h.Set("Allow", davMethods)
		return nil
	case http.MethodGet, http.MethodHead, "PROPFIND":
	default:
		h.Set("Allow", davMethods)
		return errDavMethod
	}
	u, _, err := MountTarget(x.r.RequestURI)
	if err := x.admit(u, err); err != nil {
		return err
	}
	if entry.IsSession(x.url) || entry.IsAddress(x.url) {
		return dav.ErrScheme
	}
	f := &dav.Folder{
		URL: x.url, Path: x.r.RequestURI, Page: x.maxEntries(), Request: x.requestFor,
		Do: func(req *access.Request) (*access.Resource, error) {
			return web.Lister{Engine: x.recovers}.Do(x.r.Context(), req)
		},
	}
	if x.r.Method == "PROPFIND" {
		return x.properties(f)
	}
	err = f.Find()
	x.url = f.URL
	switch {
	case err != nil:
		return err
	case x.r.Method == http.MethodHead:
		return sender{x.exchange}.head()
	}
	return x.get()
}

// get answers with the bytes of a file, or with the page of a folder.
func (x mounted) get() error {
	x.bytesOnly = true
	resource, part, err := x.openPart()
	if err != nil {
		return x.tryFolder(err)
	}
	defer resource.Body.Close()
	x.url = resource.URL
	if resource.List != nil {
		return viewer{x.exchange}.list(resource, formatOf(x.r.Header))
	}
	return sender{x.exchange}.stream(resource, part)
}

// properties answers PROPFIND (RFC 4918 §9.1).
func (x mounted) properties(f *dav.Folder) error {
	depth := x.r.Header.Get("Depth")
	if depth != "0" && depth != "1" {
		return errDavDepth
	}
	asked, err := dav.ReadPropfind(http.MaxBytesReader(x.w, x.r.Body, dav.MaxPropfind))
	if err != nil {
		return err
	}
	all, err := f.Properties(depth)
	x.url = f.URL
	if err != nil {
		return err
	}
	x.w.Header().Set("Content-Type", "application/xml; charset=utf-8")
	to := &multiStatusWriter{x.toClient()}
	body := x.compress(to)
	if err = dav.Write(body, asked, all); err == nil {
		err = body.Close()
	}
	if err != nil && to.began {
		x.broken(err)
	}
	return err
}

// A multiStatusWriter sends the status 207 before the first byte.
type multiStatusWriter struct{ *clientWriter }

func (w *multiStatusWriter) Write(p []byte) (int, error) {
	if !w.began {
		w.answer.WriteHeader(http.StatusMultiStatus)
	}
	return w.clientWriter.Write(p)
}
