package transfer

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"locus/access"
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
	maxMetalink = 16 << 20 // bytes of a document
	maxMirrors  = 1000     // URLs of a file
)

// metalinkSpace is the namespace of Metalink (RFC 5854 §4).
const metalinkSpace = "urn:ietf:params:xml:ns:metalink"

// The elements of a Metalink that are read.
type (
	metalinkDocument struct {
		XMLName xml.Name         `xml:"metalink"`
		Files   []metalinkFileOf `xml:"file"`
	}
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

// ParseMetalink parses a Metalink 4 document (RFC 5854), such as disc.iso.meta4. It has at
// most 16 MiB. A file with folders in its name is an error: it could be written anywhere.
// URLs that are no URLs are left out.
func ParseMetalink(r io.Reader) ([]MetalinkFile, error) {
	limited := &io.LimitedReader{R: r, N: maxMetalink + 1}
	var document metalinkDocument
	err := xml.NewDecoder(limited).Decode(&document)
	switch {
	case limited.N == 0:
		return nil, fmt.Errorf("%w: a Metalink of more than %d bytes", access.ErrTooLong, maxMetalink)
	case err != nil:
		return nil, fmt.Errorf("it is no Metalink: %w", err)
	case document.XMLName.Space != metalinkSpace:
		return nil, fmt.Errorf("it is no Metalink 4: its namespace is %q", document.XMLName.Space)
	case len(document.Files) == 0:
		return nil, errors.New("it describes no file")
	}
	var files []MetalinkFile
	seen := make(map[string]bool)
	for _, element := range document.Files {
		f, err := element.file()
		if err == nil && seen[f.Name] {
			err = errors.New("it is described twice")
		}
		if err != nil {
			return nil, fmt.Errorf("the file %q: %w", element.Name, err)
		}
		seen[f.Name] = true
		files = append(files, f)
	}
	return files, nil
}

// file returns what an element describes.
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
	for _, h := range e.Hashes {
		if h.Type != "sha-256" && h.Type != "sha-512" {
			continue
		}
		d, err := ParseDigest(strings.TrimSpace(h.Sum))
		if err != nil {
			return f, err
		}
		if len(d.sum) > len(f.Digest.sum) {
			f.Digest = d
		}
	}
	f.URLs = e.urls()
	if len(f.URLs) == 0 {
		return f, errors.New("it has no URL")
	}
	return f, nil
}

// urls returns the URLs, the best first.
func (e metalinkFileOf) urls() []url.URL {
	all := slices.Clone(e.URLs)
	slices.SortStableFunc(all, func(a, b metalinkURL) int { return cmp.Compare(a.rank(), b.rank()) })
	var urls []url.URL
	for _, one := range all {
		if u, err := url.Parse(strings.TrimSpace(one.Text)); err == nil && u.IsAbs() && len(urls) < maxMirrors {
			urls = append(urls, u)
		}
	}
	return urls
}

func (u metalinkURL) rank() int {
	if u.Priority <= 0 {
		return math.MaxInt
	}
	return u.Priority
}
