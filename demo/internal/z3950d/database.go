package z3950d

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"locus/demo/internal/library"
	"locus/internal/marc"
)

// A Database has a record for each file. It is immutable.
type Database struct {
	name        string
	description string
	records     []book
}

// A book is the record of a file.
type book struct {
	id       string // "lib0007"
	path     string
	title    string
	author   string
	modTime  time.Time
	abstract string
	words    map[string]bool // words of the file and of its title
}

// NewDatabase returns a database with a record for each plain text of fsys of at most 64 KiB.
func NewDatabase(name, description string, fsys fs.FS) (*Database, error) {
	d := &Database{name: name, description: description}
	err := fs.WalkDir(fsys, ".", func(file string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || library.TypeOf(file) != "text/plain" {
			return err
		}
		info, err := e.Info()
		if err != nil || info.Size() > indexed {
			return err
		}
		content, err := fs.ReadFile(fsys, file)
		if err != nil {
			return err
		}
		d.add(fsys, file, info.ModTime(), decode(string(content)))
		return nil
	})
	return d, err
}

// indexed is the maximum number of bytes of a text.
const indexed = 64 << 10

// add adds the record of a file. content is the text of the file, in UTF-8.
func (d *Database) add(fsys fs.FS, file string, modTime time.Time, content string) {
	b := book{
		id: fmt.Sprintf("lib%04d", len(d.records)+1), path: file, title: decode(library.Title(fsys, file)), author: "locus", modTime: modTime,
		abstract: decode(strings.Join(library.Abstract(fsys, file), " ")), words: map[string]bool{},
	}
	for _, w := range library.Words(b.title + " " + path.Base(file) + " " + content) {
		b.words[w] = true
	}
	d.records = append(d.records, b)
}

// year returns the year of the file in four digits, or "" if the time of the file is unknown.
func (b *book) year() string {
	if b.modTime.IsZero() {
		return ""
	}
	return b.modTime.UTC().Format("2006")
}

// marc returns the record in MARC 21.
func (b *book) marc() marc.Record {
	date := fmt.Sprintf("%-8s", b.modTime.UTC().Format("060102")+"s")
	r := marc.Record{Format: marc.MARC21, Leader: "00000nam a2200000 a 4500", Fields: []marc.Field{
		{Tag: "001", Value: b.id},
		{Tag: "008", Value: fmt.Sprintf("%-7.7s%-4s    xx            000 0 eng d", date, b.year())},
		field("100", "0 ", "a", b.author),
		field("245", "10", "a", b.title),
	}}
	if b.year() != "" {
		r.Fields = append(r.Fields, field("260", "  ", "c", b.year()))
	}
	if b.abstract != "" {
		r.Fields = append(r.Fields, field("520", "  ", "a", b.abstract))
	}
	r.Fields = append(r.Fields, field("500", "  ", "a", "File "+b.path+" of the little library."))
	return r
}

// field returns a field with one subfield, whose code is code.
func field(tag, indicators, code, value string) marc.Field {
	return marc.Field{Tag: tag, Indicators: indicators, Subfields: []marc.Subfield{{Code: code, Value: value}}}
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
