package dav

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/refuse"
	"locus/limit"
	"locus/proto/web"
	"locus/scheme"
	"locus/url"
)

// namesMark separates the URL of a listing from names below it. It is necessary where names are not
// segments of URLs, as in gopher:
//
//	/-/dav/gopher://h/1/texts/-/About%20us/History.txt
//	       \________________/   \____________________/
//	             listing           titles of entries
const namesMark = "/-/"

// maxMountDepth is how many names may follow namesMark.
const maxMountDepth = 16

var (
	errMountMark  = refuse.New(http.StatusNotImplemented, "the names of this listing are not parts of its URL", "to mount it, add /-/ to the address: /-/dav/gopher://example.org/1/-/")
	errMountDepth = refuse.New(http.StatusNotFound, "the gateway mounts folders only 16 levels deep", "")
)

// errFound ends the reading of a listing early.
var errFound = errors.New("found")

// named returns the names after namesMark in text, decoded. isMarked reports whether text has the
// mark. More than maxMountDepth names are an error.
func named(text string) (names []string, isMarked bool, err error) {
	_, below, isMarked := strings.Cut(text, namesMark)
	for segment := range strings.SplitSeq(below, "/") {
		if segment == "" {
			continue
		}
		name, err := url.Unescape(segment)
		if err != nil {
			return nil, isMarked, err
		}
		if names = append(names, name); len(names) > maxMountDepth {
			return nil, isMarked, errMountDepth
		}
	}
	return names, isMarked, nil
}

// findNamed returns the entry to which the names in Path lead. above has the URLs of the listings
// around the entry, from the top, and ends with the URL of the entry itself. Without names the
// entry is the listing at f.URL. The error wraps fs.ErrNotExist if a listing lacks a name.
func (f *Folder) findNamed() (at access.Entry, above []url.URL, err error) {
	at = access.Entry{URL: f.URL, Kind: access.Directory, Size: -1}
	above = []url.URL{at.URL}
	names, isMarked, err := named(f.target())
	if err == nil && !isMarked {
		err = errMountMark
	}
	if err != nil {
		return at, above, err
	}
	for _, name := range names {
		found := access.Entry{}
		err := f.eachMember(at.URL, above, func(member string, e access.Entry) error {
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
			return at, above, &access.Error{Op: "open", URL: at.URL, Err: engine.Reason(fmt.Sprintf("it does not have an entry called %q", name), fs.ErrNotExist)}
		}
		at, above = found, append(above, found.URL)
	}
	return at, above, nil
}

// eachMember calls yield for each member of the listing at u with the name of the member, which
// differs from the names before. A member is a file or a folder at the same server, except the
// listings above. It stops at the first error of yield, and returns it. Too many entries are an
// error.
func (f *Folder) eachMember(u url.URL, above []url.URL, yield func(name string, e access.Entry) error) error {
	folder, err := f.Do(f.Request(access.Get, u))
	if err != nil {
		return err
	}
	folder = web.Listed(folder)
	defer folder.Body.Close()
	if folder.List == nil {
		return refuse.ErrNoPage
	}
	used := make(entry.Used)
	f.names = 0
	read := 0
	return access.Entries(entry.Bounded(folder.List), func(e access.Entry) error {
		if read++; read > maxPages*f.Page {
			return errLong
		}
		if !isMember(folder.URL, e, above) {
			return nil
		}
		name := used.Take(mountedName(e))
		if err := f.keepName(name); err != nil {
			return err
		}
		return yield(name, e)
	})
}

// extensionOf returns the extension, such as ".txt", by which file managers recognize plain text, HTML or
// a mail message. It is "" for other media types.
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

// mountedName returns the name of a member. It is the title, with an extension if the title of a file
// does not have one.
func mountedName(e access.Entry) string {
	name := entry.SafeName(entry.Title(e))
	if extension := path.Ext(name); e.Kind == access.Directory || 1 < len(extension) && len(extension) <= 6 && !strings.Contains(extension, " ") {
		return name
	}
	return name + extensionOf(entry.BaseType(e.Type))
}

// isMember reports whether an entry of a listing is a member of folder: a file or a folder at the
// same server that is not one of the listings above.
func isMember(folder url.URL, e access.Entry, above []url.URL) bool {
	switch e.Kind {
	case access.Unknown, access.Object, access.Directory:
	default:
		return false
	}
	if e.URL.IsZero() || entry.IsSession(e.URL) || entry.IsAddress(e.URL) || limit.Server(e.URL) != limit.Server(folder) {
		return false
	}
	for _, u := range above {
		if u == e.URL { // the entry leads back up
			return false
		}
	}
	return true
}

// membersByName returns the responses for at and, unless depth is "0", its members. above has the
// URLs that findNamed returns. The Responses read a folder even if depth is "0", so that the response
// shows that the folder exists.
func (f *Folder) membersByName(at access.Entry, above []url.URL, depth string) Responses {
	path := hrefOf(f.Path, at)
	return func(yield func(path string, e access.Entry) error) error {
		if at.Kind != access.Directory {
			return yield(path, at)
		}
		hasOwn := false
		yieldOwn := func() error {
			if hasOwn {
				return nil
			}
			hasOwn = true
			return yield(path, at)
		}
		err := f.eachMember(at.URL, above, func(name string, e access.Entry) error {
			if err := yieldOwn(); err != nil || depth == "0" {
				return cmp.Or(err, errFound)
			}
			return yield(hrefOf(path+escapeSegment(name), e), e)
		})
		if err != nil && !errors.Is(err, errFound) {
			return err
		}
		return yieldOwn() // of an empty folder
	}
}

// escapeSegment escapes a name as one segment of a path.
func escapeSegment(name string) string {
	return escapeName(strings.NewReplacer("%", "%25", "/", "%2F", "?", "%3F", "#", "%23", ";", "%3B").Replace(name))
}

// mountedListing parses text, the URL of a listing before namesMark. "%3F" stands for the "?" of a
// search, because a path cannot have "?". If the scheme puts a search after ";", "%3B" may stand for
// each ";".
func mountedListing(text string) (url.URL, error) {
	if i := strings.Index(strings.ToUpper(text), "%3F"); i >= 0 {
		base, err := targetURL(text[:i])
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
		u, err := targetURL(base)
		if result, ok := scheme.SearchURL(u, "x"); err == nil && ok && strings.HasPrefix(result.String(), u.String()+";") {
			return parseTarget(decoded)
		}
	}
	return targetURL(text)
}

// isByNames reports whether the names in a path below the listing at u are the titles of entries,
// because the URLs of its scheme do not have segments.
func isByNames(u url.URL) bool { return !entry.IsHierarchical(u) }
