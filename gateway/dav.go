package gateway

import (
	"bufio"
	"encoding/xml"
	"errors"
	"net/http"
	"strings"

	"locus/access"
	"locus/proto/web"
	"locus/url"
)

// davPath is where programs mount folders by WebDAV (RFC 4918, class 1), below ownPath:
//
//	/-/dav/ftp://ftp.example.org/pub/a%20b
//	       \_____________________________/
//	        a whole URL, as it is
//
// Nothing can be written, and nothing is locked. If the scheme has a hierarchical path, the
// names in a folder are the last segments of URLs. For other listings see namesMark.
const davPath = "dav/"

// davMethods are the methods below davPath.
const davMethods = "OPTIONS, GET, HEAD, PROPFIND"

// maxDavPages is how many times MaxEntries a folder may have that is mounted: WebDAV
// has no pages, so a client gets all of them at once.
const maxDavPages = 100

var (
	errDavMethod = &refusal{http.StatusMethodNotAllowed, "a folder that is mounted here can only be read", ""}
	errDavDepth  = &refusal{http.StatusForbidden, "a whole tree is not listed at once", "ask for each folder: Depth: 0 or Depth: 1"}
	errDavBody   = &refusal{http.StatusBadRequest, "the request for properties is not the XML of WebDAV", ""}
	errDavScheme = &refusal{http.StatusNotImplemented, "nothing is listed there that could be mounted", "mount a URL that has a listing, such as one of ftp, http or gopher"}
	errDavLong   = &refusal{http.StatusInsufficientStorage, "the folder has too many entries to be mounted", "open its page instead"}
)

// dav answers a request of a WebDAV client.
func (x *exchange) dav() error {
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
	if err := x.setURL(u, err); err != nil {
		return err
	}
	if isSession(x.url) || isAddress(x.url) {
		return errDavScheme
	}
	if isMountedByNames(x.url) {
		m, isMarked, err := x.mountOf(x.r.RequestURI)
		if err == nil && !isMarked {
			err = errMountMark
		}
		if err != nil {
			return err
		}
		return m.serve()
	}
	switch x.r.Method {
	case http.MethodHead:
		return x.head()
	case http.MethodGet:
		return x.davGet()
	}
	return x.findProperties()
}

// MountTarget returns the URL in the target of a WebDAV request, such as
// "/-/dav/ftp://h/a". If the files of a listing are called by their titles, it returns the
// URL of the listing for all of them. ok is false if the target is not below "/-/dav/".
func MountTarget(target string) (u url.URL, ok bool, err error) {
	text, ok := strings.CutPrefix(target, ownPath+davPath)
	if !ok {
		return url.URL{}, false, nil
	}
	if listing, _, isMarked := strings.Cut(text, namesMark); isMarked {
		if u, err := mountedListing(listing); err == nil && isMountedByNames(u) {
			return u, true, nil
		}
	}
	u, err = davURL(text)
	return u, true, err
}

// davURL returns the URL in the path of a request. Some clients escape more than they
// need to, and some merge the slashes before the host. A ";" is part of a name: some
// clients do not escape it.
func davURL(text string) (url.URL, error) { return parseDavURL(strings.ReplaceAll(text, ";", "%3B")) }

// parseDavURL is davURL for a text whose ";" are those of the URL.
func parseDavURL(text string) (url.URL, error) {
	name, rest, _ := strings.Cut(text, "/")
	if strings.HasSuffix(strings.ToLower(name), "%3a") {
		host, path, hasPath := strings.Cut(strings.TrimLeft(rest, "/"), "/")
		host, err := url.Unescape(host)
		if err != nil {
			return url.URL{}, err
		}
		text = name[:len(name)-len("%3a")] + "://" + host
		if hasPath {
			text += "/" + path
		}
	}
	u, err := url.Parse(text)
	if err == nil && hasMergedSlashes(u) {
		name, rest, _ = strings.Cut(text, ":")
		return url.Parse(name + ":/" + rest)
	}
	return u, err
}

// davGet answers with the bytes of a file, or the page of a folder.
func (x *exchange) davGet() error {
	x.bytesOnly = true
	resource, part, err := x.openPart()
	if err != nil {
		return x.tryFolder(err)
	}
	defer resource.Body.Close()
	x.url = resource.URL
	if resource.List != nil {
		return x.list(resource, formatOf(x.r.Header))
	}
	return x.stream(resource, part)
}

// findProperties answers PROPFIND (RFC 4918 §9.1).
func (x *exchange) findProperties() error {
	asked, depth, err := x.readProperties()
	if err != nil {
		return err
	}
	own, err := x.davStat()
	if err != nil {
		return err
	}
	path := x.r.RequestURI
	if own.Kind != access.Directory || depth == "0" {
		return x.multiStatus(asked, func(w *davWriter) error { return w.response(hrefOf(path, own), own) })
	}
	req := x.request(access.Get)
	req.List = true
	folder, err := x.davDo(req)
	if err != nil {
		return err
	}
	defer folder.Body.Close()
	if folder.List == nil {
		return errNoPage
	}
	path = hrefOf(path, own)
	return x.multiStatus(asked, func(w *davWriter) error {
		if err := w.response(path, own); err != nil {
			return err
		}
		return w.members(path, folder, maxDavPages*x.maxEntries())
	})
}

// readProperties returns the properties that a PROPFIND asks for, and its depth, "0" or "1".
func (x *exchange) readProperties() (asked []xml.Name, depth string, err error) {
	depth = x.r.Header.Get("Depth")
	if depth != "0" && depth != "1" {
		return nil, depth, errDavDepth
	}
	asked, err = readPropfind(http.MaxBytesReader(x.w, x.r.Body, maxPropfind))
	return asked, depth, err
}

// davDo does what req says. Folders of web servers are listings.
func (x *exchange) davDo(req *access.Request) (*access.Resource, error) {
	return web.Lister{Engine: x.recovers}.Do(x.r.Context(), req)
}

// davStat returns the attributes of what is at x.url. If it is a folder, it adds the "/"
// that x.url lacks.
func (x *exchange) davStat() (access.Entry, error) {
	e, err := x.davAttributes()
	isFolder := err == nil && e.Kind == access.Directory
	if strings.HasSuffix(x.url.Path(), "/") || !isFolder && access.RemedyFor(err) != access.NeedSlash {
		return e, err
	}
	folder, setErr := x.url.With(url.Path, url.Some(x.url.Path()+"/"))
	if setErr != nil {
		return e, errors.Join(err, setErr)
	}
	x.url = folder
	if isFolder {
		return e, nil
	}
	return x.davAttributes()
}

// davAttributes asks the server for the attributes of x.url. If its protocol has no way
// to ask, it opens x.url.
func (x *exchange) davAttributes() (access.Entry, error) {
	req := x.request(access.Stat)
	req.List = true
	found, err := x.davDo(req)
	if !errors.Is(err, errors.ErrUnsupported) {
		if err != nil {
			return access.Entry{}, err
		}
		return found.Entry, nil
	}
	found, err = x.davDo(req.WithOp(access.Get))
	if err != nil {
		return access.Entry{}, err
	}
	defer found.Body.Close()
	if found.List != nil {
		found.Kind = access.Directory
	}
	return found.Entry, nil
}

// hrefOf returns the path of an entry, which the client asked for by path. The path of a
// folder ends with "/" (RFC 4918 §5.2).
func hrefOf(path string, e access.Entry) string {
	if e.Kind == access.Directory && !strings.HasSuffix(path, "/") {
		return path + "/"
	}
	return path
}

// multiStatus answers with 207, and with what write writes. If that fails before the
// first bytes are sent, multiStatus returns the error. Afterwards it breaks off the answer.
func (x *exchange) multiStatus(asked []xml.Name, write func(*davWriter) error) error {
	x.w.Header().Set("Content-Type", "application/xml; charset=utf-8")
	to := &multiStatusWriter{x.toClient()}
	body := x.compress(to)
	w := &davWriter{Writer: bufio.NewWriterSize(body, 16<<10), asked: asked}
	w.WriteString(xml.Header + `<D:multistatus xmlns:D="DAV:">`)
	err := write(w)
	if err == nil {
		w.WriteString("</D:multistatus>\n")
		if err = errors.Join(w.Flush(), body.Close()); err == nil {
			return nil
		}
	}
	if to.began {
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

// members writes the entries of a folder whose path is above. It fails if the folder has
// more than most. Those that are elsewhere have no name in the folder, and are left out.
func (w *davWriter) members(above string, folder *access.Resource, most int) error {
	used := make(map[string]bool)
	read := 0
	return access.Entries(&boundedLister{Lister: folder.List}, func(e access.Entry) error {
		if read++; read > most {
			return errDavLong
		}
		name, ok := memberName(folder.URL, e)
		if !ok || used[name] {
			return nil
		}
		used[name] = true
		return w.response(hrefOf(above+name, e), e)
	})
}
