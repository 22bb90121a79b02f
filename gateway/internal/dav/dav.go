// Package dav shows folders as WebDAV does (RFC 4918, class 1), for programs that mount
// them:
//
//	/-/dav/ftp://ftp.example.org/pub/a%20b
//	       \_____________________________/
//	        a whole URL, as it is
//
// Nothing can be written, and nothing is locked. If the scheme has a hierarchical path, the
// names in a folder are the last segments of URLs. For other listings see namesMark.
//
//	Target       the URL in the path of a request
//	Folder       what a request leads to. Find resolves the names in its path
//	Properties   the entries that a PROPFIND asks for, as Responses
//	Write        their XML
package dav

import (
	"errors"
	"net/http"
	"strings"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/refuse"
	"locus/scheme"
	"locus/url"
)

// Path is where programs mount folders, below the gateway's own path.
const Path = "dav/"

// maxPages is how many times the entries of a page a folder may have that is mounted:
// WebDAV has no pages, so a client gets all of them at once.
const maxPages = 100

var (
	errBody = refuse.New(http.StatusBadRequest, "the request for properties is not the XML of WebDAV", "")
	errLong = refuse.New(http.StatusInsufficientStorage, "the folder has too many entries to be mounted", "open its page instead")
	// ErrScheme is the error of a URL that has no listing.
	ErrScheme = refuse.New(http.StatusNotImplemented, "nothing is listed there that could be mounted", "mount a URL that has a listing, such as one of ftp, http or gopher")
)

// A Folder is what the request of a WebDAV client leads to.
type Folder struct {
	URL  url.URL // of the listing in Path; Find and Properties set it to what Path leads to
	Path string  // of the request
	Page int     // how many entries a page of the gateway has

	// Do opens. Folders of web servers are listings if the request wants one.
	Do func(req *access.Request) (*access.Resource, error)
	// Request returns a request of the client.
	Request func(op access.Op, u url.URL) *access.Request
}

// Responses calls yield for each entry of an answer, with its path. It returns the error
// of yield, or why the listing broke off.
type Responses func(yield func(path string, e access.Entry) error) error

// Target returns the URL in the path of a request, after "/-/dav/". If the files of a listing
// are called by their titles, it returns the URL of the listing for all of them.
func Target(text string) (url.URL, error) {
	if listing, _, isMarked := strings.Cut(text, namesMark); isMarked {
		if u, err := mountedListing(listing); err == nil && isByNames(u) {
			return u, nil
		}
	}
	return targetURL(text)
}

// targetURL returns the URL in the path of a request. Some clients escape more than they
// need to, and some merge the slashes before the host. A ";" is part of a name: some
// clients do not escape it.
func targetURL(text string) (url.URL, error) {
	return parseTarget(strings.ReplaceAll(text, ";", "%3B"))
}

// parseTarget is targetURL for a text whose ";" are those of the URL.
func parseTarget(text string) (url.URL, error) {
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
	if err == nil && HasMergedSlashes(u) {
		name, rest, _ = strings.Cut(text, ":")
		return url.Parse(name + ":/" + rest)
	}
	return u, err
}

// HasMergedSlashes reports whether u has lost a slash before its host. Some servers
// before a gateway merge slashes.
func HasMergedSlashes(u url.URL) bool {
	s, _ := scheme.Lookup(u.Scheme())
	_, has := u.Host()
	return s.Port != 0 && !has && strings.HasPrefix(u.Path(), "/")
}

// target returns the text after "/-/dav/" in the path.
func (f *Folder) target() string {
	_, text, _ := strings.Cut(f.Path, Path)
	return text
}

// Find sets URL to what the names in Path lead to.
func (f *Folder) Find() error {
	if !isByNames(f.URL) {
		return nil
	}
	at, _, err := f.findNamed()
	if err == nil {
		f.URL = at.URL
	}
	return err
}

// Properties returns the entries for a PROPFIND (RFC 4918 §9.1): the one at Path, and its
// members if depth is "1".
func (f *Folder) Properties(depth string) (Responses, error) {
	if isByNames(f.URL) {
		at, above, err := f.findNamed()
		if err != nil {
			return nil, err
		}
		f.URL = at.URL
		return f.membersByName(at, above, depth), nil
	}
	own, err := f.stat()
	if err != nil {
		return nil, err
	}
	path := hrefOf(f.Path, own)
	if own.Kind != access.Directory || depth == "0" {
		return func(yield func(path string, e access.Entry) error) error { return yield(path, own) }, nil
	}
	req := f.Request(access.Get, f.URL)
	req.List = true
	folder, err := f.Do(req)
	if err != nil {
		return nil, err
	}
	if folder.List == nil {
		return nil, errors.Join(refuse.ErrNoPage, folder.Body.Close())
	}
	return func(yield func(path string, e access.Entry) error) error {
		defer folder.Body.Close()
		if err := yield(path, own); err != nil {
			return err
		}
		return f.members(path, folder, yield)
	}, nil
}

// members yields the entries of a folder whose path is above. Entries that are elsewhere
// have no name in the folder, and are left out.
func (f *Folder) members(above string, folder *access.Resource, yield func(path string, e access.Entry) error) error {
	used := make(map[string]bool)
	read := 0
	return access.Entries(entry.Bounded(folder.List), func(e access.Entry) error {
		if read++; read > maxPages*f.Page {
			return errLong
		}
		name, ok := memberName(folder.URL, e)
		if !ok || used[name] {
			return nil
		}
		used[name] = true
		return yield(hrefOf(above+name, e), e)
	})
}

// stat returns the attributes of the resource at URL. If it is a folder, stat adds the "/"
// that URL lacks.
func (f *Folder) stat() (access.Entry, error) {
	e, err := f.attributes()
	isFolder := err == nil && e.Kind == access.Directory
	if strings.HasSuffix(f.URL.Path(), "/") || !isFolder && access.RemedyFor(err) != access.NeedSlash {
		return e, err
	}
	folder, setErr := f.URL.With(url.Path, url.Some(f.URL.Path()+"/"))
	if setErr != nil {
		return e, errors.Join(err, setErr)
	}
	f.URL = folder
	if isFolder {
		return e, nil
	}
	return f.attributes()
}

// attributes asks the server for the attributes of URL. If its protocol has no way to ask,
// attributes opens URL.
func (f *Folder) attributes() (access.Entry, error) {
	req := f.Request(access.Stat, f.URL)
	req.List = true
	found, err := f.Do(req)
	if !errors.Is(err, errors.ErrUnsupported) {
		if err != nil {
			return access.Entry{}, err
		}
		return found.Entry, nil
	}
	found, err = f.Do(req.WithOp(access.Get))
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
