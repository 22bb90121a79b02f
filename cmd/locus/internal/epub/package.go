package epub

import (
	"archive/zip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"locus/access"
	"locus/check/site"
	"locus/extract/document"
	"locus/url"
)

// The structure of a book (EPUB 3.3 §4.2.6 and §5):
//
//	META-INF/container.xml    <rootfile full-path="OEBPS/book.opf"/>
//	OEBPS/book.opf            <item id="c1" href="ch1.xhtml" media-type="application/xhtml+xml"/> …
//	                          <itemref idref="c1"/> …
//	META-INF/encryption.xml   <CipherReference URI="OEBPS/ch1.xhtml"/> …
//
// Package document reads the references in package documents, such as the href of an item, because they are references
// in any XML.

const (
	metaInf        = "META-INF/"
	containerFile  = metaInf + "container.xml"
	encryptionFile = metaInf + "encryption.xml"
	packageType    = "application/oebps-package+xml"
)

// flagEncrypted is the bit of zip.FileHeader.Flags for ZIP's own encryption (APPNOTE §4.4.4).
const flagEncrypted = 1

// A structure has the media types of files by their names.
type structure struct{ types map[string]string }

// readStructure reads the container, the package documents that it names and the list of encrypted files. It returns
// the media types, and adds to b.Links, b.Faults and b.encrypted.
func (b *Book) readStructure() (structure, error) {
	s := structure{map[string]string{}}
	err := b.elements(containerFile, func(e element) {
		name := e.attribute("full-path")
		if e.name != "rootfile" || name == "" {
			return
		}
		b.Links = append(b.Links, e.link(containerFile, name, ""))
		s.types[name] = packageType
	})
	if err != nil {
		return s, fmt.Errorf("read %s: %w", containerFile, err)
	}
	b.readPackages(s)
	err = b.elements(encryptionFile, func(e element) {
		if name, ok := inBook("", e.attribute("URI")); ok && e.name == "CipherReference" {
			b.encrypted[name] = true
		}
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("read %s: %w", encryptionFile, err)
	}
	return s, nil
}

// readPackages reads each package document that the container names once. A document with which they have more than
// maxDocument bytes together becomes a fault, and later ones are not read.
func (b *Book) readPackages(s structure) {
	read, left := map[string]bool{}, int64(maxDocument)
	for _, l := range b.Links {
		if read[l.Target] {
			continue
		}
		read[l.Target] = true
		if info, err := fs.Stat(b.Files, l.Target); err == nil && info.Size() <= maxDocument {
			left -= info.Size()
		}
		if left < 0 {
			b.Faults = append(b.Faults, fmt.Errorf("read %s: the package documents of the book have more than %d MiB", l.Target, maxDocument>>20))
			return
		}
		// A missing file is a dead link, and addDocuments reports a large one.
		if err := b.readPackage(l.Target, s); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errLarge) {
			b.Faults = append(b.Faults, fmt.Errorf("read %s: %w", l.Target, err))
		}
	}
}

// readPackage reads the package document with a name. It adds the media types in the manifest to s.types. For each
// itemref in the spine whose item is missing, it adds a Link that is Bad to b.Links.
func (b *Book) readPackage(name string, s structure) error {
	ids := map[string]bool{}
	var spine []Link
	err := b.elements(name, func(e element) {
		switch e.name {
		case "item":
			ids[e.attribute("id")] = true
			if file, ok := inBook(path.Dir(name), e.attribute("href")); ok {
				s.types[file] = e.attribute("media-type")
			}
		case "itemref":
			spine = append(spine, e.link(name, e.attribute("idref"), site.NoItem))
		}
	})
	for _, l := range spine {
		if !ids[l.Target] {
			b.Links = append(b.Links, l)
		}
	}
	return err
}

// inBook returns the name of the file in the book to which a relative reference, with escapes, leads. folder is the
// folder of the document with the reference. ok is false if the reference leads out of the book or has an invalid
// escape.
func inBook(folder, reference string) (name string, ok bool) {
	name, err := url.Unescape(reference)
	if err != nil {
		return "", false
	}
	name = path.Join(folder, name)
	return name, fs.ValidPath(name)
}

// encryptedEntries returns the set of the names of files with ZIP's own encryption.
func encryptedEntries(z *zip.Reader) map[string]bool {
	names := map[string]bool{}
	for _, f := range z.File {
		if f.Flags&flagEncrypted != 0 {
			names[f.Name] = true
		}
	}
	return names
}

// An element is the start of an element of XML.
type element struct {
	name         string // without its prefix
	line, column int
	attributes   []xml.Attr
}

// attribute returns the value of the attribute with a local name, or "" if the element does not have it.
func (e element) attribute(name string) string {
	for _, a := range e.attributes {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// link returns a Link at the position of the element, in the file in.
func (e element) link(in, target, bad string) Link {
	return Link{Document: in, Line: e.line, Column: e.column, Target: target, Bad: bad}
}

var errLarge = fmt.Errorf("it has more than %d MiB", maxDocument>>20)

// elements calls do for the start of each element in the file name, an XML document in any encoding. It returns
// errLarge if the file is too large.
func (b *Book) elements(name string, do func(element)) error {
	f, err := b.Files.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	switch info, err := f.Stat(); {
	case err != nil:
		return err
	case info.Size() > maxDocument:
		return errLarge
	}
	z := xml.NewDecoder(document.UTF8(f, ""))
	z.Strict = false
	z.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is already in UTF-8
	for {
		line, column := z.InputPos()
		token, err := z.RawToken()
		switch {
		case access.IsEnd(err):
			return nil
		case err != nil:
			return err
		}
		if t, ok := token.(xml.StartElement); ok {
			do(element{t.Name.Local, line, column, t.Attr})
		}
	}
}
