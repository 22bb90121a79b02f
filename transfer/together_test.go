package transfer

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"locus/retry"

	"locus"
	"locus/access"
	"locus/transfer/internal/fetch"
	"locus/url"
)

// A tardy gives its first half, and the rest once it may.
type tardy struct {
	io.Reader
	half   int
	halved func() // called when the first half has been written
	goOn   <-chan struct{}
}

func (s *tardy) Read(p []byte) (int, error) {
	if s.half == 0 {
		s.halved()
		<-s.goOn
		return s.Reader.Read(p)
	}
	n, err := s.Reader.Read(p[:min(len(p), s.half)])
	s.half -= n
	return n, err
}

func (s *tardy) Close() error { return nil }

// undated lists and gives files without modification times.
type undated struct{ access.Engine }

func (o undated) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	r, err := o.Engine.Do(ctx, req)
	if err != nil {
		return nil, err
	}
	r.ModTime = time.Time{}
	if d, ok := r.Body.(*dir); ok {
		for i := range d.entries {
			d.entries[i].ModTime = time.Time{}
		}
	}
	return r, nil
}

// Two mirrors that do not know of each other, because the folder of one was removed,
// never give a name to an incomplete file.
func TestMirrorUnaware(t *testing.T) {
	for _, test := range []struct {
		name string
		wrap func(access.Engine) access.Engine
		away func(root *os.Root) error
	}{
		{"removed", func(o access.Engine) access.Engine { return o }, func(root *os.Root) error { return root.RemoveAll(stateDir) }},
		{"removed, no times", func(o access.Engine) access.Engine { return undated{o} }, func(root *os.Root) error { return root.RemoveAll(stateDir) }},
		{"moved", func(o access.Engine) access.Engine { return o }, func(root *os.Root) error { return root.Rename(stateDir, "moved") }},
		{"moved, no times", func(o access.Engine) access.Engine { return undated{o} }, func(root *os.Root) error { return root.Rename(stateDir, "moved") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			root, dir := folder(t)
			text := noise(100_000)
			together(t, root, test.wrap(&shelf{files: map[string]string{"f": text}}), func() {
				if err := test.away(root); err != nil {
					t.Error(err)
				}
			}, text)
			if got := contents(t, dir)["f"]; got != text {
				t.Errorf("after both, f has %d bytes, %.20q", len(got), got)
			}
		})
	}
}

// together lets a mirror finish the file f while a second one, which began after away,
// has half of it.
func together(t *testing.T, root *os.Root, o access.Engine, away func(), text string) {
	t.Helper()
	mirror := func(o access.Engine) error {
		_, err := Mirror(t.Context(), o, url.MustParse("ftp://h/"), root, MirrorOptions{TreeOptions: TreeOptions{Retry: hasty}})
		return err
	}
	halved, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	half := sync.OnceFunc(func() { close(halved) })
	second := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		r, err := o.Do(ctx, req)
		if err == nil && strings.HasPrefix(req.URL.Path(), "/f") {
			r.Body = &tardy{r.Body, len(text) / 2, half, goOn}
		}
		return r, err
	})
	begun := false
	first := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		r, err := o.Do(ctx, req)
		if err == nil && strings.HasPrefix(req.URL.Path(), "/f") && !begun {
			r.Body = &between{r.Body, func() {
				begun = true
				away()
				go func() { ended <- mirror(second) }()
				<-halved
			}}
		}
		return r, err
	})
	if err := mirror(first); err != nil {
		t.Errorf("the first Mirror = %v", err)
	}
	if got, err := root.ReadFile("f"); err == nil && string(got) != text {
		t.Errorf("after the first Mirror, f has %d bytes of %d", len(got), len(text))
	}
	close(goOn)
	if err := <-ended; err != nil && !errors.Is(err, ErrBusy) {
		t.Errorf("the second Mirror = %v", err)
	}
}

// A Get whose part was removed does not harm a second Get that began meanwhile,
// however the first one ends.
func TestGetTakenOver(t *testing.T) {
	for _, test := range []struct {
		name string
		end  error // of the first
		want error
	}{
		{"complete", io.EOF, ErrBusy},
		{"broken", io.ErrUnexpectedEOF, io.ErrUnexpectedEOF},
		{"refused", access.ErrProtocol, access.ErrProtocol},
	} {
		t.Run(test.name, func(t *testing.T) {
			root, dir := folder(t)
			one, two := noise(300_000), strings.Repeat("x", 300_000)
			halved, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error)
			half := sync.OnceFunc(func() { close(halved) })
			var log eventLog
			second := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
				r, err := (&store{text: two, version: access.Validator{ETag: `"2"`}}).Do(ctx, req)
				if err == nil {
					r.Body = &tardy{r.Body, len(two) / 2, half, goOn}
				}
				return r, err
			})
			begun := false
			first := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
				r, err := (&store{text: one, version: access.Validator{ETag: `"1"`}}).Do(ctx, req)
				if err == nil && !begun {
					r.Body = &ending{&between{r.Body, func() {
						begun = true
						if err := root.Remove("f.part"); err != nil {
							t.Error(err)
						}
						go func() {
							_, err := Get(ctx, second, request("http://other/"), root, "f", Options{Retry: hasty, Event: log.add})
							ended <- err
						}()
						<-halved
					}}, test.end}
				}
				return r, err
			})
			if _, err := Get(t.Context(), first, request("http://h/"), root, "f", Options{Retry: retry.Policy{Retries: -1}}); !errors.Is(err, test.want) {
				t.Errorf("the first Get = %v, want %v", err, test.want)
			}
			if _, err := root.Lstat("f"); err == nil {
				t.Error("f is there before the second has come to its end")
			}
			if s := fetch.LoadState(root, "f.part.json"); s == nil || s.ETag != `"2"` {
				t.Errorf("the state is %+v, want that of the second", s)
			}
			close(goOn)
			if err := <-ended; err != nil || len(log.of(Restarted)) > 0 {
				t.Errorf("the second Get = %v, restarted: %v", err, log.of(Restarted))
			}
			compareTrees(t, contents(t, dir), map[string]string{"f": two})
		})
	}
}

// An ending ends with another error.
type ending struct {
	io.ReadCloser
	err error
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	if err == io.EOF {
		err = e.err
	}
	return n, err
}

// Of many mirrors at once into one folder each is complete or reports ErrBusy.
func TestMirrorMany(t *testing.T) {
	root, dir := folder(t)
	files := &shelf{files: map[string]string{"a": "1", "b": noise(5000), "c": "333"}}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 40 {
				report, err := Mirror(t.Context(), files, url.MustParse("ftp://h/"), root, MirrorOptions{TreeOptions: TreeOptions{Retry: hasty, Event: func(e Event) {
					if e.Kind == Failed {
						t.Errorf("%s failed: %v", e.Name, e.Err)
					}
				}, Delete: true}})
				if err != nil && !errors.Is(err, ErrBusy) || report.Failed > 0 {
					t.Errorf("Mirror = %+v, %v", report, err)
				}
			}
		})
	}
	all.Wait()
	compareTrees(t, contents(t, dir), files.files)
}

// A mirror that is interrupted between two files keeps the ETags, and the earlier parts of the
// files that it did not reach.
func TestMirrorEndedBetween(t *testing.T) {
	for _, u := range []string{"ftp://h/", "http://h/"} {
		t.Run(u, func(t *testing.T) {
			root, dir := folder(t)
			left := map[string]string{
				stateDir + "/": "", stateDir + "/x.part": "half", stateDir + "/x.part.json": "{}",
				stateDir + "/" + etagsFile: `{"name":"b.html","etag":"\"1\"","size":1,"modified":"2026-03-04T05:06:07Z"}` + "\n",
			}
			fill(t, dir, left)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			files := &shelf{files: map[string]string{"a": "1", "b.html": "2"}}
			o := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
				if u == "http://h/" {
					return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/plain", Size: 1}, Body: &between{io.NopCloser(strings.NewReader("1")), cancel}}, nil
				}
				r, err := files.Do(ctx, req)
				if err == nil && strings.HasPrefix(req.URL.Path(), "/a") {
					r.Body = &between{r.Body, cancel}
				}
				return r, err
			})
			report, err := Mirror(ctx, o, url.MustParse(u), root, MirrorOptions{TreeOptions: TreeOptions{Retry: hasty, Jobs: 1}, IgnoreRobots: true})
			if !errors.Is(err, context.Canceled) || report.Failed > 0 || report.Files != 1 {
				t.Fatalf("Mirror = %+v, %v, want one file, and %v", report, err, context.Canceled)
			}
			got := contents(t, dir)
			for name, text := range left {
				if there, ok := got[name]; !ok || there != text {
					t.Errorf("%s is %q, want %q", name, there, text)
				}
			}
		})
	}
}

// Files that appear during a deletion stay, with their directories. So does the folder
// of another mirror below.
func TestMirrorDeleteMeanwhile(t *testing.T) {
	root, dir := folder(t)
	fill(t, dir, map[string]string{"old": "1", "gone": "1", "sub/old": "1", "full/old": "1", "low/" + stateDir + "/x.part": "half"})
	listed := 0
	files := &shelf{files: map[string]string{"a": "1"}}
	o := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		if req.URL.Path() == "/" {
			if listed++; listed > 1 {
				fill(t, dir, map[string]string{"new": "1", "full/new": "1"})
				if err := root.Remove("gone"); err != nil {
					t.Error(err)
				}
			}
		}
		return files.Do(ctx, req)
	})
	report, err := Mirror(t.Context(), o, url.MustParse("ftp://h/"), root, MirrorOptions{TreeOptions: TreeOptions{Retry: hasty, Delete: true}})
	if err != nil || report.Deleted != 4 || report.NotDeleted != nil || listed != 2 {
		t.Errorf("Mirror = %+v, %v, %d listings; want 4 deleted", report, err, listed)
	}
	compareTrees(t, contents(t, dir), map[string]string{
		"a": "1", "new": "1", "full/": "", "full/new": "1", "low/": "", "low/" + stateDir + "/": "", "low/" + stateDir + "/x.part": "half",
	})
}

// menus is a server with gopher menus, each a list of types and selectors. All else is
// "text".
func menus(menus map[string][]string) access.Engine {
	return access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		items, ok := menus[req.URL.Path()]
		if !ok {
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: io.NopCloser(strings.NewReader("text"))}, nil
		}
		var entries []access.Entry
		for _, item := range items {
			kind := access.Object
			if item[0] == '1' {
				kind = access.Directory
			}
			entries = append(entries, access.Entry{Title: item, URL: url.MustParse("gopher://h/" + item), Kind: kind, Size: -1})
		}
		return listed(req, &dir{entries: entries}), nil
	})
}

// A menu may have items of other directories. Their local directories may have files even if the
// directory of the menu is empty.
func TestMirrorElsewhere(t *testing.T) {
	root, name := folder(t)
	fill(t, name, map[string]string{"c/": "", "target": "mine"})
	if err := os.Symlink("../target", name+"/c/x"); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	o := menus(map[string][]string{"/1": {"1/d/"}, "/1/d/": {"0/c/x", "0/d/y", "0/e/f/z"}})
	report, err := Mirror(t.Context(), o, url.MustParse("gopher://h/1"), root, MirrorOptions{TreeOptions: TreeOptions{Retry: hasty}})
	if err != nil || report.Failed != 1 || report.Files != 2 {
		t.Errorf("Mirror = %+v, %v, want two files and one failed", report, err)
	}
	got := contents(t, name)
	delete(got, stateDir+"/")
	compareTrees(t, got, map[string]string{
		"c/": "", "c/x": "-> ../target", "target": "mine", "d/": "", "d/y": "text",
		"e/": "", "e/f/": "", "e/f/z": "text",
	})
}

// A link that takes the place of a file or directory during the download is not
// written through.
func TestMirrorLinkMeanwhile(t *testing.T) {
	// attack: A symbolic link takes the place of a file or folder in the target of a mirror, before or during the
	// download | the mirror does not write through the link
	for _, at := range []string{"f", "sub"} {
		t.Run(at, func(t *testing.T) {
			outside := t.TempDir()
			fill(t, outside, map[string]string{"g": "secret"})
			if err := os.Symlink("g", outside+"/link"); err != nil {
				t.Skip("no symbolic links here:", err)
			}
			from, source := folder(t)
			fill(t, source, map[string]string{"f": "1", "sub/g": "2"})
			root, dir := folder(t)
			fill(t, dir, map[string]string{"mine": "secret"})
			local := &locus.Client{Retries: -1, Root: from}
			o := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
				r, err := local.Do(ctx, req)
				name := strings.TrimPrefix(req.URL.Path(), "/")
				if err == nil && (at == "f" && name == "f" || at == "sub" && name == "sub/g") {
					r.Body = &between{r.Body, func() {
						to := "mine"
						if at == "sub" {
							to = outside
							if err := root.Remove("sub"); err != nil {
								t.Error(err)
							}
						}
						if err := os.Symlink(to, dir+"/"+at); err != nil {
							t.Error(err)
						}
					}}
				}
				return r, err
			})
			report, err := Mirror(t.Context(), o, url.MustParse("file:///"), root, MirrorOptions{})
			if failed := at == "sub"; err != nil || (report.Failed > 0) != failed {
				t.Errorf("Mirror = %+v, %v, want failed: %v", report, err, failed)
			}
			compareTrees(t, contents(t, outside), map[string]string{"g": "secret", "link": "-> g"})
			if got := contents(t, dir)["mine"]; got != "secret" {
				t.Errorf("what the link leads to is %q", got)
			}
		})
	}
}
