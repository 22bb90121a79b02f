package archive_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"locus/access"
	"locus/archive"
	"locus/internal/weburl"
	"locus/internal/weburl/hard"
	"locus/url"
)

// response returns a record of a page with this head and body.
func response(target, message string) string {
	return record("WARC-Type: response", "WARC-Record-ID: <urn:"+fmt.Sprint(len(target))+">", "WARC-Target-URI: "+target, "WARC-Date: 2026-01-02T03:04:05Z", "Content-Type: application/http;msgtype=response", "", message)
}

// pack compresses texts, each into a member of its own.
func pack(texts ...string) (members [][]byte) {
	for _, text := range texts {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = io.WriteString(z, text)
		z.Close()
		members = append(members, b.Bytes())
	}
	return members
}

// openText opens an archive with this content.
func openText(t *testing.T, name, text string) (*archive.Archive, *os.Root) {
	t.Helper()
	root := folder(t)
	if err := root.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return open(t, root, name), root
}

// getURL reads a URL to its end.
func getURL(t *testing.T, engine access.Engine, u url.URL) (string, error) {
	t.Helper()
	r, err := engine.Do(t.Context(), &access.Request{URL: u})
	if err != nil {
		return "", err
	}
	body, _, err := readAll(r)
	return body, err
}

// A capture of another program is found by the text of its target, by the URL that browsers read in it, and by the URL
// with escapes.
func TestHardTargets(t *testing.T) {
	const page = "HTTP/1.1 200 OK\r\n\r\n"
	base := "http://h.example/"
	text := ""
	for i, ref := range hard.References() {
		text += response(base+ref.Text, page+fmt.Sprint(i))
	}
	a, _ := openText(t, "a.warc", text)
	if a.Damage() != nil {
		t.Errorf("damage: %v", a.Damage())
	}
	for i, ref := range hard.References() {
		typed, err := weburl.Parse(base + ref.Text)
		if err != nil {
			t.Fatalf("%q: %v", ref, err)
		}
		if body, err := getURL(t, a, typed); body != fmt.Sprint(i) || err != nil {
			t.Errorf("%q: %q, %v, want %d", ref.Text, body, err, i)
		}
		sent, ok := weburl.Resolve(url.URL{}, "http://h.example"+ref.Target)
		if !ok {
			t.Fatalf("%q is not a URL", ref.Target)
		}
		if body, err := getURL(t, a, sent); body != fmt.Sprint(i) || err != nil {
			t.Errorf("%q: %q, %v, want %d", ref.Target, body, err, i)
		}
	}
	for text, want := range map[string]string{"http://h.example/?a%5B%5D=1": "0", "http://h.example/css?family=A%7CB": "1", "http://h.example/x%5B1%5D.jpg": "2", "http://h.example/100%25": "8"} {
		if body, _, err := get(t, a, text); body != want || err != nil {
			t.Errorf("%s: %q, %v, want %s", text, body, err, want)
		}
	}
}

// If an archive has two captures of what is one URL, but for its escapes, each text finds its own.
func TestHardTwins(t *testing.T) {
	a, _ := openText(t, "a.warc", response("http://h/?a%5B%5D=1", "HTTP/1.1 200 OK\r\n\r\nescaped")+response("http://h/?a[]=1", "HTTP/1.1 200 OK\r\n\r\nplain")+response("http://h/?b%5B%5D=1", "HTTP/1.1 200 OK\r\n\r\nonly"))
	for text, want := range map[string]string{"http://h/?a%5B%5D=1": "escaped", "http://h/?a[]=1": "plain", "http://h/?b[]=1": "only"} {
		u, err := weburl.Parse(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if body, err := getURL(t, a, u); body != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", text, body, err, want)
		}
	}
}

// Bytes of a target that are not UTF-8 are kept, so two targets that differ in them are two URLs.
func TestTargetsInLatin1(t *testing.T) {
	a, _ := openText(t, "a.warc", response("http://h/caf\xe9", "HTTP/1.1 200 OK\r\n\r\none")+response("http://h/caf\xe8", "HTTP/1.1 200 OK\r\n\r\ntwo"))
	for text, want := range map[string]string{"http://h/caf%E9": "one", "http://h/caf%e8": "two"} {
		if body, _, err := get(t, a, text); body != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", text, body, err, want)
		}
	}
}

// A record with a target that is not a URL is counted and named.
func TestTargetNotURL(t *testing.T) {
	text := response("http://h/a", "HTTP/1.1 200 OK\r\n\r\na")
	a, _ := openText(t, "a.warc", text+response("http://[x/", "HTTP/1.1 200 OK\r\n\r\nx")+response("no url", "HTTP/1.1 200 OK\r\n\r\nx")+response("http://h/b", "HTTP/1.1 200 OK\r\n\r\nb"))
	want := fmt.Sprintf(`2 records of the archive cannot be read; the first: "a.warc": the record at byte %d is damaged: its target "http://[x/" is not a URL: `, len(text))
	if a.Damage() == nil || !strings.HasPrefix(a.Damage().Error(), want) {
		t.Errorf("damage: %v, want %s", a.Damage(), want)
	}
	if a.URLs() != 2 {
		t.Errorf("%d URLs, want 2", a.URLs())
	}
}

// One damaged record costs one record.
func TestDamagedRecord(t *testing.T) {
	texts := []string{}
	for i := range 5 {
		texts = append(texts, response(fmt.Sprintf("http://h/%d", i), fmt.Sprintf("HTTP/1.1 200 OK\r\n\r\n%d%s", i, strings.Repeat(fmt.Sprint(i, " text\n"), 100))))
	}
	members := pack(texts...)
	at := len(members[0]) + len(members[1])
	changed := func(all [][]byte, change func(third []byte) []byte) string {
		return string(bytes.Join([][]byte{all[0], all[1], change(bytes.Clone(all[2])), all[3], all[4]}, nil))
	}
	var plain [][]byte
	for _, text := range texts {
		plain = append(plain, []byte(text))
	}
	flip := func(at int) func([]byte) []byte {
		return func(b []byte) []byte { b[(at+len(b))%len(b)] ^= 0x55; return b }
	}
	replace := func(old, text string) func([]byte) []byte {
		return func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(text), 1) }
	}
	for _, test := range []struct {
		name, file string
		all        [][]byte
		change     func([]byte) []byte
	}{
		{"a bit in the member", "a.warc.gz", members, flip(60)},
		{"the checksum", "a.warc.gz", members, flip(-6)},
		{"the magic number", "a.warc.gz", members, flip(0)},
		{"the end of the member is missing", "a.warc.gz", members, func(b []byte) []byte { return b[:len(b)-20] }},
		{"the member is random", "a.warc.gz", members, func(b []byte) []byte { return noise(7, len(b)) }},
		{"a block that is too long", "a.warc", plain, replace("Content-Length: ", "Content-Length: 1")},
		{"a block that is longer than the file", "a.warc", plain, replace("Content-Length: ", "Content-Length: 999999")},
		{"a length that is too small", "a.warc", plain, replace("Content-Length: ", "Content-Length: 9\r\nX: ")},
		{"no length", "a.warc", plain, replace("Content-Length: ", "X: ")},
		{"not a number", "a.warc", plain, replace("Content-Length: ", "Content-Length: x")},
		{"no version", "a.warc", plain, replace("WARC/1.1", "XARC/1.1")},
		{"the end of the record is missing", "a.warc", plain, func(b []byte) []byte { return b[:1+bytes.LastIndexByte(b[:len(b)-50], '\n')] }},
	} {
		where := at
		if test.file == "a.warc" {
			where = len(texts[0]) + len(texts[1])
		}
		t.Run(test.name, func(t *testing.T) {
			a, root := openText(t, test.file, changed(test.all, test.change))
			for i := range 5 {
				body, _, err := get(t, a, fmt.Sprintf("http://h/%d", i))
				if i != 2 && (err != nil || !strings.HasPrefix(body, fmt.Sprint(i))) || i == 2 && err == nil {
					t.Errorf("record %d: %.20q, %v", i, body, err)
				}
			}
			want := fmt.Sprintf("one record of the archive cannot be read: %q: ", test.file)
			if err := a.Damage(); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), fmt.Sprintf(" byte %d", where)) {
				t.Errorf("damage: %v, want %s… byte %d", err, want, where)
			}
			var index strings.Builder
			if err := archive.WriteCDXJ(&index, root, test.file); err == nil || strings.Count(index.String(), "\n") != 4 {
				t.Errorf("the index is %s, %v, want 4 lines and an error", index.String(), err)
			}
			if w, err := archive.Create(root, test.file, archive.Options{}); err == nil {
				w.Close()
				t.Error("a damaged archive is continued")
			}
		})
	}
}

// The records of a file are found among many damaged ones. A file that was made to have many is read again only up to
// a limit, because each damaged record may hide all records after it.
func TestManyDamaged(t *testing.T) {
	const limit = 64 << 20 // maxAgain
	text := response("http://h/a", "HTTP/1.1 200 OK\r\n\r\na") + strings.Repeat("WARC/1.1\r\nContent-Length: 99999999999\r\n\r\n", 50_000)
	a, _ := openText(t, "a.warc", text)
	if a.Damage() == nil || a.URLs() != 1 {
		t.Errorf("%d URLs, %v", a.URLs(), a.Damage())
	}
	source := &countedReader{ReadSeeker: strings.NewReader(text)}
	r := archive.NewReader(source)
	for {
		record, err := r.Next()
		if err == nil {
			_, err = io.Copy(io.Discard, record.Body)
		}
		if err == io.EOF {
			break
		}
	}
	if most := int64(limit + 4*len(text)); source.n > most {
		t.Errorf("%d bytes of a file of %d are read, want at most %d", source.n, len(text), most)
	}
}

// A countedReader counts the bytes that are read from a file.
type countedReader struct {
	io.ReadSeeker
	n int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.ReadSeeker.Read(p)
	c.n += int64(n)
	return n, err
}

// A message is read as its bytes show, whatever its header says.
func TestRecordedOtherwise(t *testing.T) {
	packed := string(pack("packed")[0])
	for _, test := range []struct{ name, message, want string }{
		{"pywb", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\nbody without chunks", "body without chunks"},
		{"pywb, an empty body", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", ""},
		{"pywb, text like a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nlines", "2\r\nlines"},
		{"pywb, gzip", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n" + packed, "packed"},
		{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n", "body"},
		{"chunks with an extension", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;x=y\r\nbody\r\n0\r\n\r\n", "body"},
		{"an empty body of chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", ""},
		{"Common Crawl", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nplain body", "plain body"},
		{"gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + packed, "packed"},
		{"x-gzip", "HTTP/1.1 200 OK\r\nContent-Encoding: x-gzip\r\n\r\n" + packed, "packed"},
		{"gzip in chunks", fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(packed), packed), "packed"},
		{"HTTP/2", "HTTP/2 200\r\ncontent-type: text/plain\r\n\r\ntwo", "two"},
		{"HTTP/2.0", "HTTP/2.0 200 \r\n\r\ntwo", "two"},
		{"HTTP/3", "HTTP/3 200 OK\r\n\r\nthree", "three"},
		{"no version", "HTTP 200 Document follows\r\n\r\nbody", "body"},
		{"Shoutcast", "ICY 200 OK\r\n\r\nbody", "body"},
		{"lower case", "http/1.0 200 ok\r\n\r\nbody", "body"},
		{"two spaces", "HTTP/1.1  200  OK\r\n\r\nbody", "body"},
		{"no space after the status", "HTTP/1.1 200OK\r\n\r\nbody", "body"},
		{"no colon", "HTTP/1.1 200 OK\r\nthis is no field\r\nContent-Type: text/plain\r\n\r\nbody", "body"},
		{"a space before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 4\r\n\r\nbody", "body"},
		{"an empty name", "HTTP/1.1 200 OK\r\n: x\r\n\r\nbody", "body"},
		{"a folded line", "HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\nbody", "body"},
		{"a folded line first", "HTTP/1.1 200 OK\r\n b\r\n\r\nbody", "body"},
		{"a control character", "HTTP/1.1 200 OK\r\nX: a\x00b\r\n\r\nbody", "body"},
		{"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 4\r\n\r\nbody", "body"},
		{"not a length", "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nbody", "body"},
		{"LF", "HTTP/1.1 200 OK\nContent-Length: 4\n\nbody", "body"},
	} {
		a, _ := openText(t, "a.warc", response("http://h/", test.message))
		if body, _, err := get(t, a, "http://h/"); body != test.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", test.name, body, err, test.want)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://h/", http.NoBody)
		if err != nil {
			t.Fatalf("%q: %v", test.name, err)
		}
		resp, err := a.RoundTrip(r)
		if err != nil {
			t.Errorf("%s: RoundTrip: %v", test.name, err)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK || err != nil || string(body) != test.want && resp.Header.Get("Content-Encoding") == "" {
			t.Errorf("%s: RoundTrip: %s, %q, %v, want %q", test.name, resp.Status, body, err, test.want)
		}
	}
}

// The fields of a record may have lines without a colon, and wget writes targets in angle brackets.
func TestOtherFields(t *testing.T) {
	text := record("WARC-Type: response", "WARC-Record-ID: <urn:1>", "a remark", "WARC-Target-URI: <http://h/wget>", "WARC-Date: 2026-01-02T03:04:05Z", "WARC-Payload-Digest: sha1:X", "Content-Type: application/http", "", "HTTP/1.1 200 OK\r\n\r\nbody") +
		record("WARC-Type: revisit", "WARC-Record-ID: <urn:2>", "WARC-Target-URI: <http://h/again>", "WARC-Refers-To-Target-URI: <http://h/wget>", "WARC-Refers-To-Date: 2026-01-02T03:04:05Z", "WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest", "Content-Type: application/http", "", "HTTP/1.1 200 OK\r\n\r\n")
	a, _ := openText(t, "a.warc", text)
	for _, u := range []string{"http://h/wget", "http://h/again"} {
		if body, _, err := get(t, a, u); body != "body" || err != nil {
			t.Errorf("%s: %q, %v", u, body, err)
		}
	}
	if a.Damage() != nil {
		t.Errorf("damage: %v", a.Damage())
	}
}

// ARC files are read in both versions, plain and compressed, also after damage.
func TestARC(t *testing.T) {
	one := func(line, block string) string { return fmt.Sprintf("%s %d\n%s\n", line, len(block), block) }
	records := []string{
		one("filedesc://a.arc 0.0.0.0 20050102030405 text/plain", "1 0 Crawler\nURL IP-address Archive-date Content-type Archive-length\n"),
		one("http://h/a 192.0.2.1 20050102030405 text/html", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>a"),
		one("http://h/b c 192.0.2.1 20050102030406 text/html 200 - - 0 a.arc", "HTTP/1.0 200 OK\r\n\r\nb"),
		one("dns:h 192.0.2.1 20050102030405 text/dns", "h. A 192.0.2.1"),
		one("http://h/?a[]=1 192.0.2.1 20050102030405 text/html", "HTTP/1.1 404 Not Found\r\n\r\n"),
		one("ftp://h/f 192.0.2.1 20050102030405 application/octet-stream", "file"),
	}
	plain := strings.Join(records, "")
	packed := string(bytes.Join(pack(records...), nil))
	broken := strings.Replace(plain, "20050102030406", "2005", 1)
	for _, test := range []struct {
		name, text string
		isDamaged  bool
	}{{"a.arc", plain, false}, {"a.arc.gz", packed, false}, {"broken.arc", broken, true}} {
		a, _ := openText(t, test.name, test.text)
		if (a.Damage() != nil) != test.isDamaged {
			t.Errorf("%s: damage %v", test.name, a.Damage())
		}
		for text, want := range map[string]string{"http://h/a": "<p>a", "http://h/b%20c": "b", "dns:h": "h. A 192.0.2.1", "ftp://h/f": "file"} {
			body, _, err := get(t, a, text)
			if isLost := test.isDamaged && want == "b"; (err != nil) != isLost || !isLost && body != want {
				t.Errorf("%s: %s: %q, %v, want %q", test.name, text, body, err, want)
			}
		}
		if _, _, err := get(t, a, "http://h/?a%5B%5D=1"); err == nil || !strings.Contains(err.Error(), "404") {
			t.Errorf("%s: a recorded 404: %v", test.name, err)
		}
	}
}
