package transfer

import (
	"maps"
	"net"
	"testing"

	"locus"
	"locus/internal/peers"
	"locus/url"
)

// The pages that servers make of folders are read, and not kept. A file index.html that such a page
// lists is fetched as any other. The second run fetches no file, and deletes no file.
func TestLiveMirrorListed(t *testing.T) {
	files := map[string]string{"a.txt": "a", "empty": "", "empty dir/": "", "sub/": "", "sub/b c#d.txt": "b", "sub/deep/": "", "sub/deep/e.txt": "e"}
	index := map[string]string{"index.html": "<p>home", "sub/index.html": "<p>sub", "sub/page.html": `<a href="./">up</a>`, "sub/deep/index.html": "<p>deep"}
	for _, test := range []struct {
		name  string
		start func(testing.TB, string) *peers.Server
		path  string // of the tree below the root
		index bool   // it lists folders that have an index.html
	}{
		{name: "caddy", start: peers.Caddy},
		{name: "apache", start: peers.Apache, path: "dav/", index: true},
		{name: "lighttpd", start: peers.LighttpdDAV, index: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			want := maps.Clone(files)
			if test.index {
				maps.Copy(want, index)
			}
			for name, text := range want {
				fill(t, dir, map[string]string{test.path + name: text})
			}
			server := test.start(t, dir)
			client := &locus.Client{Retries: -1, Dial: new(net.Dialer).DialContext, AllowPorts: []uint16{server.Port}}
			t.Cleanup(func() { client.Close() })
			root, name := folder(t)
			u := url.MustParse("http://" + server.Addr + "/" + test.path)
			for _, fetched := range []int{len(want) - 3, 0} { // but the folders
				report, err := Mirror(t.Context(), client, u, root, MirrorOptions{TreeOptions: TreeOptions{MaxEntries: 1000, Delete: true}})
				if err != nil || report.Failed > 0 || report.Files != fetched || report.Deleted > 0 || report.NotDeleted != nil {
					t.Errorf("Mirror = %+v, %v; want %d files", report, err, fetched)
				}
				got := contents(t, name)
				delete(got, stateDir+"/")
				delete(got, stateDir+"/"+etagsFile)
				compareTrees(t, got, want)
			}

			// A listing is kept under that name if the directory lacks such a file.
			if _, err := Mirror(t.Context(), client, u, root, MirrorOptions{Listings: true}); err != nil {
				t.Error(err)
			}
			got := contents(t, name)
			for _, dir := range []string{"", "sub/", "empty dir/"} {
				if text, ok := got[dir+indexName]; !ok || want[dir+indexName] != "" && text != want[dir+indexName] {
					t.Errorf("%s%s is %q, %v", dir, indexName, text, ok)
				}
			}
		})
	}
}
