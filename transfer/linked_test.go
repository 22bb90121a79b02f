package transfer

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"locus"
	"locus/access"
	"locus/url"
)

// A result has what servers say of mirrors and digests, after a failure and of redirects, too.
func TestResultLinked(t *testing.T) {
	const text = "hello"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirected":
			w.Header().Set("Link", "<http://m.example/f>; rel=duplicate; pri=1")
			w.Header().Set("Digest", "SHA-256="+sum256(text))
			w.Header().Set("Repr-Digest", "sha-256=:"+sum256("the text of this redirect")+":")
			http.Redirect(w, r, "/f", http.StatusFound)
		case "/other":
			w.Header().Set("Digest", "SHA-256="+sum256("another page")) // no mirror: not of the file
			http.Redirect(w, r, "/f", http.StatusFound)
		case "/wrong":
			w.Header().Set("Link", "<http://m.example/f>; rel=duplicate")
			w.Header().Set("Digest", "SHA-256="+sum256("other"))
			http.Redirect(w, r, "/f", http.StatusFound)
		case "/broken":
			w.Header().Set("Link", "</f>; rel=duplicate; pri=3")
			w.Header().Set("Repr-Digest", "sha-512=:"+sum512(text)+":, sha-256=:"+sum256(text)+":")
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, text)
		default:
			fmt.Fprint(w, text)
		}
	}))
	defer server.Close()
	engine := &locus.Client{Retries: -1, Dial: new(net.Dialer).DialContext}
	defer engine.Close()
	for _, test := range []struct {
		path, mirrors string
		digest        int // in bytes
		isWhole       bool
	}{
		{"/f", "[]", 0, true},
		{"/redirected", "[http://m.example/f]", 32, true},
		{"/other", "[]", 0, true},
		{"/wrong", "[http://m.example/f]", 32, false},
		{"/broken", "[" + server.URL + "/f]", 64, false},
	} {
		root, dir := folder(t)
		result, err := Get(t.Context(), engine, &access.Request{URL: url.MustParse(server.URL + test.path)}, root, "f", Options{Retry: hasty})
		if (err == nil) != test.isWhole || test.path == "/wrong" && !errors.Is(err, ErrDigest) {
			t.Errorf("%s: %v", test.path, err)
		}
		if got := fmt.Sprint(result.Linked.Mirrors); got != test.mirrors || result.Linked.Digest.is.Len() != test.digest {
			t.Errorf("%s: mirrors %s, a digest of %d bytes, want %s, %d", test.path, got, result.Linked.Digest.is.Len(), test.mirrors, test.digest)
		}
		if _, has := contents(t, dir)["f"]; has != test.isWhole {
			t.Errorf("%s: the file is there: %v", test.path, has)
		}
	}
}
