package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"locus/access"
	"locus/limit"
	"locus/proto/web"
	"locus/scheme"
	"locus/url"
)

// namesMark separates the URL of a listing from the names below it, where names are not
// segments of URLs, as in gopher:
//
//	/-/dav/gopher://h/1/texts/-/About%20us/History.txt
//	       \________________/   \____________________/
//	             listing           titles of entries
const namesMark = "/-/"

// maxMountDepth is how many names may stand after a listing.
const maxMountDepth = 16

var (
	errMountMark  = &refusal{http.StatusNotImplemented, "the names of this listing are not parts of its URL", "to mount it, add /-/ to the address: /-/dav/gopher://example.org/1/-/"}
	errMountDepth = &refusal{http.StatusNotFound, "folders are mounted only 16 levels deep", ""}
)

// A mount is a listing that is mounted, and where the request leads in it.
type mount struct {
	*exchange
	names []string // of folders, and at the end of a folder or file
}

// mountOf returns the mount of the target of a request whose URL is x.url. isMarked is
// false if the target has no namesMark.
func (x *exchange) mountOf(target string) (m mount, isMarked bool, err error) {
	_, below, isMarked := strings.Cut(strings.TrimPrefix(target, ownPath+davPath), namesMark)
	m = mount{exchange: x}
	for segment := range strings.SplitSeq(below, "/") {
		if segment == "" {
			continue
		}
		name, err := url.Unescape(segment)
		if err != nil {
			return m, isMarked, err
		}
		if m.names = append(m.names, name); len(m.names) > maxMountDepth {
			return m, isMarked, errMountDepth
		}
	}
	return m, isMarked, nil
}

// serve answers a request for what the names lead to.
func (m mount) serve() error {
	at, above, err := m.find()
	if err != nil {
		return err
	}
	m.url = at.URL
	switch {
	case m.r.Method == "PROPFIND":
		return m.findProperties(at, above)
	case m.r.Method == http.MethodHead:
		return m.head()
	}
	return m.davGet()
}

// errFound ends the reading of a listing.
var errFound = errors.New("found")

// find returns the entry that the names lead to, and the listings that it is in, with itself.
// Without names that is the listing at m.url.
func (m mount) find() (at access.Entry, above []url.URL, err error) {
	at = access.Entry{URL: m.url, Kind: access.Directory, Size: -1}
	above = []url.URL{at.URL}
	for _, name := range m.names {
		found := access.Entry{}
		err := m.eachMember(at.URL, above, func(member string, e access.Entry) error {
			if member != name {
				return nil
			}
			found = e
			return errFound
		})
		if err != nil && !errors.Is(err, errFound) {
			return at, above, err
		}
		if found.URL.IsZero() {
			return at, above, &access.Error{Op: "open", URL: at.URL, Err: access.Reason(fmt.Sprintf("it has nothing called %q", name), fs.ErrNotExist)}
		}
		at, above = found, append(above, found.URL)
	}
	return at, above, nil
}

// eachMember calls f for each member of the listing at u, with its name there. A member is a
// file or a folder of the same server, and none of the listings above. It returns the error
// of f.
func (m mount) eachMember(u url.URL, above []url.URL, f func(name string, e access.Entry) error) error {
	req := m.request(access.Get)
	req.URL = u
	folder, err := m.do(req)
	if err != nil {
		return err
	}
	folder = web.Listed(folder)
	defer folder.Body.Close()
	if folder.List == nil {
		return errNoPage
	}
	used := make(usedNames)
	read := 0
	return access.Entries(&boundedLister{Lister: folder.List}, func(e access.Entry) error {
		if read++; read > maxDavPages*m.maxEntries() {
			return errDavLong
		}
		if !isMember(folder.URL, e, above) {
			return nil
		}
		return f(used.take(mountedName(e)), e)
	})
}

// extensionOf returns the end of a name that file managers know a type by; "" if there is none.
func extensionOf(mediaType string) string {
	switch mediaType {
	case "text/plain":
		return ".txt"
	case "text/html":
		return ".html"
	case "message/rfc822":
		return ".eml"
	}
	return ""
}

// mountedName returns the name of a member: its title, with an extension if it has none.
func mountedName(e access.Entry) string {
	name := safeName(titleOr(e))
	if extension := path.Ext(name); e.Kind == access.Directory || 1 < len(extension) && len(extension) <= 6 && !strings.Contains(extension, " ") {
		return name
	}
	return name + extensionOf(baseType(e.Type))
}

// isMember reports whether an entry of a listing is mounted.
func isMember(folder url.URL, e access.Entry, above []url.URL) bool {
	switch e.Kind {
	case access.Unknown, access.Object, access.Directory:
	default:
		return false
	}
	if e.URL.IsZero() || isSession(e.URL) || isAddress(e.URL) || limit.Server(e.URL) != limit.Server(folder) {
		return false
	}
	for _, u := range above {
		if u == e.URL { // it leads back up
			return false
		}
	}
	return true
}

// findProperties answers PROPFIND for an entry and its members. A folder is read even if only
// its own properties are wanted: so it exists.
func (m mount) findProperties(at access.Entry, above []url.URL) error {
	asked, depth, err := m.readProperties()
	if err != nil {
		return err
	}
	path := hrefOf(m.r.RequestURI, at)
	return m.multiStatus(asked, func(w *davWriter) error {
		if at.Kind != access.Directory {
			return w.response(path, at)
		}
		hasOwn := false
		writeOwn := func() error {
			if hasOwn {
				return nil
			}
			hasOwn = true
			return w.response(path, at)
		}
		err := m.eachMember(at.URL, above, func(name string, e access.Entry) error {
			if err := writeOwn(); err != nil || depth == "0" {
				return cmp.Or(err, errFound)
			}
			return w.response(hrefOf(path+escapeSegment(name), e), e)
		})
		if err != nil && !errors.Is(err, errFound) {
			return err
		}
		return writeOwn() // of an empty folder
	})
}

// escapeSegment escapes a name for a path.
func escapeSegment(name string) string {
	return escapeName(strings.NewReplacer("%", "%25", "/", "%2F", "?", "%3F", "#", "%23", ";", "%3B").Replace(name))
}

// mountedListing parses the URL of a listing whose files are called by their titles. The
// text is from the path of a request, which cannot have the "?" of a search: "%3F" stands for
// it. Where the scheme puts a search after ";", "%3B" may stand for each ";".
func mountedListing(text string) (url.URL, error) {
	if i := strings.Index(strings.ToUpper(text), "%3F"); i >= 0 {
		base, err := davURL(text[:i])
		if result, ok := scheme.SearchURL(base, "x"); err == nil && ok {
			if _, has := result.Query(); has {
				text = text[:i] + "?" + text[i+len("%3F"):]
			}
		}
	}
	decoded := text
	if !strings.Contains(text, ";") {
		decoded = strings.NewReplacer("%3B", ";", "%3b", ";").Replace(text)
	}
	if base, _, has := strings.Cut(decoded, ";"); has {
		u, err := davURL(base)
		if result, ok := scheme.SearchURL(u, "x"); err == nil && ok && strings.HasPrefix(result.String(), u.String()+";") {
			return parseDavURL(decoded)
		}
	}
	return davURL(text)
}

// isMountedByNames reports whether names in the listings of a scheme are titles: they are
// not segments of its URLs.
func isMountedByNames(u url.URL) bool { return !flagsOf(u).Has(scheme.Hierarchical) }
