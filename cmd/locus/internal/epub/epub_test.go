package epub

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// container names a package document in the folder OEBPS.
const container = `<container><rootfiles><rootfile full-path="OEBPS/b.opf"/></rootfiles></container>`

// An entry is a file of a zip. If size is not 0, it is the size that the zip claims for the text.
type entry struct {
	name, text string
	size       uint64
	flags      uint16
}

// pack returns a zip with files.
func pack(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Flags: e.flags, UncompressedSize64: uint64(len(e.text)), CompressedSize64: uint64(len(e.text))}
		if e.size > 0 {
			h.UncompressedSize64 = e.size
		}
		w, err := z.CreateRaw(h)
		if err != nil {
			t.Fatalf("pack %q: %v", e.name, err)
		}
		if _, err := w.Write([]byte(e.text)); err != nil {
			t.Fatalf("pack %q: %v", e.name, err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// describe returns the documents, links and faults of a book in one line.
func describe(b *Book) string {
	var all []string
	for _, d := range b.Documents {
		all = append(all, d.Name+" "+d.Mode.String())
	}
	for _, l := range b.Links {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s:%d:%d %s %s", l.Document, l.Line, l.Column, l.Target, l.Bad)))
	}
	for _, fault := range b.Faults {
		all = append(all, "fault: "+fault.Error())
	}
	return strings.Join(all, "\n")
}

// root describes the link to the package document.
const root = "META-INF/container.xml:1:23 OEBPS/b.opf"

func TestOpen(t *testing.T) {
	t.Parallel()
	meta := entry{name: containerFile, text: container}
	opf := func(text string) entry { return entry{name: "OEBPS/b.opf", text: text} }
	utf16 := "\xff\xfe" + strings.Join(strings.Split(container, ""), "\x00") + "\x00"
	for _, test := range []struct {
		name    string
		entries []entry
		want    string
	}{
		{"pages by the manifest", []entry{
			meta, opf(`<p:item href="c%201" media-type="application/xhtml+xml"/><item href="../n" media-type="application/x-dtbncx+xml"/>`),
			{name: "OEBPS/c 1"},
			{name: "n"},
			{name: "OEBPS/p.png"},
			{name: "OEBPS/"},
		}, "OEBPS/b.opf xml\nOEBPS/c 1 html\nn xml\n" + root},
		{"pages by their names", []entry{meta, opf(""), {name: "a.xhtml"}, {name: "a.css"}, {name: "a.js"}, {name: "META-INF/rights.xml"}}, "OEBPS/b.opf xml\na.xhtml html\na.css css\n" + root},
		{"a container in UTF-16", []entry{{name: containerFile, text: utf16}, opf("")}, "OEBPS/b.opf xml\n" + root},
		{"no package document", []entry{meta}, root},
		{"a broken package document", []entry{meta, opf("<package><")}, "OEBPS/b.opf xml\n" + root + "\nfault: read OEBPS/b.opf: XML syntax error on line 1: unexpected EOF"},
		{"an itemref without its item", []entry{meta, opf("<item id='a'/>\n<itemref idref='a'/> <itemref idref='b'/>")}, "OEBPS/b.opf xml\n" + root + "\nOEBPS/b.opf:2:22 b the manifest has no item with this id"},
		{"a package document that is named twice", []entry{
			{name: containerFile, text: `<container><rootfile full-path="OEBPS/b.opf"/><rootfile full-path="OEBPS/b.opf"/></container>`},
			opf("<itemref idref='b'/>"),
		}, "OEBPS/b.opf xml\nMETA-INF/container.xml:1:12 OEBPS/b.opf\nMETA-INF/container.xml:1:47 OEBPS/b.opf\nOEBPS/b.opf:1:1 b the manifest has no item with this id"},
		{"names that lead out of the book", []entry{meta, opf(""), {name: "../a.html"}, {name: "/b.html"}}, "OEBPS/b.opf xml\n" + root + `
fault: "../a.html" cannot be the name of a file in a book`},
		{"names that occur twice", []entry{meta, opf(""), {name: "a.html"}, {name: "OEBPS/"}, {name: "b.css"}, {name: "OEBPS/"}, {name: "a.html"}, {name: "b.css"}, {name: "a.html"}}, "OEBPS/b.opf xml\na.html html\nb.css css\n" + root + `
fault: the book has several files with the name "a.html"`},
		{"encrypted pages", []entry{
			meta, opf(""), {name: encryptionFile, text: `<e:CipherReference URI="a%20b.html"/><CipherReference URI="f.otf"/>`}, {name: "a b.html"}, {name: "f.otf"}, {name: "c.html"},
		}, "OEBPS/b.opf xml\nc.html html\n" + root + "\nfault: 1 page is encrypted: a b.html"},
		{"a page that ZIP encrypts", []entry{meta, opf(""), {name: "a.html", flags: flagEncrypted}, {name: "b.html", flags: flagEncrypted}}, "OEBPS/b.opf xml\n" + root + "\nfault: 2 pages are encrypted, such as a.html"},
		{"references that lead out of the book", []entry{
			meta, opf(`<item href="../../a" media-type="text/html"/><item href="%zz" media-type="text/html"/><item href="b" media-type="text/css"/>`),
			{name: encryptionFile, text: `<CipherReference URI="../b.html"/><CipherReference URI="%zz"/><Other URI="b.html"/>`},
			{name: "a"},
			{name: "b.html"},
			{name: "OEBPS/b"},
		}, "OEBPS/b.opf xml\nb.html html\nOEBPS/b css\n" + root},
		{"a package document outside the book", []entry{
			{name: containerFile, text: `<rootfile full-path="../b.opf"/><rootfile/>`},
			{name: "b.opf", text: "<itemref idref='b'/>"},
		}, "META-INF/container.xml:1:1 ../b.opf\nfault: read ../b.opf: open ../b.opf: invalid argument"},
		{"a large page and a large picture", []entry{meta, opf(""), {name: "a.html", size: maxDocument + 1}, {name: "a.png", size: 1 << 40}, {name: "b.html"}}, "OEBPS/b.opf xml\nb.html html\n" + root + "\nfault: a.html has more than 16 MiB"},
		{"a large package document", []entry{meta, {name: "OEBPS/b.opf", size: maxDocument + 1}}, root + "\nfault: OEBPS/b.opf has more than 16 MiB"},
	} {
		text := pack(t, test.entries...)
		b, err := Open(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := describe(b); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

func TestOpenFails(t *testing.T) {
	t.Parallel()
	good := pack(t, entry{name: containerFile, text: container})
	lists := func(n int, name string) []byte {
		var entries []entry
		for i := range n {
			entries = append(entries, entry{name: fmt.Sprint(name, i)})
		}
		return pack(t, entries...)
	}
	for _, test := range []struct {
		name string
		text []byte
		want string
	}{
		{"an empty file", nil, "read the list of files in the book: zip: not a valid zip file"},
		{"the start of a book", good[:len(good)-30], "read the list of files in the book: zip: not a valid zip file"},
		{"a zip without a container", pack(t, entry{name: "a.html"}), "read META-INF/container.xml: open META-INF/container.xml: file does not exist"},
		{"a container that is a folder", pack(t, entry{name: containerFile + "/a"}), "read META-INF/container.xml: read META-INF/container.xml: is a directory"},
		{"a broken container", pack(t, entry{name: containerFile, text: "<container><"}), "read META-INF/container.xml: XML syntax error on line 1: unexpected EOF"},
		{"a large list of encrypted files", pack(t, entry{name: containerFile, text: container}, entry{name: encryptionFile, size: maxDocument + 1}), "read META-INF/encryption.xml: it has more than 16 MiB"},
		{"a large container", pack(t, entry{name: containerFile, size: maxDocument + 1}), "read META-INF/container.xml: it has more than 16 MiB"},
		{"a container that is larger than it claims", pack(t, entry{name: containerFile, text: container, size: 5}), "read META-INF/container.xml: zip: not a valid zip file"},
		{"many files", lists(maxFiles+1, "a"), "the book has more than 20000 files"},
		{"long names", lists(80, strings.Repeat("a", 60_000)), "the list of files in the book has more than 4 MiB"},
		{"a broken list of encrypted files", pack(t, entry{name: containerFile, text: container}, entry{name: encryptionFile, text: "<"}), "read META-INF/encryption.xml: XML syntax error on line 1: unexpected EOF"},
	} {
		if b, err := Open(bytes.NewReader(test.text), int64(len(test.text))); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, %v, want %s", test.name, b, err, test.want)
		}
	}
}

// A file is encrypted if the book or the zip says so.
func TestIsEncrypted(t *testing.T) {
	t.Parallel()
	text := pack(t, entry{name: containerFile, text: container}, entry{name: encryptionFile, text: `<CipherReference URI="a%20b.html"/><CipherReference URI="none"/>`},
		entry{name: "a b.html"}, entry{name: "zip.html", flags: flagEncrypted}, entry{name: "plain.html"})
	b, err := Open(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"a b.html": true, "zip.html": true, "none": true, "plain.html": false, "a%20b.html": false, "": false} {
		if got := b.IsEncrypted(name); got != want {
			t.Errorf("IsEncrypted(%q) = %v, want %v", name, got, want)
		}
	}
}

// The documents of a book have a bound together.
func TestAllDocuments(t *testing.T) {
	t.Parallel()
	entries := []entry{{name: containerFile, text: container}}
	for i := range 20 {
		entries = append(entries, entry{name: fmt.Sprintf("%02d.html", i), size: maxDocument})
	}
	text := pack(t, entries...)
	b, err := Open(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	want := "16.html and later files are not read, because the pages of the book have more than 256 MiB"
	if len(b.Documents) != 16 || len(b.Faults) != 1 || b.Faults[0].Error() != want {
		t.Errorf("%d documents, faults %v, want 16 and %s", len(b.Documents), b.Faults, want)
	}
}

// The package documents of a book have a bound together, because one piece of compressed data may have many names.
func TestAllPackages(t *testing.T) {
	t.Parallel()
	var roots strings.Builder
	entries := []entry{{}}
	for i := range 4 {
		name := fmt.Sprintf("%d.opf", i)
		fmt.Fprintf(&roots, `<rootfile full-path="%s"/>`, name)
		entries = append(entries, entry{name: name, text: strings.Repeat(" ", maxDocument/3)})
	}
	entries[0] = entry{name: containerFile, text: roots.String()}
	text := pack(t, entries...)
	b, err := Open(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	if want := "read 3.opf: the package documents of the book have more than 16 MiB"; len(b.Faults) != 1 || b.Faults[0].Error() != want {
		t.Errorf("faults %v, want %s", b.Faults, want)
	}
}

// Open does not panic, whatever the zip has, and its documents are files of the book.
func FuzzOpen(f *testing.F) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range []entry{{name: containerFile, text: container}, {name: "OEBPS/b.opf", text: `<item href="a" media-type="text/html"/>`}, {name: "OEBPS/a"}} {
		w, err := z.Create(e.name)
		if err == nil {
			_, err = w.Write([]byte(e.text))
		}
		if err != nil {
			f.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		book, err := Open(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			return
		}
		for _, d := range book.Documents {
			if !fs.ValidPath(d.Name) || !slices.ContainsFunc(book.Files.File, func(f *zip.File) bool { return f.Name == d.Name }) {
				t.Errorf("Open(%q) has the document %q", text, d.Name)
			}
		}
	})
}
