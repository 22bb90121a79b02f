// Package library has the files that the demo's servers serve, a small read-only tree of texts
// and pictures about the history of these protocols, which was written for this project. It
// also has functions that its servers need: the media type, title, abstract and words of a
// file.
//
// The tree has the difficult cases of addresses: names with spaces, `;`, `#`, `%` and non-ASCII
// letters, an empty file, a deep directory, a text in three languages and a file of four
// megabytes.
package library

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing/fstest"
	"time"

	"locus/internal/lazy"
)

//go:embed files
var embedded embed.FS

// awkward has the names that an embedded file cannot have, by the names of the embedded files.
var awkward = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"awkward/space.txt":      "awkward/two words.txt",
		"awkward/semicolon.txt":  "awkward/semi;colon.txt",
		"awkward/typecode.txt":   "awkward/list;type=d",
		"awkward/hash.txt":       "awkward/number#sign.txt",
		"awkward/percent.txt":    "awkward/100%.txt",
		"awkward/slash.txt":      "awkward/a%2Fb.txt",
		"awkward/question.txt":   "awkward/why?.txt",
		"awkward/accents.txt":    "awkward/déjà vu.txt",
		"awkward/delimiters.txt": "awkward/+=&@,:'.txt",
	}
}}

// Numbers is the path of the big file: [NumbersLines] lines of 32 bytes, each
// beginning with its number from 0 in seven digits.
const (
	Numbers      = "big/numbers.txt"
	NumbersLines = 1 << 17
)

// changed returns the modification time of every file except etc/motd.
func changed() time.Time { return time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC) }

// Files returns the library. Every call returns the same file system. Several goroutines may
// use it at once. Its files are io.Seekers.
func Files() fs.FS { return files.Get() }

var files = lazy.Value[fs.FS]{Make: func() fs.FS {
	t := fstest.MapFS{".": {Mode: fs.ModeDir | 0o555, ModTime: changed()}}
	err := fs.WalkDir(embedded, "files", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := embedded.ReadFile(name)
		add(t, served(strings.TrimPrefix(name, "files/")), data)
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("library: the embedded files cannot be read: %v", err))
	}
	add(t, Numbers, numbers())
	t["etc/motd"].ModTime = time.Date(1994, time.December, 20, 9, 30, 15, 0, time.UTC) // the month of RFC 1738
	return t
}}

// add adds the file name with data to t, and the directories above it.
func add(t fstest.MapFS, name string, data []byte) {
	t[name] = &fstest.MapFile{Data: data, Mode: 0o444, ModTime: changed()}
	for name = path.Dir(name); name != "."; name = path.Dir(name) {
		t[name] = &fstest.MapFile{Mode: fs.ModeDir | 0o555, ModTime: changed()}
	}
}

// served returns the name under which a file is served. name is its name in the embedded folder
// "files". The two differ for names that Go cannot embed.
func served(name string) string {
	if s, ok := awkward.Get()[name]; ok {
		return s
	}
	return name
}

// numbers returns the text of the large file, which has a number in each line.
func numbers() []byte {
	const rest = "of a file of four MiB.\n"
	b := make([]byte, 0, NumbersLines*32)
	for i := range NumbersLines {
		b = fmt.Appendf(b, "%07d  %s", i, rest)
	}
	return b
}

// TypeOf returns the media type of a file by the suffix of its name, without parameters. A name
// without a suffix is text/plain. An unknown suffix is application/octet-stream.
func TypeOf(name string) string {
	switch strings.ToLower(suffix(name)) {
	case "", ".txt":
		return "text/plain"
	case ".html":
		return "text/html"
	case ".png":
		return "image/png"
	case ".gif":
		return "image/gif"
	case ".jpg":
		return "image/jpeg"
	}
	return "application/octet-stream"
}

// suffix returns the suffix of a name like path.Ext. It returns "" if the result does not look
// like a suffix, as for "list;type=d" and ".profile".
func suffix(name string) string {
	ext := path.Ext(name)
	if len(ext) == len(path.Base(name)) || strings.ContainsAny(ext, " ;=") {
		return ""
	}
	return ext
}

// Languages returns the versions of the text name. README.txt also exists as README.de.txt
// ("De_DE"). The text itself is in English ("En_US").
func Languages(fsys fs.FS, name string) []Version {
	versions := []Version{{Path: name, Language: "En_US"}}
	stem, ok := strings.CutSuffix(name, ".txt")
	if !ok {
		return versions
	}
	for _, v := range []Version{{stem + ".de.txt", "De_DE"}, {stem + ".fr.txt", "Fr_FR"}} {
		if _, err := fs.Stat(fsys, v.Path); err == nil {
			versions = append(versions, v)
		}
	}
	return versions
}

// A Version is a text in a language, in the notation of Gopher+: De_DE.
type Version struct {
	Path     string
	Language string
}

// IsVersion reports whether the file name is the translation of another text.
func IsVersion(name string) bool {
	return strings.HasSuffix(name, ".de.txt") || strings.HasSuffix(name, ".fr.txt")
}
