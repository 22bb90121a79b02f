package checkfiles

import (
	"bytes"
	"strings"

	"locus/check"
	"locus/check/report"
	"locus/extract/document"
)

// Skipped counts files of folders that were not read although they may have links.
type Skipped struct {
	Count int
	First string // the first by name; "" if Count is 0
}

// Skipped returns how many files Folder has skipped: binary files with names of documents, compressed
// files, and reports of earlier runs.
func (r *Reader) Skipped() (binary, compressed, reports Skipped) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.skipped.binary, r.skipped.compressed, r.skipped.reports
}

// countSkipped adds the file name to the count in. It locks r.mu.
func (r *Reader) countSkipped(in *Skipped, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if in.Count++; in.First == "" || name < in.First {
		in.First = name
	}
}

// isText reports whether a file in a folder is text that is read. start is the beginning of the
// file. A document that is compressed is text too, unless the same file is there uncompressed.
// isText also counts the files that are skipped although they may have links: other compressed
// files, and binary files with the name of a document.
func (r *Reader) isText(name string, start []byte) bool {
	isDocument := check.ModeByName(name) != document.Text
	isEncoded, isPacked := check.IsEncoded(start), document.ForeignIn(start).IsPacked
	switch {
	case isPacked && !(isEncoded && isDocument):
		r.countSkipped(&r.skipped.compressed, name)
		return false
	case isPacked:
		_, err := r.Stat(strings.TrimSuffix(name, ".gz"))
		return err != nil // otherwise the file is a copy of the uncompressed file
	case isEncoded || bytes.IndexByte(start, 0) < 0:
		return true
	case isDocument:
		r.countSkipped(&r.skipped.binary, name)
	}
	return false
}

// isReport reports whether a file in a folder is a report of an earlier run, and counts it if it is. start
// is the beginning of the file.
func (r *Reader) isReport(name string, start []byte) bool {
	if !report.IsReport(start) {
		return false
	}
	r.countSkipped(&r.skipped.reports, name)
	return true
}
