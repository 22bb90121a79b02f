package waisd

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"locus/demo/internal/library"
)

// A Database has documents to search. It is immutable.
type Database struct {
	name        string
	description string
	files       fs.FS
	documents   []document
	byPath      map[string]int
	index       library.Index
}

// A document is a file, or a text about a database.
type document struct {
	path     string // "/" and the path of the file
	headline string
	kind     string
	size     int
	lines    int
	modTime  time.Time
	data     []byte // if the document is not a file
}

const (
	kindText   = "TEXT"
	kindSource = "WSRC"
)

// indexed is the maximum number of indexed bytes of a text.
const indexed = 64 << 10

// NewDatabase makes a database of every file of fsys. Texts are found by their words, and other
// files by their names. If a file is not an io.Seeker, each retrieval reads it from its start.
func NewDatabase(name, description string, fsys fs.FS) (*Database, error) {
	d := &Database{name: name, description: description, files: fsys, byPath: map[string]int{}}
	err := fs.WalkDir(fsys, ".", func(file string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		return d.addFile(file, e)
	})
	if err != nil {
		return nil, err
	}
	d.addHelp()
	return d, nil
}

// addFile adds the file with that path to the database. It is found by the words of its name and,
// if it is a text, of its first 64 KiB.
func (d *Database) addFile(file string, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil {
		return err
	}
	doc := document{path: "/" + file, headline: library.Title(d.files, file), kind: kindOf(file), size: int(info.Size()), modTime: info.ModTime()}
	content := ""
	if strings.HasPrefix(library.TypeOf(file), "text/") {
		start, err := piece(d.files, file, 0, indexed)
		if err != nil {
			return err
		}
		content = string(start)
		doc.lines = strings.Count(content, "\n")
	}
	d.add(doc, content+" "+path.Base(file))
	return nil
}

// add adds a document, which is found by the words of its headline and of text.
func (d *Database) add(doc document, text string) {
	d.byPath[doc.path] = len(d.documents)
	d.documents = append(d.documents, doc)
	d.index.Add(decode(doc.headline), decode(text))
}

// kindOf returns the WAIS type of a file: "TEXT" for plain text, and the format of other texts and
// images, such as "HTML" or "GIF". A file of unknown media type has its extension as its type, or
// "BIN" if it has no extension. Any other file is "BIN".
func kindOf(file string) string {
	switch major, minor, _ := strings.Cut(library.TypeOf(file), "/"); {
	case minor == "plain":
		return kindText
	case minor == "octet-stream":
		return strings.ToUpper(strings.TrimPrefix(cmp.Or(path.Ext(file), ".BIN"), "."))
	case major == "text", major == "image":
		return strings.ToUpper(minor)
	}
	return "BIN"
}

// addHelp adds the documents that a search without words returns: the source description and
// the catalog. Other searches do not find them.
func (d *Database) addHelp() {
	var catalog bytes.Buffer
	fmt.Fprintf(&catalog, "Catalog for database: %s\n%d total documents\n", d.name, len(d.documents))
	for i, doc := range d.documents {
		fmt.Fprintf(&catalog, "\nDocument # %d\nHeadline: %s\nDocID: %s\n", i+1, doc.headline, local{0, doc.size, doc.path})
	}
	for _, doc := range []document{
		{path: d.name + ".src", headline: "Information on database: " + d.name, kind: kindSource, data: d.source()},
		{path: d.name + ".cat", headline: "Catalog for database: " + d.name, kind: kindText, data: catalog.Bytes()},
	} {
		doc.size, doc.lines = len(doc.data), bytes.Count(doc.data, []byte("\n"))
		d.byPath[doc.path] = len(d.documents)
		d.documents = append(d.documents, doc)
	}
}

// help returns the documents of addHelp: the source description, and then the catalog.
func (d *Database) help() []document { return d.documents[len(d.documents)-2:] }

// source returns the source description of the database, which tells clients how to search it. It
// omits the address, because the client knows it.
func (d *Database) source() []byte {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	var b bytes.Buffer
	fmt.Fprintf(&b, "(:source\n   :version 3\n   :database-name \"%s\"\n", escape.Replace(d.name))
	fmt.Fprintf(&b, "   :cost 0.00\n   :cost-unit :free\n   :maintainer \"demo@localhost\"\n")
	fmt.Fprintf(&b, "   :description \"%s\"\n)\n", escape.Replace(d.description))
	return b.Bytes()
}

// Info returns the database INFO, which has the source descriptions of the others.
func Info(others []*Database) *Database {
	d := &Database{name: "INFO", description: "The databases of this server. Search it for what they are about.\n", byPath: map[string]int{}}
	for _, o := range others {
		doc := o.help()[0]
		doc.headline = o.name + ".src"
		d.add(doc, string(doc.data))
	}
	d.addHelp()
	return d
}

// slice returns the bytes of a document from offset start up to, but not including, offset end.
func (d *Database) slice(doc document, start, end int) ([]byte, error) {
	if doc.data != nil {
		return doc.data[start:end], nil
	}
	return piece(d.files, doc.path[1:], start, end)
}

// piece reads the bytes of a file from offset start up to offset end, or fewer if the file is
// shorter.
func piece(fsys fs.FS, file string, start, end int) ([]byte, error) {
	f, err := fsys.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if seeker, ok := f.(io.Seeker); ok {
		_, err = seeker.Seek(int64(start), io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, f, int64(start))
	}
	if err != nil {
		return nil, err
	}
	b := make([]byte, end-start)
	n, err := io.ReadFull(f, b)
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return b[:n], err
}

// A local is this server's name for a document, or a part of it:
//
//	start end path
//
// in bytes of the file; end 0 is the end of the file.
type local struct {
	start, end int
	path       string
}

func (l local) String() string { return fmt.Sprintf("%d %d %s", l.start, l.end, l.path) }

// parseLocal parses the local name of a document: start, end and path, with spaces between them. It
// returns false if the name is malformed.
func parseLocal(text string) (local, bool) {
	fields := strings.SplitN(text, " ", 3)
	if len(fields) < 3 {
		return local{}, false
	}
	start, err := strconv.ParseUint(fields[0], 10, 31)
	end, err2 := strconv.ParseUint(fields[1], 10, 31)
	return local{int(start), int(end), fields[2]}, err == nil && err2 == nil
}

// find returns the document that l names, and the range of its bytes that l names. An end of 0, or
// one that is beyond the document, means the end of the document. ok is false if there is no such
// document, or if the range starts after its end.
func (d *Database) find(l local) (doc document, start, end int, ok bool) {
	i, ok := d.byPath[l.path]
	if !ok {
		return document{}, 0, 0, false
	}
	doc = d.documents[i]
	if l.end == 0 || l.end > doc.size {
		l.end = doc.size
	}
	return doc, l.start, l.end, l.start <= l.end
}

// decode returns text if it is UTF-8, and otherwise converts it from Latin-1 to UTF-8.
func decode(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	runes := make([]rune, len(text))
	for i := range len(text) {
		runes[i] = rune(text[i])
	}
	return string(runes)
}
