package transfer

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	copying "locus/transfer/internal/sync"

	"locus/url"
)

// A mirror does not request URLs that robots.txt disallows, unless IgnoreRobots is set.
func TestMirrorRobots(t *testing.T) {
	pages := map[string]string{
		"/s/":         `<p>first</p><a href=a.html>a</a><a href=secret/b.html>b</a><a href=moved>m</a>`,
		"/s/a.html":   `<p>a</p><a href=secret/c.html>c</a>`,
		"/robots.txt": "User-agent: *\nDisallow: /s/secret/\nUser-agent: other\nDisallow: /\n",
	}
	for _, name := range []string{"b", "c", "d"} {
		pages["/s/secret/"+name+".html"] = "<p>" + name + "</p>"
	}
	open := []string{"a.html", "index.html"}
	all := []string{"a.html", "index.html", "old", "secret/", "secret/b.html", "secret/c.html", "secret/d.html"}
	for _, test := range []struct {
		name       string
		start      string
		opts       MirrorOptions
		robots     int // status
		asked      int // for robots.txt
		files      []string
		disallowed int
		failed     int
		kept       error
	}{
		{"polite", "/s/", MirrorOptions{}, 200, 1, append(slices.Clone(open), "old"), 3, 0, nil},
		{"in a dry run too", "/s/", MirrorOptions{TreeOptions: TreeOptions{DryRun: true}}, 200, 1, []string{"old"}, 3, 0, nil},
		{"what is not known is not deleted", "/s/", MirrorOptions{TreeOptions: TreeOptions{Delete: true}}, 200, 1, append(slices.Clone(open), "old"), 3, 0, copying.ErrDisallowed},
		{"told not to be", "/s/", MirrorOptions{IgnoreRobots: true}, 200, 0, all, 0, 0, nil},
		{"there is none", "/s/", MirrorOptions{}, 404, 1, all, 0, 0, nil},
		{"it cannot be had", "/s/", MirrorOptions{}, 500, 1, []string{"index.html", "old"}, 0, 1, nil},
		{"it cannot be had, delete", "/s/", MirrorOptions{TreeOptions: TreeOptions{Delete: true}}, 500, 1, []string{"index.html", "old"}, 0, 1, copying.ErrFailures},
		{"what was asked for by name", "/s/secret/b.html", MirrorOptions{}, 200, 0, []string{"b.html", "old"}, 0, 0, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var mu sync.Mutex
			asked := make(map[string]int)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				asked[r.URL.Path]++
				mu.Unlock()
				switch text, ok := pages[r.URL.Path]; {
				case r.URL.Path == "/s/moved":
					http.Redirect(w, r, "secret/d.html", http.StatusFound)
				case r.URL.Path == "/robots.txt" && test.robots != http.StatusOK:
					w.WriteHeader(test.robots)
				case !ok:
					http.NotFound(w, r)
				default:
					fmt.Fprint(w, text)
				}
			}))
			defer s.Close()
			root, dir := folder(t)
			fill(t, dir, map[string]string{"old": "old"})
			test.opts.Jobs, test.opts.Retry = 3, hasty
			report, err := Mirror(t.Context(), overNetwork(0), url.MustParse(s.URL+test.start), root, test.opts)
			if err != nil || report.Disallowed != test.disallowed || report.Failed != test.failed || report.NotDeleted != test.kept {
				t.Errorf("Mirror = %+v, %v; want %d disallowed, %d failed, kept %v", report, err, test.disallowed, test.failed, test.kept)
			}
			var names []string
			for name := range contents(t, dir) {
				if !strings.HasPrefix(name, stateDir) {
					names = append(names, name)
				}
			}
			slices.Sort(names)
			if !slices.Equal(names, test.files) {
				t.Errorf("files are %q, want %q", names, test.files)
			}
			if asked["/robots.txt"] != test.asked {
				t.Errorf("robots.txt was asked for %d times, want %d", asked["/robots.txt"], test.asked)
			}
			if n := asked["/s/secret/c.html"]; test.disallowed > 0 && n > 0 {
				t.Errorf("what is disallowed was asked for %d times", n)
			}
		})
	}
}
