package wais

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/scheme"
)

// A catalog is the Body and the List of the catalog of a database. Read returns its text:
//
//	Catalog for database: /wais/db/txtdb
//	…
//	Document # 1
//	Headline: Alpha document about uniform resource locators.
//	DocID: 0 122 /wais/data/txt/alpha.txt
//	       |  |  \______________________/
//	   start end     the name of the file
type catalog struct {
	*document
	lines    *bufio.Reader
	view     scheme.WAIS // of the catalog
	headline string      // of the next document
}

const (
	catalogStart = "Catalog for database:"
	maxLine      = 64 << 10
	maxSkipped   = 10_000 // lines in a row without a document
)

// newCatalog returns the listing of a catalog. d reads the text of the catalog, and v is the view
// of its URL.
func newCatalog(d *document, v scheme.WAIS) *catalog {
	return &catalog{document: d, lines: bufio.NewReaderSize(d, maxLine), view: v}
}

// isCatalog reports whether docID names a file like the catalog of its database: the database's
// name with ".cat".
func isCatalog(database, docID string) bool {
	local, ok := localID(docID)
	return ok && path.Base(local.file) == path.Base(database)+".cat"
}

// Read returns the text of the catalog that Next has not consumed.
func (c *catalog) Read(p []byte) (int, error) { return c.lines.Read(p) }

// Next returns the next document that the catalog lists, and io.EOF after the last one. Its Sys
// is a [*Hit]. It fails after maxSkipped lines without a document.
func (c *catalog) Next() (access.Entry, error) {
	for range maxSkipped {
		line, err := c.line()
		if err != nil {
			return access.Entry{}, engine.FailReading("list", c.url, err)
		}
		if headline, ok := bytes.CutPrefix(line, []byte("Headline:")); ok {
			c.headline = strings.TrimSpace(string(headline))
		}
		if id, ok := bytes.CutPrefix(line, []byte("DocID:")); ok {
			return c.entry(strings.TrimSpace(string(id))), nil
		}
	}
	return access.Entry{}, engine.Fail("list", c.url, fmt.Errorf("%w: %d lines without a document", access.ErrTooLong, maxSkipped))
}

// line returns the next line with its line end, which the last line may lack. The line is valid
// until the next read.
func (c *catalog) line() ([]byte, error) {
	line, err := c.lines.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("%w: a line of more than %d bytes", access.ErrTooLong, maxLine)
	case access.IsEnd(err) && len(line) > 0:
		err = nil
	}
	return line, err
}

// entry returns the entry of the document with the local-id id. The title is the headline that
// was read last, which entry clears.
//
// QUIRK: the catalog of freeWAIS does not have the types of documents. The type in a request
// matters only for a document that exists in several types, so entry guesses the type from the
// name of the file.
func (c *catalog) entry(id string) access.Entry {
	local, ok := parseLocal(id)
	v := scheme.WAIS{Host: c.view.Host, Kind: scheme.WAISDocument, Database: c.view.Database, WType: typeText}
	if wtype := strings.ToUpper(strings.TrimPrefix(path.Ext(local.file), ".")); mediaTypes[wtype] != "" {
		v.WType = wtype
	}
	v.DocID = withLocalID(c.docID, id)
	h := &Hit{DocID: v.DocID, Score: -1, Best: -1, Size: -1, Lines: -1, Version: -1, Types: []string{v.WType}, Headline: c.headline}
	e := access.Entry{Title: c.headline, URL: v.URL(), Kind: access.Object, Type: mediaType(v.WType), Size: -1, Name: h.fileName(), Header: h.fields(), Sys: h}
	if ok && local.end > local.start {
		e.Size = local.end - local.start
		h.Size = e.Size
	}
	c.headline = ""
	return e
}

// A local is a local-id, the local name of a document in freeWAIS: a range of bytes in a file.
type local struct {
	start, end int64
	file       string
}

// parseLocal parses a local-id such as "0 122 /wais/data/txt/alpha.txt": the offsets of the first
// byte and of the end, and the file. It returns false for any other text.
func parseLocal(text string) (local, bool) {
	fields := strings.SplitN(text, " ", 3)
	if len(fields) < 3 {
		return local{}, false
	}
	start, err := strconv.ParseInt(fields[0], 10, 64)
	end, endErr := strconv.ParseInt(fields[1], 10, 64)
	return local{start, end, fields[2]}, err == nil && endErr == nil && start >= 0 && end >= 0
}

// localID returns the local-id in docID. ok is false if docID lacks a local-id, or if it does not
// have the format of freeWAIS.
func localID(docID string) (id local, ok bool) {
	for _, f := range fieldsOf(docID) {
		if f.Number == fieldLocalID {
			return parseLocal(f.Content)
		}
	}
	return local{}, false
}

// The fields of a document-id that contain the local name of the document.
const (
	fieldLocalID     = 3
	fieldDistributor = 6 // the same name on the server that distributes the document
)

// withLocalID replaces the local-id in docID, also in the distributor's field, by local. The
// result is the document-id of another document of the same database, or "" if docID does not
// consist of fields.
func withLocalID(docID, local string) string {
	var id []byte
	for _, f := range fieldsOf(docID) {
		if f.Number == fieldLocalID || f.Number == fieldDistributor {
			f.Content = local
		}
		id = appendCompressed(id, f.Number)
		id = appendCompressed(id, uint32(len(f.Content)))
		id = append(id, f.Content...)
	}
	return string(id)
}

// fileName returns a name, with slashes, for a file to store the document in. It is the name of
// the file on the server. If the document begins in the middle of that file, the offset of its
// first byte is added:
//
//	"0 122 /wais/data/alpha.txt"     /wais/data/alpha.txt
//	"196 383 /wais/data/mail.txt"    /wais/data/mail-196.txt
//
// If the document-id does not contain a local name, fileName returns the headline.
func (h *Hit) fileName() string {
	local, ok := localID(h.DocID)
	if !ok || strings.Trim(local.file, "/") == "" {
		return h.Headline
	}
	if local.start == 0 {
		return local.file
	}
	ext := path.Ext(local.file)
	return strings.TrimSuffix(local.file, ext) + "-" + strconv.FormatInt(local.start, 10) + ext
}
