package site

import (
	"bufio"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"locus/extract/document/dialect"
	"locus/internal/lazy"
	"locus/url"
)

// A manual contains the labels in the sources of a manual that Sphinx makes.
type manual struct {
	labels     map[string]label // by their names in the form of labelName
	isExtended bool             // the manual may have more labels, which extensions add or which were not read
}

// A label is a label in a file, with its name as the file writes it. The name is "" if it may not be an id in the file.
type label struct{ file, name string }

// The limits of the files of a manual that are read.
const (
	maxSources = 50_000
	maxSource  = 4 << 20 // the bytes of one file
)

// sourceExtensions are the extensions of sources of a manual, in the order in which they are tried.
var sourceExtensions = []string{".rst", ".md", ".txt", ".ipynb"}

// The reasons why the target of a role of Sphinx is not found. Except with NoLabel the link may still be good, because an
// extension may add the label or the document, or the document is in another manual.
const (
	NoLabel       = "no document of the manual has this label"
	MayBeLabel    = "no document of the manual has this label, but an extension may add it"
	MayBeDocument = "the manual has no source of this document, but an extension may add it"
	OtherManual   = "it is a document of another manual"
)

// IsManual reports whether the folder contains the sources of a manual that Sphinx makes. It does if it contains a file
// conf.py.
func (s *Site) IsManual() bool { return s.Files != nil && s.isFile("conf.py") }

// Dialect returns the dialect of a file in the folder. It is the zero Dialect if the folder does not have the sources of
// a manual.
func (s *Site) Dialect(file url.URL) dialect.Dialect {
	if !s.IsManual() {
		return dialect.Dialect{}
	}
	return dialectOf(file, s.madeBy())
}

// madeBy returns the generator that the folder configures, which it looks for at the first call.
func (s *Site) madeBy() Generator {
	s.mu.Lock()
	if s.generator == nil {
		s.generator = sync.OnceValue(func() Generator {
			g, _ := GeneratorIn(s.Files)
			return g
		})
	}
	read := s.generator
	s.mu.Unlock()
	return read()
}

// File returns the base URL and the reference for the file that a role or an include directive names. A name begins at
// the file with the URL base or, if its first character is "/", at the folder.
func (s *Site) File(base, name string) (from, to string) {
	base = s.Local(base)
	if text, ok := strings.CutPrefix(name, "/"); ok {
		base, name = s.Folder.String(), text
	}
	return base, url.Escape(name, url.RFC3986.Unreserved().With("/"))
}

// Document returns the URL of the source of a document. name is the name of the document, as it is written, and file is
// the URL that File and Resolve make of the name. It returns file if that is not in the folder, and the URL that the
// source would have if it is missing. If the document is in another manual, why is OtherManual, and source is the text
// of the role. If an extension may add the document, why is MayBeDocument.
func (s *Site) Document(file, name string) (source, why string) {
	escaped, isInFolder := strings.CutPrefix(file, s.Folder.String())
	if !isInFolder {
		return file, ""
	}
	text, err := url.Unescape(escaped)
	if err != nil {
		return file, ""
	}
	source, isFound := s.source(text)
	if isFound {
		return source, ""
	}
	if why := s.madeBy().missingDocument(name); why != "" {
		return ":doc:`" + name + "`", why
	}
	return source, ""
}

// missingDocument returns the reason why a document may exist although the folder lacks its source. It returns "" if no
// document has this name.
func (g Generator) missingDocument(name string) (why string) {
	switch {
	case isOfProject(name):
		return OtherManual
	case g.addsDocuments:
		return MayBeDocument
	}
	return ""
}

// isOfProject reports whether name, the name of a document, begins with the name of another manual, such as
// "click:testing".
func isOfProject(name string) bool {
	project, rest, ok := strings.Cut(name, ":")
	return ok && project != "" && rest != "" && !strings.Contains(project, "/")
}

// source returns the URL of the source of the named document, and true. If the folder lacks the source, it returns the
// URL that the source would have in reStructuredText or, if MyST is used, in Markdown, and false.
func (s *Site) source(name string) (file string, isFound bool) {
	for _, extension := range sourceExtensions {
		if s.isFile(name + extension) {
			return s.urlOf(name + extension), true
		}
	}
	if s.ReadsMyST() {
		return s.urlOf(name + ".md"), false
	}
	return s.urlOf(name + ".rst"), false
}

// sourceOf returns the URL of the source from which Sphinx makes a page. name is the name of the page without its
// extension. The error is an *UncertainError if the folder lacks the source, because an extension may make the page.
func (s *Site) sourceOf(name string) (url.URL, error) {
	if file, ok := s.source(name); ok {
		return url.Parse(file)
	}
	return url.URL{}, mayBeMade("conf.py")
}

// fileWithStem returns the URL of a file whose name is stem with any extension, for a reference to stem.*, whose
// extension Sphinx chooses by the format of its output. If there are several files, it returns the first by name. The
// error is fs.ErrNotExist if there are none.
func (s *Site) fileWithStem(stem string) (url.URL, error) {
	var found []string
	for name, isFile := range s.names.entries(s.Files, path.Dir(stem)) {
		if isFile && strings.HasPrefix(name, path.Base(stem)+".") {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return url.URL{}, fs.ErrNotExist
	}
	return s.fileURL(path.Join(path.Dir(stem), slices.Min(found)))
}

// urlOf returns the URL of the named file in the folder as a text.
func (s *Site) urlOf(name string) string {
	u, err := s.fileURL(name)
	if err != nil {
		return s.Folder.String() // not reached, because every name of a file can be escaped
	}
	return u.String()
}

// Label returns the URL of the label that is named in text, or the URL of its file if the label may not be an id there.
// If the label is not found, at is "", and why is NoLabel or MayBeLabel. ok is false for the labels that Sphinx itself
// defines, because they are in no file.
func (s *Site) Label(text string) (at, why string, ok bool) {
	name := labelName(text)
	switch name {
	case "genindex", "modindex", "py-modindex", "search":
		return "", "", false
	}
	all := s.manual()
	found, ok := all.labels[name]
	switch {
	case ok:
		return s.labelURL(found), "", true
	case all.isExtended:
		return "", MayBeLabel, true
	}
	return "", NoLabel, true
}

// labelURL returns the URL of a label, or the URL of its file if the label may not be an id there.
func (s *Site) labelURL(l label) string {
	if l.name == "" {
		return s.urlOf(l.file)
	}
	return s.urlOf(l.file) + "#" + url.Escape(l.name, url.RFC3986.Unreserved())
}

// labelName returns the form in which Sphinx compares labels: in lower case, with one space for each run of white
// space.
func labelName(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// manual returns the labels of all sources, which it reads at the first call.
func (s *Site) manual() manual {
	s.mu.Lock()
	if s.readManual == nil {
		s.readManual = sync.OnceValue(func() manual { return readManual(s.Files) })
	}
	read := s.readManual
	s.mu.Unlock()
	return read()
}

// labelExtensions are parts of the names of extensions that add labels.
var labelExtensions = []string{"autosectionlabel", "intersphinx", "autodoc", "autoapi", "breathe", "apidoc", "gallery"}

// readManual reads the labels of all sources in a folder. It ignores files that cannot be opened, because the reader of
// their links reports them.
func readManual(files fs.FS) manual {
	all := manual{labels: make(map[string]label)}
	conf := configText(files, "conf.py")
	all.isExtended = conf == nil
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
		case path.Ext(name) == ".ipynb":
			all.isExtended = true // it may define labels in its cells
			return nil
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

// labelLine matches a line that defines a label, in reStructuredText, as an option of a directive, and in MyST.
var labelLine = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile("^\\s*(?:\\.\\. _(?:`([^`]+)`|((?:[^:\\\\`]|\\\\.|:\\S)+)):|:(?:name|label):\\s*(\\S.*?)|\\((\\S[^()]*)\\)=)\\s*$")
}}

// read adds the labels that the named file defines. A file that cannot be read whole makes the manual isExtended.
func (all *manual) read(files fs.FS, name string) {
	f, err := openFile(files, name)
	if err != nil {
		return
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for size := 0; lines.Scan(); {
		if size += len(lines.Bytes()); size > maxSource {
			all.isExtended = true // the rest may define more labels
			break
		}
		if path.Ext(name) == ".md" {
			all.readMyST(lines.Text(), name)
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
	if lines.Err() != nil { // a line has more than 64 KiB, and labels may follow it
		all.isExtended = true
	}
}
