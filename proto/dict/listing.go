package dict

import (
	"io"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/urilist"
	"locus/scheme"
	"locus/url"
)

// A listing is the Body and the List of the databases, of the words that match a word, or of the description of a
// database.
//
//	wn "WordNet (r) 3.0 (2006)"     a database and its description
//	wn "teacup"                     a database and a word that it has
type listing struct {
	*connection
	url    url.URL
	view   scheme.Dict   // of url
	first  *access.Entry // returned before the lines; may be nil
	isInfo bool          // the lines are the description of a database
	found  uint64        // the number of the last line
	ended  bool          // the last line was read
	text   urilist.Text
}

// Next returns the next database, match, or line of a description. If the URL has a Number,
// Next returns only the match with this number. The error is io.EOF after the last entry.
func (l *listing) Next() (access.Entry, error) {
	e, err := l.next()
	return e, engine.FailReading("list", l.url, err)
}

// next returns the next entry, and io.EOF after the last one. Its errors do not name the URL.
func (l *listing) next() (access.Entry, error) {
	if err := l.Err(); err != nil {
		return access.Entry{}, err
	}
	if e := l.first; e != nil {
		l.first = nil
		return *e, nil
	}
	for {
		if l.ended || l.view.Number != 0 && l.found == l.view.Number {
			return access.Entry{}, io.EOF
		}
		line, err := l.textLine()
		if err != nil {
			return access.Entry{}, l.end(err)
		}
		l.found++
		if l.view.Number == 0 || l.found == l.view.Number {
			return l.entry(line), nil
		}
	}
}

// end returns the error of Next after textLine has failed with err. If err is io.EOF, end reads
// the reply that ends the command, and returns io.EOF, or a numberError if the listing has
// fewer matches than the URL's Number. Any other err is returned unchanged.
func (l *listing) end(err error) error {
	if !access.IsEnd(err) {
		return err
	}
	if _, err := l.expect(completed); err != nil {
		return err
	}
	l.ended = true
	if l.found < l.view.Number {
		return numberError(l.view.Number, l.found)
	}
	return io.EOF
}

// entry returns the entry of a line. Each line has the name of a database and a text: the
// matching word, or the title of the database. A line of a description becomes an entry of the
// kind Info.
func (l *listing) entry(line string) access.Entry {
	if l.isInfo {
		return access.Entry{Title: line, Kind: access.Info, Size: -1}
	}
	database, rest := cutWord(line)
	text, _ := cutWord(rest)
	to := scheme.Dict{Host: l.view.Host, Kind: scheme.DictDefine, Database: database}
	e := access.Entry{Title: text, Kind: access.Search, Size: -1, Header: access.Header{{Name: "Database", Value: database}}}
	if l.view.Kind == scheme.DictMatch && !isSearch(l.view) {
		to.Word = text
		e.Kind, e.Type = access.Object, textType
	}
	e.URL = to.URL()
	return e
}

// Read reads the listing as a text/uri-list.
func (l *listing) Read(p []byte) (int, error) {
	n, err := l.text.Read(p, l.next)
	return n, engine.FailReading("read", l.url, err)
}
