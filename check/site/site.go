// Package site opens the pages of a web site from the files of a folder, so that links can be checked before the site
// is published.
//
//	s := &site.Site{Engine: client, Folder: folder, Files: os.DirFS("public")}
//	r, err := s.Do(ctx, &access.Request{URL: page})
//
// # How the pieces work together
//
// A [Site] is a folder that contains the pages themselves, or the sources of a manual from which Sphinx makes pages. It
// stands in front of another Engine. Local turns a URL of the site into the URL of a file. Serve then follows the rules
// of a host, in their order (site.go): the forced redirects of the file _redirects (redirects.go), the files, with an
// extension or an index page if necessary (tree.go reads each folder once), and the other redirects. In a manual, roles
// name documents and labels, so sphinx.go and myst.go find their sources. The Engine opens the file that was found.
//
// A file outside of every site has [Sources], which say where its links begin (sources.go). [GeneratorIn] recognises
// the program that makes a site of a folder (generator.go) by a table (generators.go) and by its configuration
// (configuration.go). A [Project] finds the files to which the links of this generator lead (project.go, antora.go,
// wiki.go), and a [Generated] opens the source in place of a page that does not exist yet. Each piece reads the files
// at its first use and keeps the result for all goroutines, because a run asks for the same names often.
//
// If the files cannot tell whether a page exists, the error is an [UncertainError].
package site

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"locus/access"
	"locus/access/engine"
	"locus/extract/document"
	"locus/internal/ascii"
	"locus/internal/facts"
	"locus/internal/weburl"
	"locus/url"
)

// A Site opens the URLs of a site from the files of a folder, as hosts of static files serve them. It is an
// [access.Engine] around another Engine. Several goroutines may use it at once, but its fields must not change after
// its first use. A Site with only an Engine removes the queries from the URLs of files.
//
//	/docs/a    a, a.html or a/index.html
//	/docs/a/   a/index.html or a.html
//	/docs//a   as /docs/a
//
// Names are case-sensitive even if the file system is not, because the host may be. The rules of a file "_redirects" in
// the folder are obeyed. They are lines with a path, a target and a status, as at Netlify and Cloudflare Pages. A
// folder without an index page does not exist.
type Site struct {
	Engine access.Engine // opens the files and all other URLs; nil refuses every request

	// Folder is the file URL of the folder, which ends in "/". Files contains its files. If Files is nil, no URL
	// belongs to the site.
	Folder url.URL
	Files  fs.FS

	// Base is the URL at which the folder is served, such as https://www.example.org/docs/. URLs below it are files of
	// the folder. The zero URL means that it is not known.
	Base url.URL

	Index      []string // the names of index pages; nil means index.html
	Extensions []string // the extensions that links to pages may omit; nil means .html

	names tree

	mu        sync.Mutex
	redirects func() (redirects, error)

	readManual func() manual
	generator  func() Generator
}

// unknownBase is the address of a site whose Base is not known. With it, links are resolved as a browser resolves them:
// "/x" begins at the folder, and "//h/x" is https.
const unknownBase = "https://site.invalid/"

// NoItem is the reason for a link in the spine of a book to an item that its manifest does not have.
const NoItem = "the manifest has no item with this id"

// Address returns the URL of the folder on the web, which ends in "/". If Base is not known, it returns the URL of a
// site that does not exist.
func (s *Site) Address() string {
	base := cmp.Or(s.Base.String(), unknownBase)
	return base[:strings.LastIndexByte(base, '/')+1]
}

// Contains reports whether a file is in the folder, by its URL. It is false if Files is nil.
func (s *Site) Contains(file url.URL) bool {
	return s.Files != nil && strings.HasPrefix(file.String(), s.Folder.String())
}

// PageURL returns the URL against which the links in a file are resolved. It is the URL of the file on the web, and the
// URL of the file itself if the file is not in the folder.
func (s *Site) PageURL(file url.URL) url.URL {
	if !s.Contains(file) {
		return file
	}
	page, err := url.Parse(s.Address() + strings.TrimPrefix(file.String(), s.Folder.String()))
	if err != nil {
		return file
	}
	return page
}

// Local returns the file URL for link, a URL of the site, with its query and fragment, as a URL of RFC 3986. It returns
// any other text unchanged, except that it reads %2e in URLs of the site's host as ".", as browsers do.
func (s *Site) Local(link string) string {
	if s.Files == nil {
		return link
	}
	base := s.Address()
	if hasEscapedDot(link) && strings.HasPrefix(link, originOf(base)) {
		link = withoutEscapedDots(link)
	}
	if rest, ok := strings.CutPrefix(link, base); ok {
		return weburl.Strict(s.Folder.String() + rest)
	}
	if rest, ok := strings.CutPrefix(link, strings.TrimSuffix(base, "/")); ok && (rest == "" || rest[0] == '?' || rest[0] == '#') {
		return weburl.Strict(s.Folder.String() + rest)
	}
	return link
}

// originOf returns the scheme and the authority of a web URL that has a path, with the slash after them.
func originOf(u string) string {
	host := strings.Index(u, "://") + len("://")
	return u[:host+strings.IndexByte(u[host:], '/')+1]
}

// hasEscapedDot reports whether text contains "%2e" or "%2E".
func hasEscapedDot(text string) bool {
	return strings.Contains(text, "%2e") || strings.Contains(text, "%2E")
}

// withoutEscapedDots returns link with the segments of its path that have escaped dots, such as "%2e%2e", read as "."
// and "..", and resolved as browsers resolve them (URL Standard, double-dot URL path segment). It returns link
// unchanged if that is not possible.
func withoutEscapedDots(link string) string {
	end := len(link)
	if i := strings.IndexAny(link, "?#"); i >= 0 {
		end = i
	}
	segments := strings.Split(link[:end], "/")
	for i, segment := range segments {
		if text, _ := url.Unescape(segment); text == "." || text == ".." {
			segments[i] = text
		}
	}
	u, err := url.Parse(strings.Join(segments, "/"))
	if err == nil {
		u, err = u.Resolve(u.String())
	}
	if err != nil {
		return link
	}
	return u.String() + link[end:]
}

// Do opens the file that a host serves for a URL of the site. It passes all other requests to Engine.
func (s *Site) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if s.Engine == nil {
		return nil, engine.Unsupported(req)
	}
	u, err := url.Parse(s.Local(req.URL.String()))
	if err != nil || !facts.Of(u.Scheme()).Has(facts.LocalPath) {
		return s.Engine.Do(ctx, req)
	}
	local := *req
	if local.URL, err = s.Serve(u); err != nil {
		if moved, ok := errors.AsType[*access.Moved](err); ok {
			return nil, moved
		}
		return nil, &access.Error{Op: "open", URL: u, Err: err}
	}
	return s.Engine.Do(ctx, &local)
}

// Serve returns the URL of the file that a host serves for a URL of the site. It removes the query, because names of
// files have no query. The error may be an *access.Moved or an *UncertainError. Serve returns a URL that is not in the
// folder without its query.
func (s *Site) Serve(u url.URL) (url.URL, error) {
	bare, err := u.Without(url.Query)
	if err != nil {
		return u, err
	}
	return s.serve(bare)
}

// serve returns the URL of the file that a host serves for u, a URL without a query. It tries the forced redirects,
// then the files, then the other redirects. It returns a URL outside of the folder unchanged. The error is an
// *access.Moved for a redirect, fs.ErrNotExist if the site lacks such a page, and an *UncertainError if a redirect
// applies only to some visitors, or if a generator or a program of the host may make the page.
func (s *Site) serve(u url.URL) (url.URL, error) {
	bare, err := u.Without(url.Fragment)
	if err != nil {
		return u, err
	}
	if !s.Contains(bare) {
		return u, nil
	}
	rest := strings.TrimPrefix(bare.String(), s.Folder.String())
	text, err := url.Unescape(rest)
	if err != nil {
		return u, err
	}
	text = mergeSlashes(text)
	rules, err := s.rules()
	if err != nil {
		return u, err
	}
	for _, forced := range []bool{true, false} {
		if !forced {
			name, ok := s.pageFile(text)
			switch {
			case ok && name == rest && isPlain(name):
				return bare, nil
			case ok:
				return s.fileURL(name)
			}
		}
		fits := func(r redirectRule) bool { return r.forced == forced && r.condition == "" }
		if rule, to, ok := matchRule(rules, "/"+text, fits); ok {
			return s.redirect(rule, to)
		}
	}
	if err := checkConditions(rules, "/"+text); err != nil {
		return u, err
	}
	if page, ok := strings.CutSuffix(text, ".html"); ok && s.IsManual() {
		return s.sourceOf(page)
	}
	if stem, ok := strings.CutSuffix(text, ".*"); ok && s.IsManual() {
		return s.fileWithStem(stem)
	}
	return u, missingError(text)
}

// missingError returns the error for a page without a file, by its path without the first "/": an *UncertainError if
// the host may run a program for the page, and otherwise fs.ErrNotExist.
//
// QUIRK: Netlify runs the functions of a site below /.netlify/.
func missingError(text string) error {
	if strings.HasPrefix(text, ".netlify/") {
		return &UncertainError{Why: "the host runs a program for URLs below /.netlify/"}
	}
	return fs.ErrNotExist
}

// mergeSlashes returns a path without the slashes at its beginning, and with one slash in place of several.
//
// QUIRK: nginx and Apache do so by default.
func mergeSlashes(text string) string {
	text = strings.TrimLeft(text, "/")
	for strings.Contains(text, "//") {
		text = strings.ReplaceAll(text, "//", "/")
	}
	return text
}

// redirect applies a rule whose target, with its placeholders filled, is to. If the status is 200 and the target is a
// page in the folder, it returns the URL of the file to serve. Otherwise it returns an error: the result of
// missingError for a missing page, fs.ErrNotExist for the status 404 or 410, the syntax error of an invalid target, and
// an *access.Moved in any other case.
func (s *Site) redirect(rule redirectRule, to string) (url.URL, error) {
	base, err := url.Parse(s.Address())
	if err != nil {
		return base, err
	}
	target, ok := weburl.Resolve(base, to)
	if !ok {
		target, err = base.Resolve(to)
	}
	if err == nil {
		target, err = weburl.Parse(s.Local(target.String()))
	}
	if err != nil {
		return target, err
	}
	switch rule.status {
	case 200:
		bare, err := target.Without(url.Query, url.Fragment) // names of files have neither
		if err != nil {
			return target, err
		}
		name, ok := strings.CutPrefix(bare.String(), s.Folder.String())
		if !ok {
			return target, &access.Moved{To: target}
		}
		if name, err = url.Unescape(name); err != nil {
			return target, err
		}
		if file, ok := s.pageFile(name); ok {
			return s.fileURL(file)
		}
		return target, missingError(name)
	case 404, 410:
		return target, fs.ErrNotExist
	}
	return target, &access.Moved{To: target, Permanent: rule.status == 301 || rule.status == 308}
}

// fileURL returns the URL of the named file in the folder. name is unescaped and relative to the folder.
func (s *Site) fileURL(name string) (url.URL, error) {
	return s.Folder.JoinPath(strings.Split(name, "/")...)
}

// pageFile returns the name of the file that a host serves for a path, also with an extension or an index page. text is
// the unescaped path without its first "/". ok is false if the path leads to no file.
func (s *Site) pageFile(text string) (name string, ok bool) {
	name = strings.TrimSuffix(text, "/")
	mayBeFile := name == text && name != ""
	if mayBeFile && s.isFile(name) {
		return name, true
	}
	extended := func(yield func(string) bool) {
		for _, extension := range s.extensions() {
			if name != "" && !yield(name+extension) {
				return
			}
		}
	}
	indexes := func(yield func(string) bool) {
		for _, index := range s.index() {
			if !yield(path.Join(name, index)) {
				return
			}
		}
	}
	order := []func(func(string) bool){indexes, extended}
	if mayBeFile {
		order[0], order[1] = extended, indexes
	}
	for _, candidates := range order {
		for candidate := range candidates {
			if s.isFile(candidate) {
				return candidate, true
			}
		}
	}
	return "", false
}

// index returns s.Index, or "index.html" alone if s.Index is nil.
func (s *Site) index() []string {
	if s.Index == nil {
		return []string{"index.html"}
	}
	return s.Index
}

// extensions returns s.Extensions, or ".html" alone if s.Extensions is nil.
func (s *Site) extensions() []string {
	if s.Extensions == nil {
		return []string{".html"}
	}
	return s.Extensions
}

// isPlain reports whether a URL contains name without escapes.
func isPlain(name string) bool {
	for i := range len(name) {
		if c := name[i]; !ascii.IsLetter(c) && !ascii.IsDigit(c) && strings.IndexByte("-._~/", c) < 0 {
			return false
		}
	}
	return true
}

// isFile reports whether the folder contains a file with exactly this name, which is relative to the folder.
func (s *Site) isFile(name string) bool { return s.names.isFile(s.Files, name) }

// rules returns the rules of the file _redirects; nil if the folder lacks it.
func (s *Site) rules() ([]redirectRule, error) {
	all, err := s.readRedirects()
	return all.rules, err
}

// readRedirects returns the content of the file _redirects, which it reads at the first call. All calls return the same
// error.
func (s *Site) readRedirects() (redirects, error) {
	s.mu.Lock()
	if s.redirects == nil {
		s.redirects = sync.OnceValues(func() (redirects, error) { return readRedirects(s.Files) })
	}
	read := s.redirects
	s.mu.Unlock()
	return read()
}

// Faults returns the lines of the file _redirects that are not obeyed because they are too large. It returns at most
// 101 lines. If the file cannot be read, Faults returns nil, and Do returns the error.
func (s *Site) Faults() []RedirectFault {
	if s.Files == nil {
		return nil
	}
	all, _ := s.readRedirects()
	return all.faults
}

// HasIndex reports whether the folder contains an index page. A folder with an index page is probably a site.
func (s *Site) HasIndex() bool { return s.Files != nil && slices.ContainsFunc(s.index(), s.isFile) }

// Canonical returns the URL that the index page gives as its address (rel=canonical or og:url). ok is false if the page
// gives no web URL that ends in "/".
func (s *Site) Canonical() (address url.URL, ok bool) {
	for _, index := range s.index() {
		if !s.HasIndex() || !s.isFile(index) {
			continue
		}
		f, err := openFile(s.Files, index)
		if err != nil {
			return address, false
		}
		defer f.Close()
		for m, err := range document.HTML.All(f, document.Options{References: true}) {
			if err != nil || !strings.HasSuffix(m.Place, " canonical") {
				continue
			}
			u, err := m.URL()
			return u, err == nil && facts.Of(u.Scheme()).Has(facts.Web) && strings.HasSuffix(u.String(), "/")
		}
	}
	return address, false
}
