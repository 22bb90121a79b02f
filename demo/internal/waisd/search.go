package waisd

import (
	"math"
	"strings"

	"locus/demo/internal/library"
)

// A hit is a document that a search found.
type hit struct {
	document
	score int
}

// hits returns the documents that match seed, the words of a search, or the words of the documents
// that query names. The best document is first and has a score of 1000. A search without words
// finds the source description and the catalog (information).
func (d *Database) hits(seed string, query []field) []hit {
	asked := words(seed)
	for _, f := range query {
		if f.tag == tagDocumentID || f.tag == tagChunk {
			asked = append(asked, d.like(f.value)...)
		}
	}
	if len(asked) == 0 {
		return d.information()
	}
	var found []hit
	ranks := d.index.Rank(asked)
	for _, r := range ranks {
		score := math.Round(1000 * r.Score / ranks[0].Score)
		found = append(found, hit{d.documents[r.Text], int(score)})
	}
	return found
}

// information returns the answer to a search without words: the source description and the catalog.
// For INFO it also returns the source descriptions of the other databases.
func (d *Database) information() []hit {
	told := d.help()
	if d.files == nil {
		told = append(told[:len(told):len(told)], d.documents[:len(d.documents)-len(told)]...)
	}
	var found []hit
	for _, doc := range told {
		found = append(found, hit{doc, 1000})
	}
	return found
}

// like returns the words of the text with that document-id; nil if it does not exist or is not a
// text.
func (d *Database) like(docID string) []string {
	doc, start, end, ok := d.find(localOf(docID))
	if !ok || doc.kind != kindText {
		return nil
	}
	text, err := d.slice(doc, start, min(end, start+indexed))
	if err != nil {
		return nil
	}
	return words(string(text))
}

// header returns the fields that describe h, a document that a search in d found. The source
// follows the types, because clients in C need that order.
func (c *conn) header(d *Database, h hit) fieldBuffer {
	var b, types fieldBuffer
	types.field(tagType, h.kind)
	b.field(tagDocumentID, c.docID(d, h.path, h.size))
	b.numberField(tagDocVersion, 0)
	b.numberField(tagScore, h.score)
	b.numberField(tagBestMatch, 0)
	b.numberField(tagLength, h.size)
	b.numberField(tagLines, h.lines)
	b.field(tagTypeBlock, string(types))
	b.field(tagSource, d.name)
	date := "0"
	if !h.modTime.IsZero() {
		date = h.modTime.UTC().Format("20060102")
	}
	b.field(tagDate, date)
	b.field(tagHeadline, h.headline)
	return b
}

// The fields of a document-id: the server, database and local name of the original and of
// the distributed document, and the copyright.
const (
	idServer = iota + 1
	idDatabase
	idLocal
	idHereServer
	idHereDatabase
	idHereLocal
	idCopyright
)

// docID returns the document-id of the document of d with that path and size. It names the same
// document as the original and as the distributed one.
func (c *conn) docID(d *Database, path string, size int) string {
	here := local{0, size, path}.String()
	var id fieldBuffer
	for _, f := range []field{
		{idServer, c.name},
		{idDatabase, d.name},
		{idLocal, here},
		{idHereServer, c.name},
		{idHereDatabase, d.name},
		{idHereLocal, here},
		{idCopyright, "\x00"},
	} {
		id.field(f.tag, f.value)
	}
	return string(id)
}

// localOf returns the local name of the distributed document in a document-id, or else of the
// original. If the document-id has neither, localOf returns the zero local.
func localOf(docID string) local {
	fields, err := parseFields(docID)
	if err != nil {
		return local{}
	}
	name, ok := find(fields, idHereLocal)
	if !ok {
		name, _ = find(fields, idLocal)
	}
	l, _ := parseLocal(strings.TrimSpace(name))
	return l
}

// words returns the words of a text, in lower case. It decodes text that is not UTF-8 as
// Latin-1, because WAIS clients send Latin-1.
func words(text string) []string { return library.Words(decode(text)) }
