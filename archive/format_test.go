package archive_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
	"locus/archive"
)

// A payload of any size is unchanged in the archive, whatever the sizes of its pieces.
func TestPieces(t *testing.T) { inBothFormats(t, testPieces) }

func testPieces(t *testing.T, name string) {
	const piece = 128 << 10
	text := strings.Repeat("a line of text that can be compressed\n", 20_000)
	contents := make(map[string]string) // by URL
	root := folder(t)
	w := create(t, root, name, archive.Options{})
	for _, around := range []int{16 << 10, piece, 2 * piece, 3 * piece} { // two pieces are kept in memory
		for _, size := range []int{around - 5, around - 4, around - 1, around, around + 1} {
			for i, step := range []int{1000, piece, size} {
				u := fmt.Sprintf("gopher://h/%d-%d", size, step)
				contents[u] = text[i : i+size] // all differ
				r, err := w.Record(resourceOf(contents[u])).Do(t.Context(), &access.Request{URL: parse(t, u)})
				if err != nil {
					t.Fatalf("step %d: %v", step, err)
				}
				if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{r.Body}, make([]byte, step)); err != nil {
					t.Fatalf("step %d: %v", step, err)
				}
				r.Body.Close()
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a := open(t, root, name)
	for u, want := range contents {
		if got, _, err := get(t, a, u); got != want || err != nil {
			t.Errorf("%s: %d bytes, %v", u, len(got), err)
		}
	}
	records(t, root, name)
}

// resourceOf is an engine of one text.
func resourceOf(text string) access.Engine {
	return access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		body := io.NopCloser(strings.NewReader(text))
		return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/plain", Size: int64(len(text))}, Body: body}, nil
	})
}

// A compressed record is one member of gzip, also if it has many pieces, and text becomes
// small.
func TestOneMember(t *testing.T) {
	root := folder(t)
	w := create(t, root, "a.warc.gz", archive.Options{})
	text := strings.Repeat("a line of text that can be compressed\n", 100_000)
	if _, _, err := get(t, w.Record(resourceOf(text)), "gopher://h/text"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := root.ReadFile("a.warc.gz")
	if err != nil {
		t.Fatal(err)
	}
	if len(file) > len(text)/50 {
		t.Errorf("the archive has %d bytes, of a text of %d", len(file), len(text))
	}
	in := bytes.NewReader(file)
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	var members []int
	for err == nil {
		z.Multistream(false)
		n, err := io.Copy(io.Discard, z)
		if err != nil {
			t.Fatal(err)
		}
		if members = append(members, int(n)); z.Reset(in) != nil {
			break
		}
	}
	if len(members) != 3 || members[1] < len(text) {
		t.Errorf("members of %d bytes, want the warcinfo, the text and its attributes", members)
	}
}

// A file without .gz is not compressed, so the fetched text can be found in it.
func TestPlain(t *testing.T) {
	s := newSite(t, pages)
	w := create(t, s.root, "a.warc", archive.Options{})
	if _, _, err := get(t, w.Record(s.engine), s.URL+"/a"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := s.root.ReadFile("a.warc")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(file, []byte("WARC/1.1\r\nWARC-Type: warcinfo\r\n")) || !bytes.HasSuffix(file, []byte("\r\n\r\n")) {
		t.Errorf("the file is %q", file)
	}
	if !bytes.Contains(file, []byte("GET /a HTTP/1.1\r\n")) {
		t.Error("the request is not in the file as text")
	}
}

// An archive is continued in its own format only, whatever its name says.
func TestOtherFormat(t *testing.T) {
	for _, names := range [][2]string{{"a.warc.gz", "a.warc"}, {"a.warc", "a.warc.gz"}} {
		dir := t.TempDir()
		root := folderAt(t, dir)
		create(t, root, names[0], archive.Options{}).Close()
		if err := os.Rename(filepath.Join(dir, names[0]), filepath.Join(dir, names[1])); err != nil {
			t.Fatalf("%q: %v", names, err)
		}
		before, err := root.ReadFile(names[1])
		if err != nil {
			t.Fatalf("%q: %v", names, err)
		}
		if _, err := archive.Create(root, names[1], archive.Options{}); err == nil || !strings.Contains(err.Error(), "the name of a compressed archive") {
			t.Errorf("Create(%q) of a %q: %v", names[1], names[0], err)
		}
		if after, err := root.ReadFile(names[1]); err != nil || !bytes.Equal(after, before) {
			t.Errorf("Create(%q) of a %q changes the file: %d bytes, %v, want %d", names[1], names[0], len(after), err, len(before))
		}
	}
}

// The line ends that another program has left out after the last record are added.
func TestMissingEnd(t *testing.T) {
	const info = "WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 5\r\n\r\nabc\r\n"
	for _, end := range []string{"\r\n", "\n\n", "\r\n\r", "\r\n\r\n"} {
		root := folder(t)
		if err := root.WriteFile("a.warc", []byte(info+end), 0o666); err != nil {
			t.Fatalf("%q: %v", end, err)
		}
		w := create(t, root, "a.warc", archive.Options{})
		if _, _, err := get(t, w.Record(noises), small); err != nil {
			t.Fatalf("%q: %v", end, err)
		}
		if err := w.Close(); err != nil {
			t.Fatalf("%q: %v", end, err)
		}
		file, err := root.ReadFile("a.warc")
		if err != nil {
			t.Fatalf("%q: %v", end, err)
		}
		want := end + "\r\n\r\n"[len(end):] + "WARC/1.1\r\n"
		if !strings.HasPrefix(string(file[len(info):]), want) {
			t.Errorf("after %q: %.30q, want %q", end, file[len(info):], want)
		}
		if got, _, err := get(t, open(t, root, "a.warc"), small); got != string(noise(3, 100)) || err != nil {
			t.Errorf("after %q: %d bytes, %v", end, len(got), err)
		}
	}
}

// More resources arrive at the same time than may be compressed at the same time, while
// each large header becomes a revisit. They do not wait for each other forever.
func TestManyLargeAtOnce(t *testing.T) { inBothFormats(t, testManyLargeAtOnce) }

func testManyLargeAtOnce(t *testing.T, name string) {
	root := folder(t)
	w := create(t, root, name, archive.Options{})
	engine := w.Record(noises)
	var bodies []io.ReadCloser
	for i := range 24 {
		bodies = append(bodies, start(t, engine, fmt.Sprintf("gopher://h/%d-%d?%d", i%12, medium, i)))
	}
	for _, body := range bodies {
		finish(t, body)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if a := open(t, root, name); a.URLs() != len(bodies) || a.Damage() != nil {
		t.Errorf("%d URLs, %v, want %d", a.URLs(), a.Damage(), len(bodies))
	}
}

// A file that is not an archive stays unchanged, even if it is short.
func TestOtherFile(t *testing.T) {
	for _, text := range []string{"hello", "hello\n", "my notes, without a line end", "\n\nhello", "WARX", "WARC-notes"} {
		root := folder(t)
		if err := root.WriteFile("a.warc", []byte(text), 0o666); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if w, err := archive.Create(root, "a.warc", archive.Options{}); err == nil {
			w.Close()
			t.Errorf("%q is continued", text)
		} else if !strings.Contains(err.Error(), "not with WARC/1.0") {
			t.Errorf("%q: %v", text, err)
		}
		if after, err := root.ReadFile("a.warc"); err != nil || string(after) != text {
			t.Errorf("%q is %q, %v afterwards", text, after, err)
		}
	}
}
