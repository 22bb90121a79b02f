package check

import (
	"bufio"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"

	"locus/extract"
	"locus/internal/lazy"
	"locus/url"
)

// A manual is what is known of the sources of a manual that Sphinx makes.
type manual struct {
	labels     map[string]label // by their names, as labelName returns them
	isExtended bool             // extensions may add labels
}

// A label is the place of a label.
type label struct{ file, name string }

// Limits of what is read of a manual.
const (
	maxSources = 50_000
	maxSource  = 4 << 20 // bytes of a file
)

// sourceExtensions are those of the sources of a manual.
var sourceExtensions = []string{".rst", ".md", ".txt", ".ipynb"}

// noLabel is the Link.Bad of a role with an unknown label. The others are those of roles that
// are unchecked: an extension may add the label, or the document is not of this manual.
const (
	noLabel     = "no document of the manual has this label"
	mayBeLabel  = "no document of the manual has this label, but an extension may add it"
	otherManual = "it is a document of another manual"
)

// IsManual reports whether the folder has the sources of a manual that Sphinx makes: there is
// a file conf.py.
func (s *Site) IsManual() bool { return s.Files != nil && s.isFile("conf.py") }

// withRoles returns toLink for a document with roles of Sphinx.
func (s *Site) withRoles(toLink func(extract.Match) (Link, bool)) func(extract.Match) (Link, bool) {
	return func(m extract.Match) (Link, bool) {
		if strings.HasPrefix(m.Place, "role ") {
			return s.roleLink(m)
		}
		return toLink(m)
	}
}

// roleLink returns the link for a role of Sphinx, or for a file that is included.
func (s *Site) roleLink(m extract.Match) (Link, bool) {
	role := strings.TrimPrefix(m.Place, "role ")
	if role == "ref" || role == "numref" {
		return s.labelLink(m, role)
	}
	l, ok := s.fileLink(m)
	name, isInFolder := strings.CutPrefix(l.URL, s.Folder.String())
	if role != "doc" || !isInFolder || l.Bad != "" {
		return l, ok
	}
	name, err := url.Unescape(name)
	if err != nil {
		return l, ok
	}
	var isFound bool
	if l.URL, isFound = s.source(name); !isFound && isOfProject(m.Text) {
		l.URL, l.Bad = ":doc:`"+m.Text+"`", otherManual
	}
	return l, ok
}

// fileLink returns the link for a file, from the file that names it or, after "/", from the
// folder.
func (s *Site) fileLink(m extract.Match) (Link, bool) {
	m.Base = s.Local(m.Base)
	if text, ok := strings.CutPrefix(m.Text, "/"); ok {
		m.Base, m.Text = s.Folder.String(), text
	}
	m.Text = url.Escape(m.Text, url.RFC3986.Unreserved().With("/"))
	return linkOf(m)
}

// isOfProject reports whether the name of a document begins with that of another manual, such as
// "click:testing".
func isOfProject(name string) bool {
	project, rest, ok := strings.Cut(name, ":")
	return ok && project != "" && rest != "" && !strings.Contains(project, "/")
}

// source returns the URL of the source of a document; of a missing one that which it would have
// in reStructuredText, and false.
func (s *Site) source(name string) (file string, isFound bool) {
	for _, extension := range sourceExtensions {
		if s.isFile(name + extension) {
			return s.urlOf(name + extension), true
		}
	}
	return s.urlOf(name + sourceExtensions[0]), false
}

// written returns the URL of the source of a page that Sphinx writes. name has no extension.
func (s *Site) written(name string) (url.URL, error) {
	if file, ok := s.source(name); ok {
		return url.Parse(file)
	}
	return url.URL{}, mayBeMade("conf.py")
}

func (s *Site) urlOf(name string) string {
	u, err := s.fileURL(name)
	if err != nil {
		return s.Folder.String() // no name of a file is invalid
	}
	return u.String()
}

// labelLink returns the link for a label. Sphinx itself has some labels.
func (s *Site) labelLink(m extract.Match, role string) (Link, bool) {
	l := Link{Line: m.Line, Column: m.Column}
	name := labelName(m.Text)
	switch name {
	case "genindex", "modindex", "py-modindex", "search":
		return l, false
	}
	all := s.manual()
	at, ok := all.labels[name]
	switch {
	case ok:
		l.URL = s.urlOf(at.file) + "#" + url.Escape(at.name, url.RFC3986.Unreserved())
		return l, true
	case all.isExtended:
		l.Bad = mayBeLabel
	default:
		l.Bad = noLabel
	}
	l.URL = ":" + role + ":`" + m.Text + "`"
	return shorten(l), true
}

// labelName returns a label as Sphinx compares it.
func labelName(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// manual reads the labels of all sources, once.
func (s *Site) manual() manual {
	s.mu.Lock()
	if s.readManual == nil {
		s.readManual = sync.OnceValue(func() manual { return readManual(s.Files) })
	}
	read := s.readManual
	s.mu.Unlock()
	return read()
}

// labelExtensions are names in conf.py of extensions that add labels.
var labelExtensions = []string{"autosectionlabel", "intersphinx", "autodoc", "autoapi", "breathe", "apidoc", "gallery"}

// readManual reads the labels of the sources in a folder. What cannot be read has none: the
// reader of the documents says so.
func readManual(files fs.FS) manual {
	all := manual{labels: make(map[string]label)}
	conf, err := fs.ReadFile(files, "conf.py")
	all.isExtended = err != nil
	for _, name := range labelExtensions {
		all.isExtended = all.isExtended || strings.Contains(string(conf), name)
	}
	count := 0
	_ = fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		base := path.Base(name)
		switch {
		case err != nil:
			return nil //nolint:nilerr // see above
		case e.IsDir() && name != "." && (base[0] == '.' || base == "_build" || base == "node_modules"):
			return fs.SkipDir
		case e.IsDir(), path.Ext(name) != ".rst" && path.Ext(name) != ".md" && path.Ext(name) != ".txt":
			return nil
		}
		if count++; count > maxSources {
			all.isExtended = true
			return fs.SkipAll
		}
		all.read(files, name)
		return nil
	})
	return all
}

// labelLine matches the line of a label: in reStructuredText, as an option of a directive, and in
// MyST.
var labelLine = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile("^\\s*(?:\\.\\. _(?:`([^`]+)`|((?:[^:\\\\`]|\\\\.|:\\S)+)):|:(?:name|label):\\s*(\\S.*?)|\\((\\S[^()]*)\\)=)\\s*$")
}}

// read adds the labels of a file.
func (all *manual) read(files fs.FS, name string) {
	f, err := files.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for size := 0; lines.Scan(); {
		if size += len(lines.Bytes()); size > maxSource {
			break
		}
		if c := strings.TrimLeft(lines.Text(), " \t"); c == "" || c[0] != '.' && c[0] != ':' && c[0] != '(' {
			continue
		}
		m := labelLine.Get().FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		text := strings.ReplaceAll(m[1]+m[2]+m[3]+m[4], `\`, "")
		all.labels[labelName(text)] = label{name, text}
	}
	if lines.Err() != nil { // a line of more than 64 KiB; there may be labels after it
		all.isExtended = true
	}
}
