package transfer

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"locus/url"
)

// An empty index.html is not taken for the listing that names it, even if both are of the same
// time: the other files of the listing stay. Apache gives a listing the time of its directory
// (IndexOptions TrackModified).
func TestMirrorEmptyIndex(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 15, 0, 0, time.UTC)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Last-Modified", at.Format(http.TimeFormat))
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<title>Index of /</title><a href="sub/">sub</a>`)
		case "/sub/":
			if r.Method == http.MethodGet { // without its length
				fmt.Fprint(w, `<title>Index of /sub/</title><a href="index.html">index.html</a> <a href="a.txt">a.txt</a>`)
				w.(http.Flusher).Flush()
			}
		case "/sub/index.html":
			http.ServeContent(w, r, "", at, strings.NewReader(""))
		case "/sub/a.txt":
			w.Header().Set("Content-Type", "text/plain")
			http.ServeContent(w, r, "", at, strings.NewReader("a"))
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	root, name := folder(t)
	for _, want := range []int{2, 0} {
		report, err := Mirror(t.Context(), overNetwork(0), url.MustParse(server.URL+"/"), root, MirrorOptions{TreeOptions: TreeOptions{Delete: true}})
		if err != nil || report.Files != want || report.Failed > 0 || report.Deleted > 0 || report.NotDeleted != nil {
			t.Errorf("Mirror = %+v, %v; want %d files", report, err, want)
		}
		compareTrees(t, contents(t, name), map[string]string{"sub/": "", "sub/index.html": "", "sub/a.txt": "a"})
	}
}
