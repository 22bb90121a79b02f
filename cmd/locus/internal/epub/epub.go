// Package epub reads the files of a book in the format EPUB, and the structure that says which of them are pages.
//
//	book, err := epub.Open(file, size)
//	for _, d := range book.Documents {
//		text, err := book.Files.Open(d.Name)
//		…
//	}
//
// Open reads META-INF/container.xml, the package documents that it names, and META-INF/encryption.xml (package.go). It
// opens no other file of the book, and decompresses no file that is larger than a bound.
//
// Notable divergences: EPUB 3.3 §4.2 forbids ZIP's encryption, names with ".." and several files with one name, and Open
// names these files in Faults. Files that no manifest lists are read, too, if their names say that they are pages.
package epub

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"locus/extract/document"
)

// The bounds of a book. A zip of a few KB can claim to have any number of files of any size.
const (
	maxDirectory = 4 << 20   // bytes of the list of files, and of the search for it
	maxFiles     = 20_000    // files and folders
	maxDocument  = 16 << 20  // bytes of a document, decompressed
	maxDocuments = 256 << 20 // bytes of all documents of a book, decompressed
)

// A Book is a book whose structure was read. It uses the file from which it was opened.
type Book struct {
	// Files has the files of the book by their names. It leaves out names that a book must not have, and all but the
	// first of several files with one name.
	Files *zip.Reader

	// Documents are the files that may have links, in the order of the zip.
	Documents []Document

	// Links are the links to package documents, and from the spine to missing items of the manifest.
	Links []Link

	// Faults say why files of the book are not among Documents although they may have links.
	Faults []error

	encrypted map[string]bool // the names of the encrypted files
}

// A Document is a file with links.
type Document struct {
	Name string
	Type string // the media type in the manifest, or ""
	Mode document.Mode
}

// A Link is a link in the structure of a book.
type Link struct {
	Document     string // the name of the file with the link
	Line, Column int    // from 1

	Target string // the name of a file of the book, or the id of a missing item
	Bad    string // site.NoItem if Target is an id without an item; otherwise ""
}

// Open reads the structure of the book in a zip file of size bytes. It fails if the zip is damaged or too large, or if
// container.xml is missing. Faults has the single documents that are encrypted or too large.
func Open(r io.ReaderAt, size int64) (*Book, error) {
	z, faults, err := openZip(r, size)
	if err != nil {
		return nil, err
	}
	b := &Book{Files: z, Faults: faults, encrypted: encryptedEntries(z)}
	s, err := b.readStructure()
	if err != nil {
		return nil, err
	}
	b.addDocuments(z, s)
	return b, nil
}

// IsEncrypted reports whether a file of the book is encrypted, so that its text cannot be read.
func (b *Book) IsEncrypted(name string) bool { return b.encrypted[name] }

// openZip reads the list of files of a zip. It leaves out files by their names, and returns faults for them: see
// dropFiles.
func openZip(r io.ReaderAt, size int64) (z *zip.Reader, faults []error, err error) {
	bounded := &boundedReader{in: r, left: maxDirectory}
	z, err = zip.NewReader(bounded, size)
	switch {
	case errors.Is(err, errDirectory):
		return nil, nil, errDirectory
	case err != nil && !errors.Is(err, zip.ErrInsecurePath):
		return nil, nil, fmt.Errorf("read the list of files in the book: %w", err)
	case len(z.File) > maxFiles:
		return nil, nil, fmt.Errorf("the book has more than %d files", maxFiles)
	}
	bounded.left = -1
	return z, dropFiles(z), nil
}

// dropFiles removes the files of z that have names that a book must not have, and all but the first of the files with
// one name, because programs differ over which of them they read. It returns a fault for the first file of either kind.
func dropFiles(z *zip.Reader) (faults []error) {
	var foreign, repeated []string
	var kept []*zip.File
	known := make(map[string]bool, len(z.File))
	for _, f := range z.File {
		switch {
		case !isName(f.Name):
			foreign = append(foreign, f.Name)
		case !known[f.Name]:
			known[f.Name] = true
			kept = append(kept, f)
		case !strings.HasSuffix(f.Name, "/"): // it is harmless to list a folder twice
			repeated = append(repeated, f.Name)
		}
	}
	z.File = kept
	if foreign != nil {
		faults = append(faults, fmt.Errorf("%q cannot be the name of a file in a book", foreign[0]))
	}
	if repeated != nil {
		faults = append(faults, fmt.Errorf("the book has several files with the name %q", repeated[0]))
	}
	return faults
}

// isName reports whether a file or a folder of a book may have this name. Names with ".." lead out of the book, and
// "\" separates folders only for some programs.
func isName(name string) bool {
	return fs.ValidPath(strings.TrimSuffix(name, "/")) && !strings.Contains(name, "\\")
}

var errDirectory = fmt.Errorf("the list of files in the book has more than %d MiB", maxDirectory>>20)

// A boundedReader is a ReaderAt that reads at most left more bytes. A negative left means no limit.
type boundedReader struct {
	in   io.ReaderAt
	left int
}

// ReadAt reads from b.in and subtracts len(p) from b.left. If b.left is smaller than len(p), it returns errDirectory
// without reading. A negative b.left means no limit.
func (b *boundedReader) ReadAt(p []byte, at int64) (int, error) {
	if b.left < 0 {
		return b.in.ReadAt(p, at)
	}
	if b.left < len(p) {
		return 0, errDirectory
	}
	b.left -= len(p)
	return b.in.ReadAt(p, at)
}

// addDocuments adds the files of z that may have links to b.Documents. A file that is encrypted or exceeds a bound
// becomes a fault instead.
func (b *Book) addDocuments(z *zip.Reader, s structure) {
	encrypted, total := []string{}, uint64(0)
	for _, f := range z.File {
		d := Document{f.Name, s.types[f.Name], modeOf(f.Name, s.types[f.Name])}
		switch {
		case d.Mode == document.Text, strings.HasSuffix(f.Name, "/"), strings.HasPrefix(f.Name, metaInf):
		case b.encrypted[f.Name]:
			encrypted = append(encrypted, f.Name)
		case f.UncompressedSize64 > maxDocument:
			b.Faults = append(b.Faults, fmt.Errorf("%s has more than %d MiB", f.Name, maxDocument>>20))
		case total+f.UncompressedSize64 > maxDocuments:
			b.Faults = append(b.Faults, fmt.Errorf("%s and later files are not read, because the pages of the book have more than %d MiB", f.Name, maxDocuments>>20))
			return
		default:
			total += f.UncompressedSize64
			b.Documents = append(b.Documents, d)
		}
	}
	switch len(encrypted) {
	case 0:
	case 1:
		b.Faults = append(b.Faults, fmt.Errorf("1 page is encrypted: %s", encrypted[0]))
	default:
		b.Faults = append(b.Faults, fmt.Errorf("%d pages are encrypted, such as %s", len(encrypted), encrypted[0]))
	}
}

// modeOf returns the mode of a file: HTML, XML or CSS, by its media type in the manifest or else by its name. For
// other files, which have no links, it returns Text.
func modeOf(name, mediaType string) document.Mode {
	for _, mode := range []document.Mode{document.ByType(mediaType), document.ByName(name)} {
		switch mode {
		case document.HTML, document.XML, document.CSS:
			return mode
		}
	}
	return document.Text
}
