package transfer

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"testing"

	"locus"
	"locus/access"
	"locus/transfer/internal/tree"
	"locus/url"
)

// A site is an Engine with listings by their URLs. All else is a file with its URL as text.
type site struct {
	lists  map[string][]access.Entry
	moved  map[string]string // redirects
	types  map[string]string // of files
	public []string          // URLs that were asked for as PublicOnly
}

func (s *site) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	text := req.URL.String()
	if req.PublicOnly {
		s.public = append(s.public, text)
	}
	if req.Op != access.Get {
		return nil, errors.ErrUnsupported
	}
	if entries, ok := s.lists[text]; ok {
		return listed(req, &dir{entries: slices.Clone(entries)}), nil
	}
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1, Type: s.types[text]}, Body: io.NopCloser(strings.NewReader(text))}
	if to, ok := s.moved[text]; ok {
		r.URL = url.MustParse(to)
	}
	return r, nil
}

// entry returns an entry: "kind title URL".
func entry(t *testing.T, text string) access.Entry {
	t.Helper()
	fields := strings.SplitN(text, " ", 3)
	kinds := map[string]access.Kind{"dir": access.Directory, "file": access.Object, "search": access.Search, "failure": access.Failure, "telnet": access.Terminal}
	e := access.Entry{Kind: kinds[fields[0]], Title: fields[1], Size: -1}
	if len(fields) > 2 {
		e.URL = url.MustParse(fields[2])
	}
	return e
}

func entriesOf(t *testing.T, lists map[string][]string) map[string][]access.Entry {
	t.Helper()
	all := make(map[string][]access.Entry)
	for u, texts := range lists {
		all[u] = []access.Entry{}
		for _, text := range texts {
			all[u] = append(all[u], entry(t, text))
		}
	}
	return all
}

// A mirror of a Prospero directory names files by their links. A directory that is linked
// again, also from below, is copied once, and a file under each of its names. Links to
// other servers are reported.
func TestMirrorProspero(t *testing.T) {
	s := &site{
		lists: entriesOf(t, map[string][]string{
			"prospero://h/": {
				"file a.txt prospero://h//x/1", "file ../up prospero://h//x/2", "dir sub prospero://h//s",
				"file same prospero://h//x/1", "search find prospero://h//q", "file gone", "telnet t telnet://h/",
				"file web http://other/x", "dir ftp ftp://other/d/", "file picture prospero://h//pic",
				"file far prospero://h//far", "dir there prospero://h:1526//s",
			},
			"prospero://h//s": {"file a.txt prospero://h//x/3", "dir root prospero://h/", "dir again prospero://h//s"},
		}),
		moved: map[string]string{"prospero://h//far": "ftp://other/far"},
		types: map[string]string{"prospero://h//pic": "image/gif"},
	}
	root, name := folder(t)
	var log eventLog
	report, err := Mirror(t.Context(), s, url.MustParse("prospero://h/"), root, MirrorOptions{TreeOptions: TreeOptions{Event: log.add}})
	if err != nil || report.Failed > 0 || report.Files != 5 || report.Omitted != 6 || report.OmittedElsewhere != 4 {
		t.Errorf("Mirror = %+v, %v, want 5 files, 6 omitted, 4 of them elsewhere, and no failure", report, err)
	}
	compareTrees(t, contents(t, name), map[string]string{
		"a.txt": "prospero://h//x/1", "..%2Fup": "prospero://h//x/2", "same": "prospero://h//x/1", "picture.gif": "prospero://h//pic",
		"sub/": "", "sub/a.txt": "prospero://h//x/3",
	})
	omitted := log.names(Omitted)
	slices.Sort(omitted)
	if want := []string{"far", "ftp", "sub/again", "sub/root", "there", "web"}; !slices.Equal(omitted, want) {
		t.Errorf("omitted are %q, want %q", omitted, want)
	}
}

// OtherHosts also fetches files of other servers. One that a pattern with "*" matches must have a
// public address. Their directories are left out, and so are URLs that cannot be fetched over a
// network.
func TestMirrorProsperoOthers(t *testing.T) {
	s := &site{
		lists: entriesOf(t, map[string][]string{"prospero://h/": {
			"file web http://other/x", "file page http://any.example/p", "file no http://third/x", "dir ftp ftp://other/d/",
			"file local file:///etc/passwd", "file far prospero://h//far", "file mail mid:x@y",
		}}),
		moved: map[string]string{"prospero://h//far": "ftp://other/far"},
		types: map[string]string{"http://any.example/p": "text/html"},
	}
	root, name := folder(t)
	var log eventLog
	report, err := Mirror(t.Context(), s, url.MustParse("prospero://h/"), root, MirrorOptions{TreeOptions: TreeOptions{Event: log.add}, OtherHosts: []string{"OTHER", "*.example"}})
	if err != nil || report.Failed > 0 || report.Files != 3 || report.Omitted != 2 || report.OmittedElsewhere != 1 {
		t.Errorf("Mirror = %+v, %v, want 3 files, 2 omitted and no failure", report, err)
	}
	compareTrees(t, contents(t, name), map[string]string{"web": "http://other/x", "page.html": "http://any.example/p", "far": "prospero://h//far"})
	if want := []string{"http://any.example/p"}; !slices.Equal(s.public, want) {
		t.Errorf("only public addresses were allowed for %q, want %q", s.public, want)
	}
}

// Two links of one name to different files are a failure: one of them is not in the copy.
func TestMirrorProsperoSameName(t *testing.T) {
	s := &site{lists: entriesOf(t, map[string][]string{"prospero://h/": {"file a prospero://h//1", "file a prospero://h//2"}})}
	root, _ := folder(t)
	if report, err := Mirror(t.Context(), s, url.MustParse("prospero://h/"), root, MirrorOptions{}); err != nil || report.Failed != 1 || report.Files != 1 {
		t.Errorf("Mirror = %+v, %v, want a file and a failure", report, err)
	}
}

// A mirror of a WAIS database has the documents in its catalog, by the names that the server gives
// their files. A mirror of a search has the documents that it finds.
func TestMirrorWAIS(t *testing.T) {
	doc := func(id, name, mediaType string) access.Entry {
		return access.Entry{Title: "A headline", URL: url.MustParse("wais://h/db/TEXT/" + id), Kind: access.Object, Type: mediaType, Size: -1, Name: name}
	}
	s := &site{lists: map[string][]access.Entry{
		"wais://h/db": {
			{Title: "text", Kind: access.Info, Size: -1},
			{Title: "Search db", URL: url.MustParse("wais://h/db"), Kind: access.Search, Size: -1},
			doc("src", "db.src", "application/x-wais-source"),
			{Title: "Catalog", URL: url.MustParse("wais://h/db/TEXT/cat"), Kind: access.Directory, Size: -1},
		},
		"wais://h/db/TEXT/cat": {
			doc("1", "/d/a.txt", "text/plain"), doc("2", "/d/README", "text/plain"), doc("3", "/d/page", "text/html"),
			doc("4", "../../etc/passwd", ""), doc("5", "no name", ""),
			{Title: "a page", URL: url.MustParse("http://other/x"), Kind: access.Unknown, Size: -1},
			{Title: "another database", URL: url.MustParse("wais://h/db2/TEXT/1"), Kind: access.Object, Size: -1},
		},
		"wais://h/db?words": {doc("1", "/d/a.txt", "text/plain"), doc("1", "/d/a.txt", "text/plain")},
		"wais://h/db?many":  {doc("1", "/d/a.txt", "text/plain"), {Title: "There may be more.", Kind: access.Info, Size: -1, Incomplete: fs.ErrInvalid}},
		"wais://h/bare":     {doc("src", "bare.src", "application/x-wais-source")},
		"wais://h/":         {{Title: "x.src", URL: url.MustParse("wais://h/INFO/WSRC/1"), Kind: access.Object, Type: "application/x-wais-source", Size: -1, Name: "x.src"}},
	}}
	all := map[string]string{
		"db.src": "wais://h/db/TEXT/src", "d/": "", "d/a.txt": "wais://h/db/TEXT/1", "d/README": "wais://h/db/TEXT/2", "d/page.html": "wais://h/db/TEXT/3",
		"%2E%2E/": "", "%2E%2E/%2E%2E/": "", "%2E%2E/%2E%2E/etc/": "", "%2E%2E/%2E%2E/etc/passwd": "wais://h/db/TEXT/4", "no name": "wais://h/db/TEXT/5",
	}
	one := map[string]string{"d/": "", "d/a.txt": "wais://h/db/TEXT/1"}
	for _, test := range []struct {
		url             string
		want            map[string]string
		omitted, failed int
	}{
		{"wais://h/db", all, 2, 0},
		{"wais://h/db?words", one, 0, 0},
		{"wais://h/db?many", one, 0, 1},
		{"wais://h/bare", map[string]string{}, 0, 1},
		{"wais://h/", map[string]string{"x.src": "wais://h/INFO/WSRC/1"}, 0, 0},
	} {
		root, name := folder(t)
		fill(t, name, map[string]string{"old": "old"})
		opts := MirrorOptions{TreeOptions: TreeOptions{Delete: true}}
		report, err := Mirror(t.Context(), s, url.MustParse(test.url), root, opts)
		if err != nil || report.Failed != test.failed || report.Omitted != test.omitted || (report.NotDeleted != nil) != (test.failed > 0) {
			t.Errorf("%s: %+v, %v, want %d failed and %d omitted", test.url, report, err, test.failed, test.omitted)
		}
		got := contents(t, name)
		delete(got, stateDir+"/")
		if test.failed > 0 { // then nothing is deleted
			test.want["old"] = "old"
		}
		compareTrees(t, got, test.want)
		delete(test.want, "old")
		if test.failed > 0 {
			continue
		}
		if report, err := Mirror(t.Context(), s, url.MustParse(test.url), root, opts); err != nil || report.Deleted+report.Failed > 0 || report.NotDeleted != nil {
			t.Errorf("%s again: %+v, %v", test.url, report, err)
		}
	}
	if _, err := tree.At(url.MustParse("wais://h/db/TEXT/x")); err == nil {
		t.Error("a document can be mirrored")
	}
}

// The demo's servers are copied whole over prospero and wais. The second run skips the files that
// are known to be the same.
func TestMirrorOldServers(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, map[string]string{
		"README": "read me", "pub/a.txt": "alpha", "pub/b c.html": "<p>bee", "pub/deep/pixel.gif": "GIF89a", "pub/latin.txt": "caf\xe9",
		"pub/dots.txt": ".\r\n..\r\n.", "pub/long.txt": noise(250_000),
	})
	addresses := serve(t, dir)
	var dialer net.Dialer
	c := &locus.Client{Retries: -1, Dial: dialer.DialContext}
	t.Cleanup(func() { c.Close() })
	want := contents(t, dir)
	for _, test := range []struct {
		url   string
		extra string // a file that describes the database
		again int    // files that are fetched again, because nothing tells their times
	}{
		{"prospero://" + addresses["prospero"] + "/", "", 0},
		{"wais://" + addresses["wais"] + "/library", "library.src", 8},
	} {
		root, name := folder(t)
		u := url.MustParse(test.url)
		opts := MirrorOptions{TreeOptions: TreeOptions{Retry: hasty}, OtherHosts: []string{"127.0.0.1"}}
		if report, err := Mirror(t.Context(), c, u, root, opts); err != nil || report.Failed > 0 {
			t.Errorf("%s: %+v, %v", test.url, report, err)
		}
		got := contents(t, name)
		if _, ok := got[test.extra]; test.extra != "" && !ok {
			t.Errorf("%s: %s is missing", test.url, test.extra)
		}
		delete(got, test.extra)
		for _, n := range []string{"The library on the web", "The library on the web.html"} {
			delete(got, n)
		}
		compareTrees(t, got, want)
		if report, err := Mirror(t.Context(), c, u, root, opts); err != nil || report.Failed > 0 || report.Files > test.again+1 {
			t.Errorf("%s again: %+v, %v, want at most %d files", test.url, report, err, test.again)
		}
	}
}

// The menus of Minnesota gopherd begin selectors with the item type. It is in no name. Items with
// the same name, as from a .Links file, and errors in a menu are not failures, but they keep Delete
// from removing files.
func TestMirrorMinnesota(t *testing.T) {
	s := &site{lists: entriesOf(t, map[string][]string{
		"gopher://h/11/docs": {
			"file a gopher://h/00/docs/a.txt", "file a gopher://h/00/docs/a.txt", "file a gopher://h/90/docs/a.txt", "file b gopher://h/I9/docs/b.gif",
			"dir sub gopher://h/11/docs/sub", "file sub gopher://h/00/docs/sub", "file c gopher://h/00/other/c", "failure (NULL)",
		},
		"gopher://h/11/docs/sub": {"file d gopher://h/00/docs/sub/d"},
	})}
	root, name := folder(t)
	var log eventLog
	report, err := Mirror(t.Context(), s, url.MustParse("gopher://h/11/docs"), root, MirrorOptions{TreeOptions: TreeOptions{Event: log.add}})
	if err != nil || report.Failed > 0 || report.Omitted != 3 || report.OmittedElsewhere > 0 || report.Files != 3 {
		t.Errorf("Mirror = %+v, %v, want 3 files, 3 omitted and no failure", report, err)
	}
	want := map[string]string{
		"a.txt": "gopher://h/00/docs/a.txt", "b.gif": "gopher://h/I9/docs/b.gif", "sub/": "", "sub/d": "gopher://h/00/docs/sub/d",
	}
	got := contents(t, name)
	delete(got, stateDir+"/")
	compareTrees(t, got, want)
	var why []string
	for _, e := range log.of(Omitted) {
		why = append(why, e.Err.Error())
	}
	if text := strings.Join(why, "; "); !strings.Contains(text, "same local name") || !strings.Contains(text, `the menu reports an error: "(NULL)"`) {
		t.Errorf("the reasons are %q", why)
	}
	fill(t, name, map[string]string{"old": "old"})
	report, err = Mirror(t.Context(), s, url.MustParse("gopher://h/11/docs"), root, MirrorOptions{TreeOptions: TreeOptions{Delete: true}})
	if err != nil || report.NotDeleted == nil || report.Deleted > 0 {
		t.Errorf("Mirror = %+v, %v, want nothing to be deleted", report, err)
	}
}

// A name with more folders than a server's tree may have is refused, before a folder is made.
func TestMirrorDeepNames(t *testing.T) {
	deep := strings.Repeat("a/", 20_000) + "x"
	s := &site{lists: map[string][]access.Entry{
		"wais://h/db?x": {
			{Title: "deep", URL: url.MustParse("wais://h/db/TEXT/1"), Kind: access.Object, Size: -1, Name: deep},
			{Title: "fine", URL: url.MustParse("wais://h/db/TEXT/2"), Kind: access.Object, Size: -1, Name: "a/x"},
		},
		"gopher://h/1": {
			{Title: "deep", URL: url.MustParse("gopher://h/0/" + deep), Kind: access.Object, Size: -1},
			{Title: "fine", URL: url.MustParse("gopher://h/0/a/x"), Kind: access.Object, Size: -1},
		},
	}}
	for u := range s.lists {
		root, name := folder(t)
		report, err := Mirror(t.Context(), s, url.MustParse(u), root, MirrorOptions{})
		if err != nil || report.Failed != 1 || report.Files != 1 {
			t.Errorf("%s: %+v, %v, want one failure and one file", u, report, err)
		}
		got := contents(t, name)
		delete(got, stateDir+"/")
		if len(got) != 2 || got["a/x"] == "" {
			t.Errorf("%s: %d files and folders, want 2", u, len(got))
		}
	}
}

// A dry run knows that a file has the extension of its media type, and so would not delete it.
func TestMirrorDryRunTypedName(t *testing.T) {
	s := &site{
		lists: entriesOf(t, map[string][]string{"prospero://h/": {"file picture prospero://h//pic"}}),
		types: map[string]string{"prospero://h//pic": "image/gif"},
	}
	root, name := folder(t)
	for range 2 {
		if report, err := Mirror(t.Context(), s, url.MustParse("prospero://h/"), root, MirrorOptions{TreeOptions: TreeOptions{Delete: true}}); err != nil || report.Failed+report.Deleted > 0 {
			t.Fatalf("Mirror = %+v, %v", report, err)
		}
	}
	compareTrees(t, contents(t, name), map[string]string{"picture.gif": "prospero://h//pic"})
	var log eventLog
	report, err := Mirror(t.Context(), s, url.MustParse("prospero://h/"), root, MirrorOptions{TreeOptions: TreeOptions{Event: log.add, Delete: true, DryRun: true}})
	if doomed := log.names(WouldDelete); err != nil || len(doomed) > 0 {
		t.Errorf("Mirror = %+v, %v, and would delete %q", report, err, doomed)
	}
}

// If a file cannot be fetched, Delete keeps the copy of an earlier run, whose name has the
// extension of its type.
func TestMirrorTypedNameFailed(t *testing.T) {
	s := &site{
		lists: entriesOf(t, map[string][]string{
			"prospero://h/":   {"file picture prospero://h//pic", "dir sub prospero://h//s"},
			"prospero://h//s": {"file picture prospero://h//pic2", "file other prospero://h//o"},
		}),
		types: map[string]string{"prospero://h//pic": "image/gif", "prospero://h//pic2": "image/gif"},
	}
	isBroken := false
	engine := engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		if isBroken && strings.HasPrefix(req.URL.String(), "prospero://h//pic") && req.Op == access.Get {
			return nil, &access.Error{Op: "get", URL: req.URL, Err: fs.ErrPermission}
		}
		return s.Do(ctx, req)
	})
	want := map[string]string{"picture.gif": "prospero://h//pic", "sub/": "", "sub/picture.gif": "prospero://h//pic2", "sub/other": "prospero://h//o"}
	for _, isDryRun := range []bool{false, true} {
		isBroken = false
		root, name := folder(t)
		opts := MirrorOptions{TreeOptions: TreeOptions{Delete: true, Retry: never}}
		if report, err := Mirror(t.Context(), engine, url.MustParse("prospero://h/"), root, opts); err != nil || report.Failed+report.Deleted > 0 {
			t.Fatalf("before the one with DryRun %v, Mirror = %+v, %v, want no failure", isDryRun, report, err)
		}
		isBroken, opts.DryRun = true, isDryRun
		fill(t, name, map[string]string{"old": "old"})
		report, err := Mirror(t.Context(), engine, url.MustParse("prospero://h/"), root, opts)
		if err != nil || report.Failed != 2 || report.Deleted != 1 || report.NotDeleted != nil {
			t.Errorf("Mirror with a dry run %v = %+v, %v; want two failures, and that old alone is deleted", isDryRun, report, err)
		}
		got := contents(t, name)
		delete(got, "old")
		delete(got, stateDir+"/")
		compareTrees(t, got, want)
	}
}
