package library

import (
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// indexed is the maximum number of bytes of an indexed text.
const indexed = 64 << 10

// An Index finds texts by their words. The zero Index is empty. Several goroutines may use it
// at once, but not during Add.
type Index struct {
	hits     []Hit                // by path; nil if the texts are not files
	texts    map[string][]posting // by word, in the order of the texts
	lengths  []int                // of the texts, in words
	allWords int                  // sum of lengths
}

// A posting says how often a text has a word. Texts are counted from 0.
type posting struct{ text, times int }

// A Hit is a text that has all the words of a query.
type Hit struct {
	Path  string
	Title string
}

// NewIndex returns an index of every text of fsys of at most 64 KiB, for Find.
func NewIndex(fsys fs.FS) (*Index, error) {
	x := &Index{}
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
		x.hits = append(x.hits, Hit{Path: name, Title: title(name, text)})
		x.Add("", text)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return x, nil
}

// Add adds a text to the index, for Rank. Texts are numbered from 0 in the order of Add. A word of
// the headline counts as three words.
func (x *Index) Add(headline, text string) {
	const weight = 3
	if x.texts == nil {
		x.texts = map[string][]posting{}
	}
	id, length := len(x.lengths), 0
	count := func(words []string, times int) {
		for _, w := range words {
			in := x.texts[w]
			if len(in) == 0 || in[len(in)-1].text != id {
				in = append(in, posting{text: id})
			}
			in[len(in)-1].times += times
			x.texts[w] = in
			length += times
		}
	}
	count(Words(headline), weight)
	count(Words(text), 1)
	x.lengths = append(x.lengths, length)
	x.allWords += length
}

// Find returns the texts that have every word of words, in the order of their paths. It ignores
// case and punctuation. It returns nil if words has no words.
func (x *Index) Find(words string) []Hit {
	asked := Words(words)
	if len(asked) == 0 {
		return nil
	}
	var found []Hit
	for _, p := range x.texts[asked[0]] {
		lacks := func(w string) bool {
			return !slices.ContainsFunc(x.texts[w], func(other posting) bool { return other.text == p.text })
		}
		if !slices.ContainsFunc(asked[1:], lacks) {
			found = append(found, x.hits[p.text])
		}
	}
	return found
}

// A Ranked is a text with its score. Texts are counted from 0, in the order of Add.
type Ranked struct {
	Text  int
	Score float64
}

// Rank returns the texts that have any of the words, the one with the highest score first. The
// score is Okapi BM25: rare words count more, repeated words count less each time, and long texts
// count less than short ones.
func (x *Index) Rank(words []string) []Ranked {
	const k, b = 1.2, 0.75
	if x.allWords == 0 {
		return nil
	}
	scores := map[int]float64{}
	average := float64(x.allWords) / float64(len(x.lengths))
	for _, w := range words {
		in := x.texts[w]
		rarity := math.Log(1 + (float64(len(x.lengths)-len(in))+0.5)/(float64(len(in))+0.5))
		for _, p := range in {
			times := float64(p.times)
			long := 1 - b + b*float64(x.lengths[p.text])/average
			scores[p.text] += rarity * times * (k + 1) / (times + k*long)
		}
	}
	found := make([]Ranked, 0, len(scores))
	for text, score := range scores {
		found = append(found, Ranked{text, score})
	}
	sort.Slice(found, func(i, j int) bool {
		a, b := found[i], found[j]
		return a.Score > b.Score || a.Score == b.Score && a.Text < b.Text
	})
	return found
}

// Words returns the words of a text, in lower case.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// Title returns the title of a file, which is the first line of a plain text, and otherwise the
// name of the file.
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

// title returns the title of the file name that starts with text: its first line if that can be a
// title, and otherwise the name without its directory.
func title(name, text string) string {
	first, _, _ := strings.Cut(text, "\n")
	first = strings.TrimSpace(first)
	if TypeOf(name) != "text/plain" || first == "" || len(first) > 70 || strings.ContainsFunc(first, unicode.IsControl) {
		return path.Base(name)
	}
	return first
}

// Abstract returns the first paragraph of a plain text after its title, at most ten lines. It
// returns nil for other files.
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

// head returns the first 64 KiB of a file, or the whole file if it is shorter.
func head(fsys fs.FS, name string) (string, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, indexed))
	return string(b), err
}
