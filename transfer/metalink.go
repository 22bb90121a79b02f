package transfer

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"locus/access"
	"locus/internal/weburl"
	"locus/transfer/internal/fetch"
	"locus/transfer/internal/tree"
	"locus/url"
)

// A MetalinkFile is a file that a Metalink describes (RFC 5854 §4.1.2).
type MetalinkFile struct {
	Name   string    // a plain name, without folders
	Size   int64     // in bytes; -1: unknown
	Digest Digest    // the zero Digest: unknown
	URLs   []url.URL // where it is, the best first; never empty
}

const (
	maxMetalink      = 4 << 20 // bytes of a document
	maxMetalinkFiles = 10_000
	maxMirrors       = 1000 // URLs of a file
)

// metalinkSpace is the namespace of Metalink (RFC 5854 §4).
const metalinkSpace = "urn:ietf:params:xml:ns:metalink"

// The elements of a Metalink that are read.
type (
	metalinkFileOf struct {
		Name   string         `xml:"name,attr"`
		Size   *int64         `xml:"size"`
		Hashes []metalinkHash `xml:"hash"`
		URLs   []metalinkURL  `xml:"url"`
	}
	metalinkHash struct {
		Type string `xml:"type,attr"`
		Sum  string `xml:",chardata"`
	}
	metalinkURL struct {
		Priority int    `xml:"priority,attr"` // 1 is the best; 0: not given
		Text     string `xml:",chardata"`
	}
)

// ParseMetalink parses a Metalink 4 document (RFC 5854), such as disc.iso.meta4. A document of more
// than 4 MiB, with more than 10000 files, or without a file is an error. A file with folders in its
// name is an error, too, because it could be written anywhere. URLs of other schemes than http,
// https, ftp and ftps are left out.
func ParseMetalink(r io.Reader) ([]MetalinkFile, error) {
	limited := &io.LimitedReader{R: r, N: maxMetalink + 1}
	files, err := readMetalink(xml.NewDecoder(limited))
	switch {
	case limited.N == 0:
		return nil, fmt.Errorf("%w: a Metalink of more than %d bytes", access.ErrTooLong, maxMetalink)
	case err != nil:
		return nil, err
	case len(files) == 0:
		return nil, errors.New("it does not describe a file")
	}
	return files, nil
}

// readMetalink reads a document to its end, and returns its files. The document may be without
// files. Two files with one name are an error.
func readMetalink(d *xml.Decoder) ([]MetalinkFile, error) {
	var files []MetalinkFile
	names, began := make(map[string]bool), false
	for depth := 0; ; {
		token, err := d.Token()
		if access.IsEnd(err) && began && depth == 0 {
			return files, nil
		}
		if err != nil {
			return nil, fmt.Errorf("it is not a Metalink: %w", err)
		}
		switch element := token.(type) {
		case xml.EndElement:
			depth--
		case xml.StartElement:
			isFile := depth == 1 && element.Name.Local == "file"
			if depth == 0 && element.Name != (xml.Name{Space: metalinkSpace, Local: "metalink"}) {
				return nil, fmt.Errorf("it is not a Metalink 4: it begins with %q of %q", element.Name.Local, element.Name.Space)
			}
			if began = true; !isFile {
				depth++
				continue
			}
			f, err := readMetalinkFile(d, &element)
			switch {
			case err != nil:
				return nil, err
			case names[f.Name]:
				return nil, fmt.Errorf("the file %q: it is described twice", f.Name)
			case len(files) == maxMetalinkFiles:
				return nil, fmt.Errorf("%w: a Metalink of more than %d files", access.ErrTooLong, maxMetalinkFiles)
			}
			names[f.Name] = true
			files = append(files, f)
		}
	}
}

// readMetalinkFile reads the element file to its end. d has just returned its start tag, start. If
// the element can be read but is not valid, the error names the file.
func readMetalinkFile(d *xml.Decoder, start *xml.StartElement) (MetalinkFile, error) {
	var element metalinkFileOf
	if err := d.DecodeElement(&element, start); err != nil {
		return MetalinkFile{}, fmt.Errorf("it is not a Metalink: %w", err)
	}
	f, err := element.file()
	if err != nil {
		return f, fmt.Errorf("the file %q: %w", element.Name, err)
	}
	return f, nil
}

// file returns the file that e describes. It returns an error for a name that has a folder or
// begins with a dot, for a negative size, and for an element without a URL of the web or of FTP.
func (e metalinkFileOf) file() (MetalinkFile, error) {
	f := MetalinkFile{Name: e.Name, Size: -1}
	if strings.ContainsAny(e.Name, "/\\\x00") || strings.HasPrefix(e.Name, ".") || !filepath.IsLocal(e.Name) {
		return f, errors.New("its name is not the name of a file in a folder")
	}
	if e.Size != nil {
		if f.Size = *e.Size; f.Size < 0 {
			return f, fmt.Errorf("its size is %d", f.Size)
		}
	}
	f.URLs = e.urls()
	if len(f.URLs) == 0 {
		return f, errors.New("it has no URL of http, https, ftp or ftps")
	}
	var err error
	f.Digest, err = e.digest()
	return f, err
}

// digest returns the SHA-512 of e, or else its SHA-256, or else the zero Digest. Two different
// values of one kind are an error.
func (e metalinkFileOf) digest() (Digest, error) {
	digests := make(map[string]Digest)
	for _, h := range e.Hashes {
		size, ok := fetch.DigestSizes()[h.Type]
		if !ok {
			continue
		}
		d, err := ParseDigest(strings.TrimSpace(h.Sum))
		switch before, known := digests[h.Type]; {
		case err != nil:
			return Digest{}, err
		case d.is.Len() != size:
			return Digest{}, fmt.Errorf("its %s has %d bytes", h.Type, d.is.Len())
		case known && before != d:
			return Digest{}, fmt.Errorf("it has two values of %s", h.Type)
		}
		digests[h.Type] = d
	}
	if d, ok := digests["sha-512"]; ok {
		return d, nil
	}
	return digests["sha-256"], nil
}

// urls returns the URLs of the web and of FTP in e, the best first, up to maxMirrors. It ignores
// the others.
func (e metalinkFileOf) urls() []url.URL {
	all := slices.Clone(e.URLs)
	sort.SliceStable(all, func(i, j int) bool { return all[i].rank() < all[j].rank() })
	var urls []url.URL
	for _, one := range all {
		if u, err := weburl.Link(one.Text); err == nil && tree.IsDownload(u) && len(urls) < maxMirrors {
			urls = append(urls, u)
		}
	}
	return urls
}

// rank returns the priority of u, where 1 is the best, or the greatest int if u has no priority.
func (u metalinkURL) rank() int {
	if u.Priority <= 0 {
		return math.MaxInt
	}
	return u.Priority
}
