package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"locus/access"
	"locus/gateway"
	"locus/internal/growth"
)

// opened is an Engine that counts the URLs that it opens.
type opened struct {
	access.Engine
	mu   sync.Mutex
	urls []string
}

func (o *opened) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	o.mu.Lock()
	o.urls = append(o.urls, req.URL.String())
	o.mu.Unlock()
	return o.Engine.Do(ctx, req)
}

// unread fails its test if somebody reads it.
type unread struct{ t *testing.T }

func (u unread) Read([]byte) (int, error) {
	u.t.Error("a HEAD request reads the content")
	return 0, io.EOF
}
func (unread) Close() error { return nil }

// HEAD is cheap for a client, so the gateway must not read a whole folder for it.
func TestAttackHead(t *testing.T) {
	// attack: A HEAD request asks for an archive, a download or a sorted listing | no body is
	// read
	for path, want := range map[string]string{
		"/-/archive?format=zip&url=ftp://h/d/":    "attachment; filename=d.zip",
		"/-/archive?format=tar&url=ftp://h/d/":    "attachment; filename=d.tar",
		"/-/list?sort=name&url=ftp://h/d/":        "",
		"/-/download?url=ftp://h/f":               "attachment; filename=f",
		"/-/raw?url=ftp://h/f":                    "attachment; filename=f", // by its type
		"/-/beside?step=next&in=ftp://h/d/&url=x": "",
	} {
		list := &wordy{entry: at("a", "ftp://h/d/a")}
		engine := &opened{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: 1 << 30, Type: "application/zip"}, Body: unread{t}}
			if strings.HasSuffix(req.URL.Path(), "/") {
				r.Body, r.List = list, list
			}
			return r, nil
		})}
		resp, _, err := serve(t, &gateway.Gateway{Engine: engine})("HEAD", path)
		if err != nil || len(engine.urls) > 2 || list.taken > 1001 {
			t.Errorf("HEAD %s opens %q and reads %d entries, %v", path, engine.urls, list.taken, err)
			continue
		}
		if got := resp.Header.Get("Content-Disposition"); got != want {
			t.Errorf("HEAD %s has the disposition %q, want %q", path, got, want)
		}
	}
}

// The gateway's own pages accept only the methods of pages, so an OPTIONS of another site does not
// open a URL.
func TestAttackMethods(t *testing.T) {
	// attack: A page sends OPTIONS or PUT to a page of the gateway | 405, and no resource is opened
	for _, page := range []string{"raw", "download", "list", "archive", "beside", "about", "open"} {
		engine := &opened{Engine: resources{"ftp://h/d/": menu(io.EOF)}}
		get := serve(t, &gateway.Gateway{Engine: engine})
		for _, method := range []string{"OPTIONS", "PUT", "DELETE", "PROPFIND", "TRACE"} {
			resp, _, err := get(method, "/-/"+page+"?format=zip&step=next&in=ftp://h/d/&url=ftp://h/d/")
			if err != nil || resp.StatusCode != http.StatusMethodNotAllowed || len(engine.urls) > 0 {
				t.Errorf("%s /-/%s = %v, %v, opens %q, want 405", method, page, resp, err, engine.urls)
			}
		}
	}
}

// An archive limits the lines of a folder too, because a server may send lines of any length.
func TestAttackArchiveLines(t *testing.T) {
	// attack: A folder has very long names, or one name many times | the archive keeps at most 16
	// MiB of names, and takes no more time
	const long = 128 << 10
	text := strings.Repeat("x", long)
	for name, e := range map[string]access.Entry{
		"titles":    at(text, "ftp://h/d/x"),
		"URLs":      at("x", "ftp://h/d/"+text),
		"elsewhere": at(text[:1000], "ftp://other/d/x"), // and without an end
	} {
		list := &wordy{entry: e}
		g := &gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			if list.taken++; list.taken > 5_000_000 {
				return nil, io.ErrUnexpectedEOF
			}
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: list, List: &ending{wordy: list}}, nil
		})}
		resp, _, err := serve(t, g)("GET", "/-/archive?format=zip&url=ftp://h/d/")
		if err == nil && resp.StatusCode == http.StatusOK {
			t.Errorf("%s: an archive of them is whole", name)
		}
		if name != "elsewhere" && list.taken*long > 32<<20 {
			t.Errorf("%s: an archive keeps %d KiB", name, list.taken*long>>10)
		}
		if list.taken >= 5_000_000 {
			t.Errorf("%s: an archive reads on without end", name)
		}
	}
}

// ending is a wordy listing that breaks off after a while, so that a test ends.
type ending struct{ *wordy }

func (e *ending) Next() (access.Entry, error) {
	if e.taken >= 5_000_000 {
		return access.Entry{}, io.ErrUnexpectedEOF
	}
	return e.wordy.Next()
}

// A folder whose files all have the same name does not cost more than another, because the archive
// finds the number for each name without trying all numbers before it.
func TestAttackArchiveNames(t *testing.T) {
	// attack: A folder has very long names, or one name many times
	growth.Check(t, "files of one name", 500, func(n int) func() {
		entries, engine := make([]access.Entry, n), resources{}
		for i := range entries {
			u := fmt.Sprint("ftp://h/d/", i)
			entries[i], engine[u] = at("file.txt", u), content("text/plain", "x")
		}
		engine["ftp://h/d/"] = menu(io.EOF, entries...)
		ask := serve(t, &gateway.Gateway{Engine: engine})
		return func() {
			_, body, err := ask("GET", "/-/archive?format=tar&url=ftp://h/d/")
			if err != nil {
				t.Errorf("the archive of %d files: %v", n, err)
			} else if files := unpack(t, "tar", body); len(files) != n+1 {
				t.Errorf("the archive has %d files, want %d", len(files), n+1)
			}
		}
	})
}

// Names in an archive do not deceive their readers, and do not name devices of Windows.
func TestAttackArchiveDeception(t *testing.T) {
	// attack: Names in an archive (zip, tar) lead out of its folder, are names of devices, or hide their end
	engine := resources{"ftp://h/d/": menu(io.EOF, at("a\u202egpj.exe", "ftp://h/d/1"), at("con .txt", "ftp://h/d/2"), at("CONIN$", "ftp://h/d/3"), at("com¹.txt", "ftp://h/d/4"))}
	for i := range 4 {
		engine[fmt.Sprint("ftp://h/d/", i+1)] = content("text/plain", "x")
	}
	_, body, err := serve(t, &gateway.Gateway{Engine: engine})("GET", "/-/archive?format=tar&url=ftp://h/d/")
	if err != nil {
		t.Fatal(err)
	}
	files := unpack(t, "tar", body)
	for _, want := range []string{"d/a_gpj.exe", "d/_con .txt", "d/_CONIN$", "d/_com¹.txt"} {
		if _, has := files[want]; !has {
			t.Errorf("the archive lacks %q: %q", want, files)
		}
	}
}

// One client cannot keep the gateway busy with archives.
func TestAttackArchives(t *testing.T) {
	// attack: One client asks for many archives | 429 after 4 at once
	begun, release := make(chan bool), make(chan bool)
	defer close(release)
	var count atomic.Int32
	slow := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		if strings.HasSuffix(req.URL.Path(), "/") {
			return menu(io.EOF, at("f", "ftp://h/d/f"))(req)
		}
		if count.Add(1) <= 4 {
			begun <- true
			select {
			case <-release:
			case <-ctx.Done():
			}
		}
		return content("text/plain", "x")(req)
	})
	get := serve(t, &gateway.Gateway{Engine: slow})
	for range 4 {
		go get("GET", "/-/archive?format=zip&url=ftp://h/d/")
		<-begun
	}
	resp, body, err := get("GET", "/-/archive?format=zip&url=ftp://h/d/")
	if err != nil || resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("one more archive = %v, %v, want 429\n%.300s", resp, err, body)
	}
}

// In the archive of a folder of a web server, the folders below it are folders too.
func TestArchiveOfWeb(t *testing.T) {
	index := func(rows string) func(*access.Request) (*access.Resource, error) {
		return func(req *access.Request) (*access.Resource, error) {
			text := "<html><head><title>Index of /</title></head><body><h1>Index of /</h1><hr><pre><a href=\"../\">../</a>\n" + rows + "</pre><hr></body></html>"
			return &access.Resource{
				Entry:      access.Entry{URL: req.URL, Type: "text/html", Size: int64(len(text))},
				Body:       io.NopCloser(strings.NewReader(text)),
				HTTPStatus: http.StatusOK,
			}, nil
		}
	}
	engine := resources{
		"http://h/d/":      index("<a href=\"sub/\">sub/</a>      23-Nov-2026 05:00    -\n"),
		"http://h/d/sub/":  index("<a href=\"f\">f</a>      23-Nov-2026 05:00    4\n"),
		"http://h/d/sub/f": content("text/plain", "text"),
	}
	_, body, err := serve(t, &gateway.Gateway{Engine: engine})("GET", "/-/archive?format=zip&url=http://h/d/")
	if err != nil {
		t.Fatal(err)
	}
	if files := unpack(t, "zip", body); files["d/sub/f"] != "text" {
		t.Errorf("the archive has %q", files)
	}
}
