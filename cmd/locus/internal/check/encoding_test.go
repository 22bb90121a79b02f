package check

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"
)

// inUTF16 returns a text in UTF-16 with a byte order mark.
func inUTF16(order binary.AppendByteOrder, text string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = order.AppendUint16(b, unit)
	}
	return string(b)
}

func inGzip(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// check reads the links and anchors of documents in UTF-16, and compressed sitemaps.
func TestReadEncodings(t *testing.T) {
	base := "https://www.example.org/"
	stdout, stderr, err := checkFolder(t, map[string]string{
		"index.html":     "<a href=little.html#ü>l</a> <a href=big.html#b>b</a> <a href=big.html#c>c</a>",
		"little.html":    inUTF16(binary.LittleEndian, "<p id=ü>\n <a href=none-1.html>x</a>"),
		"big.html":       inUTF16(binary.BigEndian, "<p id=b><a href=none-2.html>x</a>"),
		"notes.md":       inUTF16(binary.LittleEndian, "file:///none-3"),
		"sitemap.xml.gz": inGzip(t, "<urlset><url><loc>"+base+"index.html</loc></url><url><loc>"+base+"none-4</loc></url></urlset>"),
		"big.html.gz":    inGzip(t, "<a href=none-5>x</a>"), // a copy of big.html
	}, Options{Site: Site{Base: &base}})
	want := "" +
		"dead  file:///none-3  no such file or folder\n    notes.md:1:1\n" +
		"dead  /big.html#c  the page has no anchor named \"c\"\n    index.html:1:63\n" +
		"dead  /none-1.html  no such file or folder\n    little.html:2:10\n" +
		"dead  /none-2.html  no such file or folder\n    big.html:1:17\n" +
		"dead  /none-4  no such file or folder\n    sitemap.xml.gz:1:75\n" +
		"8 links: 3 good, 5 dead\n"
	if stdout != want || stderr != "" || err == nil {
		t.Errorf("the report is\n%s%s, %v, want\n%s", stdout, stderr, err, want)
	}
}

// check names skipped files whose names promise a text, and skipped reports.
func TestSaySkipped(t *testing.T) {
	stdout, stderr, err := checkFolder(t, map[string]string{
		"a.html": "<a href=b.html>x</a>", "b.html": "\x00\x01", "c.md": "x\x00", "logo.png": "\x89PNG\x00", "d.txt.gz": inGzip(t, "http://h/"), "e.tar.xz": "\xfd7zXZ\x00\x00",
		"r.txt": "dead  http://h/gone  404 Not Found\n",
	}, Options{})
	if want := "1 link: 1 good, 0 dead\n"; stdout != want || err != nil {
		t.Errorf("the report is %q, %v, want %q", stdout, err, want)
	}
	want := "locus: skipped 2 binary files with names of documents, such as b.html\nlocus: skipped 2 compressed files, such as d.txt.gz\n" +
		"locus: skipped 1 report of an earlier run: r.txt\n"
	if stderr != want {
		t.Errorf("stderr is %q, want %q", stderr, want)
	}
}

// A compressed document that is damaged is an error.
func TestBrokenGzip(t *testing.T) {
	whole := inGzip(t, "<urlset>"+strings.Repeat("<url/>", 1000)+"</urlset>")
	for _, text := range []string{whole[:len(whole)-10], whole[:20] + "x" + whole[21:], "\x1f\x8b\x08"} {
		_, stderr, err := checkFolder(t, map[string]string{"sitemap.xml.gz": text}, Options{})
		if err == nil || !strings.HasPrefix(stderr, "locus: sitemap.xml.gz: unpack: ") {
			t.Errorf("%q: %q, %v", text, stderr, err)
		}
	}
}
