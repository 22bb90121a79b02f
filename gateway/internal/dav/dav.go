// Package dav answers WebDAV requests for folders (RFC 4918, class 1), so that programs can mount
// the folders:
//
//	/-/dav/ftp://ftp.example.org/pub/a%20b
//	       \_____________________________/
//	        a whole URL, unchanged
//
// Mounted folders are read-only and do not support locks. If the scheme has a hierarchical path,
// the names in a folder are the last segments of URLs. For other listings see namesMark.
//
//	Target       returns the URL in the path of a request
//	Folder       is the folder or file of a request. Find resolves the names in its path
//	Properties   returns the entries that a PROPFIND asks for, as Responses
//	Write        writes their XML
package dav

import (
	"errors"
	"net/http"
	"strings"

	"locus/access"
	"locus/gateway/internal/entry"
	"locus/gateway/internal/refuse"
	"locus/internal/facts"
	"locus/internal/weburl"
	"locus/scheme"
	"locus/url"
)

// Path is the path below which programs mount folders, after the gateway's own path.
const Path = "dav/"

// maxPages is how many pages the entries of a mounted folder may fill. A WebDAV client gets all
// entries at once, so the limit is higher than one page.
const maxPages = 100

// Limits of the memory for the names of a folder, which are kept because each must differ from the others.
const (
	maxNames = 32 << 20 // bytes of all names
	nameSize = 64       // bytes that a name takes besides its text
)

var (
	errBody = refuse.New(http.StatusBadRequest, "the body of the request is not the XML of a PROPFIND", "")
	errLong = refuse.New(http.StatusInsufficientStorage, "the folder has too many entries to mount", "open its page instead")
	// ErrScheme is the error of a URL that does not lead to a listing or a file.
	ErrScheme = refuse.New(http.StatusNotImplemented, "this URL does not have a listing to mount", "mount a URL that has a listing, such as one of ftp, http or gopher")
)

// A Folder is the folder or the file that a WebDAV client asks for.
type Folder struct {
	URL  url.URL // the URL in Path; Find and Properties set it to the URL of the named entry
	Path string  // the path of the request
	Page int     // how many entries a page of the gateway has

	// Do does a request. If the request has List set, a folder of a web server is a listing.
	Do func(req *access.Request) (*access.Resource, error)
	// Request makes a request for the client.
	Request func(op access.Op, u url.URL) *access.Request
	// Reserve takes memory for n bytes together.
	Reserve func(n int) error

	names int // bytes of the names of the folder that is read
}

// Responses calls yield for each entry of an answer with the path of the entry. It returns the error
// of yield, or the error that broke the listing off.
type Responses func(yield func(path string, e access.Entry) error) error

// Target returns the URL in text, the path of a request after "/-/dav/". If text has namesMark
// after the URL of a listing whose entries are found by their titles, Target returns the URL of
// that listing.
func Target(text string) (url.URL, error) {
	if listing, _, isMarked := strings.Cut(text, namesMark); isMarked {
		if u, err := mountedListing(listing); err == nil && isByNames(u) {
			return u, nil
		}
	}
	return targetURL(text)
}

// targetURL returns the URL in text, a path without namesMark. It escapes each ";" first, because
// some clients do not escape the ";" of a name, and an unescaped one may begin parameters. URLs of
// the web keep the ";", because it begins no parameters there. targetURL accepts needless escapes,
// and merged slashes before the host.
func targetURL(text string) (url.URL, error) {
	if name, _, _ := strings.Cut(text, ":"); facts.Of(strings.ToLower(name)).Has(facts.Web) {
		return parseTarget(text)
	}
	return parseTarget(strings.ReplaceAll(text, ";", "%3B"))
}

// parseTarget returns the URL in text, the path of a request. It leaves each ";" as it is. It
// accepts an escaped ":" after the scheme, escapes in the host, and merged slashes before the host.
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
	u, err := weburl.Parse(text)
	if err == nil && HasMergedSlashes(u) {
		name, rest, _ = strings.Cut(text, ":")
		return weburl.Parse(name + ":/" + rest)
	}
	return u, err
}

// HasMergedSlashes reports whether u has lost a slash before its host, as in "ftp:/h/x". A server in
// front of the gateway may merge slashes.
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

// Find sets URL to the URL of the entry to which the names in Path lead. It leaves URL unchanged if
// the scheme has hierarchical paths. The error wraps fs.ErrNotExist if a listing lacks a name.
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

// Properties returns the entries for a PROPFIND (RFC 4918 §9.1): the entry at Path, and, unless
// depth is "0", the members of a folder. It sets URL to the URL of the entry at Path. The caller
// must call the Responses, because they close the folder.
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

// keepName counts the memory for a name of the folder that is read. It returns an error if there is not enough.
func (f *Folder) keepName(name string) error {
	if f.names += nameSize + len(name); f.names > maxNames {
		return errLong
	}
	return f.Reserve(f.names)
}

// members yields the entries of folder. above is the path of the folder, with a "/" at its end. It
// leaves out entries that are elsewhere and so do not have a name in the folder, and entries with a
// name that it has yielded. Too many entries are an error.
func (f *Folder) members(above string, folder *access.Resource, yield func(path string, e access.Entry) error) error {
	used := make(map[string]bool)
	f.names = 0
	read := 0
	return access.Entries(entry.Bounded(folder.List), func(e access.Entry) error {
		if read++; read > maxPages*f.Page {
			return errLong
		}
		name, ok := memberName(folder.URL, e)
		if !ok || used[name] {
			return nil
		}
		if err := f.keepName(name); err != nil {
			return err
		}
		used[name] = true
		return yield(hrefOf(above+name, e), e)
	})
}

// stat returns the attributes of the resource at f.URL. If the resource is a folder, stat adds a
// missing "/" to the end of f.URL.
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

// attributes asks the server for the attributes of URL. If the protocol does not support that,
// attributes opens URL instead.
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

// hrefOf returns path with a "/" at its end if e is a folder (RFC 4918 §5.2).
func hrefOf(path string, e access.Entry) string {
	if e.Kind == access.Directory && !strings.HasSuffix(path, "/") {
		return path + "/"
	}
	return path
}
