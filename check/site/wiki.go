package site

import (
	"io/fs"
	"path"
	"strings"
	"sync"

	"locus/url"
)

// The reasons why the target of a wiki link is not found.
const (
	NoWiki = "it is a link of a wiki, but no wiki is configured"
	NoNote = "no page of the wiki has this name"

	// MayBeNote is the reason if not all files of the wiki were read.
	MayBeNote = "no page has this name among the files of the wiki that were read"
)

// notes has the files of a wiki by their names, which are read once.
type notes struct {
	once   sync.Once
	names  map[string]string // the name of a file, by its form in noteName
	isPart bool              // the wiki has more files than maxNotes
}

// maxNotes is how many files of a wiki are read.
const maxNotes = 50_000

// Note returns the target of a wiki link, such as [[Page]], [[folder/Page#Heading|text]] and [[pot.png]]. target is the
// text between the brackets. Its fragment is not part of the result, because each wiki derives it by other rules. why
// is NoWiki, NoNote or MayBeNote if there is no such page. ok is false for a text that is not a link to a page.
func (p *Project) Note(target string) (file, why string, ok bool) {
	name, _, _ := strings.Cut(target, "|")
	name, _, _ = strings.Cut(name, "#")
	name = strings.TrimSpace(name)
	switch {
	case name == "" || isContents(name):
		return "", "", false
	case p == nil || !p.Generator.Dialect.WikiLinks:
		return "", NoWiki, true
	}
	found, isThere := p.allNotes()[noteName(name)]
	switch {
	case !isThere && p.notes.isPart:
		return "", MayBeNote, true
	case !isThere:
		return "", NoNote, true
	}
	return p.urlOf(found, ""), "", true
}

// noteNamed returns the file of the wiki that has the name of a link in Markdown, such as [x](Page) or [x](page.md), in
// any folder. It returns false if there is no such file, if the name has a folder, or if the link leads to a file
// beside the file that contains it.
func (p *Project) noteNamed(file url.URL, name string) (found string, ok bool) {
	name = strings.TrimPrefix(name, "./")
	from, isHere := p.nameOf(file)
	if !isHere || name == "" || strings.ContainsAny(name, "/:") || p.names.isFile(p.Files, path.Join(path.Dir(from), name)) {
		return "", false
	}
	found, ok = p.allNotes()[noteName(name)]
	return found, ok
}

// isContents reports whether name, in double brackets, stands for a table of contents, as in GitLab and VitePress.
func isContents(name string) bool { return strings.EqualFold(strings.Trim(name, "_"), "toc") }

// allNotes returns the names of the wiki's files. The keys are the results of noteName for each name, with its folder
// and without it. If several files have one key, the map has the first file whose name with its folder has the key, or
// else the first file. allNotes reads the folder at the first call. The caller must not change the map.
func (p *Project) allNotes() map[string]string {
	p.notes.once.Do(func() {
		p.notes.names = map[string]string{}
		count := 0
		_ = fs.WalkDir(p.Files, ".", func(file string, e fs.DirEntry, err error) error {
			base := path.Base(file)
			switch {
			case err != nil:
				return nil //nolint:nilerr // the reader of the folder reports it
			case e.IsDir() && file != "." && (base[0] == '.' || base == "node_modules"):
				return fs.SkipDir
			case e.IsDir():
				return nil
			}
			if count++; count > maxNotes {
				p.notes.isPart = true
				return fs.SkipAll
			}
			whole, short := noteName(file), noteName(base)
			if noteName(p.notes.names[whole]) != whole {
				p.notes.names[whole] = file
			}
			if p.notes.names[short] == "" {
				p.notes.names[short] = file
			}
			return nil
		})
	})
	return p.notes.names
}

// noteName returns the form in which the names of pages are compared: without the extension of a source, without a
// difference of case, and with spaces instead of hyphens.
func noteName(name string) string {
	if isSource(name) {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	return strings.ToLower(strings.ReplaceAll(strings.Trim(name, "/"), "-", " "))
}
