package locus

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locus/access"
)

// A closer counts open bodies.
type closer struct {
	io.Reader
	open *int
}

func (c closer) Close() error { *c.open--; return nil }

// GetBody returns the body from its start each time. All copies are closed.
func TestSetBody(t *testing.T) {
	open := 0
	renew := func() (io.ReadCloser, error) {
		open++
		return closer{strings.NewReader(content), &open}, nil
	}
	first, _ := renew()
	req := new(access.Request)
	closeAll := setBody(req, &http.Request{Body: first, GetBody: renew})
	body := req.Body
	for _, n := range []int64{3, 0, 26, 27} {
		got, err := io.ReadAll(io.LimitReader(body, n))
		if want := content[:min(n, 26)]; string(got) != want || err != nil {
			t.Errorf("the first %d bytes are %q, %v, want %q", n, got, err, want)
		}
		if body, err = req.GetBody(); err != nil {
			t.Fatalf("GetBody after %d bytes were read: %v", n, err)
		}
	}
	closeAll()
	if open != 1 { // the first is the caller's
		t.Errorf("%d bodies are open, want the first alone", open)
	}
}

// If GetBody fails, the redirect is refused with the error of GetBody.
func TestClientBodyIsGone(t *testing.T) {
	town := newTown(t, signpost)
	why := errors.New("gone")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://a.example"+pointing(307, "http://b.example/x"), io.NopCloser(strings.NewReader(content)))
	if err != nil {
		t.Fatal(err)
	}
	r.GetBody = func() (io.ReadCloser, error) { return nil, why }
	_, err = newHTTP(withoutSend{town.client}).Do(r)
	asked, _, _ := town.heard()
	if !errors.Is(err, why) || !errors.Is(err, access.ErrRedirect) || len(asked) != 1 || !strings.HasSuffix(asked[0], content) {
		t.Errorf("PUT of a body that is gone = %v after %q, want one request and %v", err, asked, why)
	}
}

// A file is sent again, because it can seek. A stream is not.
func TestClientSendsAgain(t *testing.T) {
	town := newTown(t, signpost)
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, []byte("binary"), 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	from := "http://a.example" + pointing(307, "http://b.example/x")
	for _, test := range []struct {
		name string
		body io.Reader
		size int64
		want string // the last request
	}{
		{"a string", strings.NewReader("binary"), 6, "PUT b.example/x binary"},
		{"a file", file, 6, "PUT b.example/x binary"},
		{"a stream", io.MultiReader(strings.NewReader("binary")), 6, "PUT " + from[7:] + " binary"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, from, test.body)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		r.ContentLength = test.size
		resp, err := newHTTP(withoutSend{town.client}).Do(r)
		if err == nil {
			resp.Body.Close()
		}
		asked, _, _ := town.heard()
		if len(asked) == 0 || asked[len(asked)-1] != test.want || (err == nil) != (len(asked) == 2) {
			t.Errorf("PUT of %s asks %q, %v, want %q at last", test.name, asked, err, test.want)
		}
	}
}
