package transfer

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locus"
	"locus/access"
	"locus/url"
)

// An engineFunc is an Engine.
type engineFunc func(ctx context.Context, req *access.Request) (*access.Resource, error)

func (f engineFunc) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	return f(ctx, req)
}

// deployFiles returns a deployment of files to another folder.
func deployFiles(t *testing.T, files map[string]string) *deployment {
	t.Helper()
	return deploy(t, targetServer{name: "file", dir: "www"}, files)
}

// sendOnce returns the report and the events.
func (d *deployment) sendOnce(t *testing.T, opts SendOptions) (Report, *eventLog) {
	t.Helper()
	log := &eventLog{}
	opts.Event, opts.Manifest.Dir, opts.Retry = log.add, d.state, hasty
	report, err := Send(t.Context(), d.from, d.to, opts)
	if err != nil {
		t.Errorf("Send = %v", err)
	}
	return report, log
}

func TestSendLinks(t *testing.T) {
	d := deployFiles(t, map[string]string{"a": "a", "sub/": ""})
	for name, to := range map[string]string{"inside": "a", "outside": "/etc/hosts", "above": "../x", "nothing": "none", "dir": "sub", "loop": "."} {
		symlink(t, to, filepath.Join(d.source, name))
	}
	if report, log := d.sendOnce(t, SendOptions{}); report.Files != 2 || report.Failed != 0 || len(log.of(Skipped)) != 5 {
		t.Errorf("Send = %+v, %v skipped", report, log.names(Skipped))
	}
	compareTrees(t, contents(t, d.target), map[string]string{"a": "a", "inside": "a", "sub/": ""})
	d.to.URL = url.MustParse("file:///other")
	if report, log := d.sendOnce(t, SendOptions{SkipLinks: true}); report.Files != 1 || len(log.of(Skipped)) != 6 {
		t.Errorf("Send without links = %+v, %v skipped", report, log.names(Skipped))
	}
}

// A link of the target does not lead a file out of it.
func TestSendTargetLinks(t *testing.T) {
	// attack: A symbolic link takes the place of a file or folder in the target of a mirror, before or during the
	// download
	d := deployFiles(t, map[string]string{"sub/a": "new", "b": "new"})
	_, outside := folder(t)
	fill(t, outside, map[string]string{"a": "old"})
	check(t, os.MkdirAll(d.target, 0o777))
	symlink(t, outside, filepath.Join(d.target, "sub"))
	symlink(t, filepath.Join(outside, "a"), filepath.Join(d.target, "b"))
	report, _ := d.sendOnce(t, SendOptions{TreeOptions: TreeOptions{Delete: true}})
	if report.Failed == 0 {
		t.Errorf("Send through links = %+v, want failures", report)
	}
	compareTrees(t, contents(t, outside), map[string]string{"a": "old"})
}

// A file of the target that is newer stays, unless an earlier run sent it.
func TestSendNewer(t *testing.T) {
	d := deployFiles(t, map[string]string{"a": "first"})
	d.send(t, SendOptions{}, 1, 0, 0)
	fill(t, d.target, map[string]string{"a": "edited there"})
	later := time.Date(2026, 5, 1, 0, 0, 1, 0, time.UTC)
	check(t, os.Chtimes(filepath.Join(d.target, "a"), later, later))
	report, log := d.sendOnce(t, SendOptions{})
	if skipped := log.of(Skipped); report.Newer != 1 || report.Files != 0 || len(skipped) != 1 || !errors.Is(skipped[0].Err, ErrNewer) {
		t.Errorf("Send = %+v, %v, want one that is newer", report, skipped)
	}
	d.send(t, SendOptions{Replace: true}, 1, 0, 0)
	compareTrees(t, contents(t, d.target), map[string]string{"a": "first"})
}

func TestSendPermissions(t *testing.T) {
	d := deployFiles(t, map[string]string{"run": "x"})
	check(t, os.Chmod(filepath.Join(d.source, "run"), 0o750))
	d.send(t, SendOptions{Permissions: true}, 1, 0, 0)
	info, err := os.Stat(filepath.Join(d.target, "run"))
	check(t, err)
	if info.Mode().Perm() != 0o750 {
		t.Errorf("the file has %v, want -rwxr-x---", info.Mode())
	}
}

// Delete keeps all files if it would remove too many, or if the source was not read completely.
func TestSendDeletesNothing(t *testing.T) {
	files := map[string]string{"a": "a", "sub/b": "b"}
	there := map[string]string{"a": "a", "sub/": "", "sub/b": "b", "old/": "", "old/x": "x", "old/y": "y"}
	for _, test := range []struct {
		what  string
		opts  SendOptions
		wrap  func(access.Engine) access.Engine // the source
		clear bool                              // the source is empty
	}{
		{what: "too many", opts: SendOptions{TreeOptions: TreeOptions{MaxDelete: 2}}},
		{what: "an empty source", clear: true},
		{what: "a folder that cannot be read", wrap: func(e access.Engine) access.Engine {
			return engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
				if strings.HasSuffix(req.URL.Path(), "/sub/") {
					return nil, &access.Error{Op: "list", URL: req.URL, Err: fs.ErrPermission}
				}
				return e.Do(ctx, req)
			})
		}},
		{what: "a file that cannot be read", wrap: func(e access.Engine) access.Engine {
			return engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
				if strings.HasSuffix(req.URL.Path(), "/b") {
					return nil, &access.Error{Op: "open", URL: req.URL, Err: fs.ErrPermission}
				}
				return e.Do(ctx, req)
			})
		}},
		{what: "a listing cut short", wrap: func(e access.Engine) access.Engine {
			return engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
				r, err := e.Do(ctx, req)
				if err == nil && r.List != nil && req.URL.Path() == "/" {
					r.List = without{r.List, "sub"}
				}
				return r, err
			})
		}},
	} {
		d := deployFiles(t, files)
		if test.what != "a file that cannot be read" {
			d.send(t, SendOptions{}, 2, 0, 0)
		} else {
			fill(t, d.target, map[string]string{"a": "a", "sub/b": "b"})
			fill(t, d.source, map[string]string{"sub/b": "changed"})
		}
		fill(t, d.target, map[string]string{"old/x": "x", "old/y": "y"})
		if test.clear {
			check(t, os.RemoveAll(filepath.Join(d.source, "sub")))
			check(t, os.Remove(filepath.Join(d.source, "a")))
		}
		if test.wrap != nil {
			d.from.Engine = test.wrap(d.from.Engine)
		}
		test.opts.Delete = true
		report, _ := d.sendOnce(t, test.opts)
		if report.NotDeleted == nil || report.Deleted != 0 {
			t.Errorf("%s: Send = %+v, want nothing deleted", test.what, report)
		}
		compareTrees(t, contents(t, d.target), there)
	}
}

// without is a listing without one name.
type without struct {
	access.Lister
	name string
}

func (w without) Next() (access.Entry, error) {
	e, err := w.Lister.Next()
	if err == nil && e.Title == w.name {
		return w.Lister.Next()
	}
	return e, err
}

// Delete keeps excluded files and their directories.
func TestSendDelete(t *testing.T) {
	d := deployFiles(t, map[string]string{"a": "a"})
	d.send(t, SendOptions{}, 1, 0, 0)
	fill(t, d.target, map[string]string{"old/x": "x", "old/keep.log": "k", "gone/y": "y", "keep.log": "k", "x.part-0123abcd": "p", "a.part-0123abcd": "p"})
	d.send(t, SendOptions{TreeOptions: TreeOptions{Delete: true, MaxDelete: 4, Filter: Filter{Exclude: []string{"*.log"}}}}, 0, 1, 4)
	compareTrees(t, contents(t, d.target), map[string]string{"a": "a", "old/": "", "old/keep.log": "k", "keep.log": "k"})
}

// The part of an upload that was killed is removed without Delete.
func TestSendLeftovers(t *testing.T) {
	d := deployFiles(t, map[string]string{"a": "a"})
	fill(t, d.target, map[string]string{"a.part-0123abcd": "p", ".locus-ABCDEFGHIJKLMNOPQRSTUVWXYZ": "p", "b.part-0123abcd": "another's", "a.part-1": "another's"})
	d.send(t, SendOptions{TreeOptions: TreeOptions{DryRun: true}}, 1, 0, 0)
	d.send(t, SendOptions{}, 1, 0, 0)
	compareTrees(t, contents(t, d.target), map[string]string{"a": "a", "b.part-0123abcd": "another's", "a.part-1": "another's"})
}

// A file that changes while it is read is reported, and not stored.
func TestSendChanging(t *testing.T) {
	d := deployFiles(t, map[string]string{"a": "a", "log": noise(100 << 10), "z": "z"})
	fill(t, d.target, map[string]string{"log": "old"})
	past := time.Date(2025, 1, 1, 0, 0, 1, 0, time.UTC)
	check(t, os.Chtimes(filepath.Join(d.target, "log"), past, past))
	target := d.to.Engine
	d.to.Engine = engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		if req.Op == access.Put && strings.HasSuffix(req.URL.Path(), "/log") {
			body := req.Body
			req = req.WithOp(access.Put)
			req.Body = io.MultiReader(io.LimitReader(body, 10), readerFunc(func(p []byte) (int, error) {
				now := time.Now()
				if err := os.Chtimes(filepath.Join(d.source, "log"), now, now); err != nil { // the size stays
					return 0, err
				}
				return body.Read(p)
			}))
		}
		return target.Do(ctx, req)
	})
	report, log := d.sendOnce(t, SendOptions{TreeOptions: TreeOptions{Delete: true}})
	if failed := log.of(Failed); report.Failed != 1 || report.Files != 2 || len(failed) != 1 || !errors.Is(failed[0].Err, access.ErrChanged) {
		t.Errorf("Send = %+v, %v, want that log changed", report, failed)
	}
	compareTrees(t, contents(t, d.target), map[string]string{"a": "a", "log": "old", "z": "z"})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// A listing whose names lead elsewhere does not make a file outside of the target.
func TestSendHostileNames(t *testing.T) {
	for _, name := range []string{"%2E%2E%2Fx", "..%2Fx", "a%2Fb", "%2E%2E", ".", "", "a%00b"} {
		d := deployFiles(t, nil)
		source := d.from.Engine
		d.from.Engine = engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
			if req.Op != access.Get || req.URL.Path() != "/" {
				return &access.Resource{Entry: access.Entry{URL: req.URL, Kind: access.Object, Size: 1}, Body: io.NopCloser(strings.NewReader("x"))}, nil
			}
			r, err := source.Do(ctx, req)
			if err == nil {
				r.List = &entryList{{Title: name, URL: url.MustParse("file:///" + name), Kind: access.Object, Size: 1}}
			}
			return r, err
		})
		d.sendOnce(t, SendOptions{})
		if got := contents(t, filepath.Dir(d.target)); len(got) > 1 {
			t.Errorf("%q makes %q", name, got)
		}
	}
}

type entryList []access.Entry

func (l *entryList) Next() (access.Entry, error) {
	if len(*l) == 0 {
		return access.Entry{}, io.EOF
	}
	e := (*l)[0]
	*l = (*l)[1:]
	return e, nil
}

// A server that says that it has stored a file, and has not, is found out.
func TestSendLyingTarget(t *testing.T) {
	for what, lie := range map[string]func(name string) error{
		"a part":  func(name string) error { return os.Truncate(name, 1) },
		"nothing": os.Remove,
	} {
		d := deployFiles(t, map[string]string{"a": "whole", "b": "b"})
		target := d.to.Engine
		d.to.Engine = engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
			r, err := target.Do(ctx, req)
			if err == nil && req.Op == access.Put && strings.HasSuffix(req.URL.Path(), "/a") {
				err = lie(filepath.Join(d.target, "a"))
			}
			return r, err
		})
		report, log := d.sendOnce(t, SendOptions{})
		if report.Failed != 1 || len(log.names(Failed)) != 1 || log.names(Failed)[0] != "a" {
			t.Errorf("a target with %s: %+v, %v", what, report, log.of(Failed))
		}
		d.to.Engine = target
		d.send(t, SendOptions{Replace: true}, 1, 1, 0)
		compareTrees(t, contents(t, d.target), map[string]string{"a": "whole", "b": "b"})
	}
}

// On a server that ignores case, a name in another case is the same file, and is not deleted.
func TestSendFoldedNames(t *testing.T) {
	d := deployFiles(t, map[string]string{"Readme": "new", "Docs/x": "x"})
	fill(t, d.target, map[string]string{"readme": "old", "docs/x": "x"})
	target := d.to.Engine
	fold := strings.NewReplacer("Readme", "readme", "Docs", "docs")
	d.to.Engine = engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		folded := *req
		folded.URL = url.MustParse(fold.Replace(req.URL.String()))
		return target.Do(ctx, &folded)
	})
	report, _ := d.sendOnce(t, SendOptions{TreeOptions: TreeOptions{Delete: true}, Replace: true})
	if report.NotDeleted == nil || report.Deleted > 0 {
		t.Errorf("Send = %+v, want nothing deleted", report)
	}
	compareTrees(t, contents(t, d.target), map[string]string{"readme": "new", "docs/": "", "docs/x": "x"})
}

// An interrupted Send goes on where it was.
func TestSendInterrupted(t *testing.T) {
	files := map[string]string{}
	for _, name := range strings.Fields("a b c d e f g h i j") {
		files[name] = name
	}
	d := deployFiles(t, files)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := 0
	_, err := Send(ctx, d.from, d.to, SendOptions{TreeOptions: TreeOptions{Jobs: 1, Event: func(e Event) {
		if e.Kind == Done {
			if done++; done == 4 {
				cancel()
			}
		}
	}}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Send = %v, want context.Canceled", err)
	}
	d.send(t, SendOptions{}, len(files)-done, done, 0)
	compareTrees(t, contents(t, d.target), files)
}

func TestSendErrors(t *testing.T) {
	d := deployFiles(t, map[string]string{"a": "a", "b": "b"})
	to := d.to
	for _, test := range []struct {
		what string
		url  string
		opts SendOptions
		want error
	}{
		{"a menu", "gopher://h/1/", SendOptions{}, errors.ErrUnsupported},
		{"too many entries", "file:///www", SendOptions{TreeOptions: TreeOptions{MaxEntries: 1}}, ErrTooManyEntries},
	} {
		d.to = Endpoint{Engine: to.Engine, URL: url.MustParse(test.url)}
		if _, err := Send(t.Context(), d.from, d.to, test.opts); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.what, err, test.want)
		}
	}
	if _, err := Send(t.Context(), d.from, to, SendOptions{TreeOptions: TreeOptions{Filter: Filter{Exclude: []string{"["}}}}); err == nil {
		t.Error("an invalid pattern gives no error")
	}
	d.from.URL = url.MustParse("file:///none")
	if report, err := Send(t.Context(), d.from, to, SendOptions{TreeOptions: TreeOptions{Delete: true}}); err != nil || report.Failed != 1 || report.NotDeleted == nil {
		t.Errorf("Send of nothing = %+v, %v", report, err)
	}
}

// A tree that is in the other is not sent: it would be copied into itself without end, or deleted
// as a file that only the target has.
func TestSendOverlap(t *testing.T) {
	for _, test := range []struct {
		from, to string
		opts     SendOptions
		ok       bool
	}{
		{"file:///a/b/", "file:///a/b", SendOptions{}, false},
		{"file:///a/", "file:///a/b/", SendOptions{}, false},
		{"file:///a/", "file:///a/new/deep/", SendOptions{}, false},
		{"file:///a/", "file:///a/b/", SendOptions{TreeOptions: TreeOptions{Filter: Filter{Exclude: []string{"b"}}}}, true},
		{"file:///a/b/", "file:///a/", SendOptions{TreeOptions: TreeOptions{Delete: true}}, false},
		{"file:///a/b/", "file:///", SendOptions{TreeOptions: TreeOptions{Delete: true}}, false},
		{"file:///a/b/", "file:///", SendOptions{TreeOptions: TreeOptions{Delete: true, Filter: Filter{Exclude: []string{"/a/"}}}}, true},
		{"file:///a/b/", "file:///a/", SendOptions{}, true},
		{"file:///a/b/", "file:///a/bc/", SendOptions{TreeOptions: TreeOptions{Delete: true}}, true},
	} {
		root, dir := folder(t)
		fill(t, dir, map[string]string{"a/b/x": "x", "a/y": "y"})
		before := contents(t, dir)
		client := &locus.Client{Retries: -1, Root: root}
		_, err := Send(t.Context(), Endpoint{Engine: client, URL: url.MustParse(test.from)}, Endpoint{Engine: client, URL: url.MustParse(test.to)}, test.opts)
		if errors.Is(err, ErrOverlap) == test.ok || (err == nil) != test.ok {
			t.Errorf("Send from %s to %s, %+v = %v", test.from, test.to, test.opts.Filter, err)
		}
		after := contents(t, dir)
		for name := range before {
			if _, ok := after[name]; !ok {
				t.Errorf("Send from %s to %s has deleted %s", test.from, test.to, name)
			}
		}
		if !test.ok && len(after) != len(before) {
			t.Errorf("Send from %s to %s has changed something: %q", test.from, test.to, after)
		}
	}
}

// A link of the target to a directory inside of it is not followed: the end of a part belongs to
// another name.
func TestSendInnerLinks(t *testing.T) {
	d := deployFiles(t, map[string]string{"a/x": "x", "b/y": "y"})
	fill(t, d.target, map[string]string{"b/y": "y"})
	symlink(t, "b", filepath.Join(d.target, "a"))
	report, _ := d.sendOnce(t, SendOptions{TreeOptions: TreeOptions{Delete: true}})
	if report.Failed != 1 || report.NotDeleted == nil || report.Deleted != 0 {
		t.Errorf("Send = %+v, want one failure and nothing deleted", report)
	}
	compareTrees(t, contents(t, d.target), map[string]string{"a": "-> b", "b/": "", "b/y": "y"})
}
