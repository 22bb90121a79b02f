package library

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
)

// indexed is how many bytes of a file are indexed.
const indexed = 64 << 10

// An Index finds the texts of a file system by their words. It is safe for
// concurrent use.
type Index struct {
	hits  []Hit            // by path
	words map[string][]int // the texts that have a word, as indexes of hits
}

// A Hit is a text that has all the words asked for.
type Hit struct {
	Path  string
	Title string
}

// NewIndex reads every text of fsys of at most 64 KiB.
func NewIndex(fsys fs.FS) (*Index, error) {
	x := &Index{words: map[string][]int{}}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(TypeOf(name), "text/") {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Size() > indexed {
			return err
		}
		text, err := head(fsys, name)
		if err != nil {
			return err
		}
		x.add(Hit{Path: name, Title: title(name, text)}, text)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return x, nil
}

func (x *Index) add(h Hit, text string) {
	id := len(x.hits)
	x.hits = append(x.hits, h)
	for _, w := range Words(text) {
		if ids := x.words[w]; len(ids) == 0 || ids[len(ids)-1] != id {
			x.words[w] = append(ids, id)
		}
	}
}

// Find returns the texts that have every one of the words, in the order of their paths.
// Case and punctuation do not count; no words find nothing.
func (x *Index) Find(words string) []Hit {
	asked := Words(words)
	if len(asked) == 0 {
		return nil
	}
	var found []Hit
	for _, id := range x.words[asked[0]] {
		lacks := func(w string) bool { return !slices.Contains(x.words[w], id) }
		if !slices.ContainsFunc(asked[1:], lacks) {
			found = append(found, x.hits[id])
		}
	}
	return found
}

// Words returns the words of a text, in lower case.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// Title returns the title of a file: the first line of a plain text, otherwise its
// name.
func Title(fsys fs.FS, name string) string {
	if TypeOf(name) != "text/plain" {
		return path.Base(name)
	}
	text, err := head(fsys, name)
	if err != nil {
		return path.Base(name)
	}
	return title(name, text)
}

func title(name, text string) string {
	first, _, _ := strings.Cut(text, "\n")
	first = strings.TrimSpace(first)
	if TypeOf(name) != "text/plain" || first == "" || len(first) > 70 || strings.ContainsFunc(first, unicode.IsControl) {
		return path.Base(name)
	}
	return first
}

// Abstract returns the lines of the first paragraph of a plain text after its title, at
// most ten; none for anything else.
func Abstract(fsys fs.FS, name string) []string {
	if TypeOf(name) != "text/plain" {
		return nil
	}
	text, err := head(fsys, name)
	if err != nil {
		return nil
	}
	_, text, _ = strings.Cut(text, "\n\n")
	text, _, _ = strings.Cut(text, "\n\n")
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if lines[0] == "" {
		return nil
	}
	return lines[:min(len(lines), 10)]
}

// head returns as much of a file as is indexed.
func head(fsys fs.FS, name string) (string, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, indexed))
	return string(b), err
}
