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

// mounted answers the requests of WebDAV clients below dav.Path: OPTIONS, GET, HEAD and PROPFIND.
// Other methods are refused.
func (x handler) mounted() error {
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
	t, err := x.admit(u, err)
	if err != nil {
		return err
	}
	if entry.IsSession(t.url) || entry.IsAddress(t.url) {
		return t.fails(dav.ErrScheme)
	}
	o := x.opener()
	f := &dav.Folder{
		URL: t.url, Path: x.r.RequestURI, Page: x.g.maxEntries(), Request: o.requests(t), Reserve: x.w.reserve,
		Do: func(req *access.Request) (*access.Resource, error) {
			return (&web.Lister{Engine: o.engine}).Do(x.r.Context(), req)
		},
	}
	if x.r.Method == "PROPFIND" {
		err = x.w.properties(f)
		return t.at(f.URL).fails(err)
	}
	err = f.Find()
	t = t.entry(f.URL)
	switch {
	case err != nil:
		return t.fails(err)
	case x.r.Method == http.MethodHead:
		return t.fails(x.head(t, delivery{}))
	}
	return t.fails(x.getMounted(t))
}

// getMounted answers a GET of t with the bytes of a file, or with the page of a folder.
func (x handler) getMounted(t target) error {
	resource, part, err := x.opener().openPart(t, false)
	if err != nil {
		return x.tryFolder(t, err)
	}
	defer resource.Body.Close()
	if x.lead(t, resource.URL) {
		return nil
	}
	t = t.at(resource.URL)
	if resource.List != nil {
		return t.fails(x.viewer(t).list(resource, formatOf(x.r.Header)))
	}
	return t.fails(x.stream(t, resource, part, delivery{asBytes: true}))
}

// properties answers a PROPFIND for f (RFC 4918 §9.1). A depth other than 0 and 1 is refused. An
// error in the middle aborts the response.
func (w *reply) properties(f *dav.Folder) error {
	depth := w.r.Header.Get("Depth")
	if depth != "0" && depth != "1" {
		return errDavDepth
	}
	asked, err := dav.ReadPropfind(http.MaxBytesReader(w, w.r.Body, dav.MaxPropfind))
	if err != nil {
		return err
	}
	all, err := f.Properties(depth)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/xml; charset=utf-8")
	body := w.compress(multiStatusWriter{w})
	if err = dav.Write(body, asked, all); err == nil {
		err = body.Close()
	}
	if err != nil && w.began {
		w.abort(f.URL, err)
	}
	return err
}

// A multiStatusWriter sends the status 207 before the first byte.
type multiStatusWriter struct{ *reply }

// Write sends p. Before the first bytes it sends the status 207.
func (w multiStatusWriter) Write(p []byte) (int, error) {
	if !w.began {
		w.WriteHeader(http.StatusMultiStatus)
	}
	return w.reply.Write(p)
}
