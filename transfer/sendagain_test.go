package transfer

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// Two runs at once to one target do not remove the files that the other is writing, with one
// manifest or two.
func TestSendTwiceAtOnce(t *testing.T) {
	for _, share := range []bool{true, false} {
		files := map[string]string{"a": noise(100 << 10), "sub/b": noise(200 << 10)}
		d := deployFiles(t, files)
		target := d.to.Engine
		waits, goOn := make(chan bool, 100), make(chan bool)
		slow := engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
			if req.Op == access.Put {
				body := req.Body
				req = req.WithOp(access.Put)
				req.Body = io.MultiReader(io.LimitReader(body, 1000), readerFunc(func([]byte) (int, error) {
					waits <- true
					<-goOn
					return 0, io.EOF
				}), body)
			}
			return target.Do(ctx, req)
		})
		var first Report
		var err error
		var done sync.WaitGroup
		state := d.state
		done.Go(func() {
			first, err = Send(t.Context(), d.from, Endpoint{Engine: slow, URL: d.to.URL}, SendOptions{TreeOptions: TreeOptions{Jobs: 1}, Manifest: Manifest{Dir: state}})
		})
		if !share {
			d.state, _ = folder(t)
		}
		<-waits
		d.send(t, SendOptions{TreeOptions: TreeOptions{Delete: true}}, 2, 0, 0)
		goOn <- true
		<-waits
		d.send(t, SendOptions{TreeOptions: TreeOptions{Delete: true}}, 0, 2, 0)
		close(goOn)
		done.Wait()
		if err != nil || first.Failed > 0 || first.Files != 2 {
			t.Errorf("share %v: the first of two runs: %+v, %v", share, first, err)
		}
		compareTrees(t, contents(t, d.target), map[string]string{"a": files["a"], "sub/": "", "sub/b": files["sub/b"]})
		d.state = state
		d.send(t, SendOptions{TreeOptions: TreeOptions{Delete: true}}, 0, 2, 0)
	}
}

// A dry run reports what Delete would remove, also if an earlier upload was killed.
func TestSendDryRunLeftovers(t *testing.T) {
	d := deployFiles(t, map[string]string{"a": "a"})
	d.send(t, SendOptions{}, 1, 0, 0)
	fill(t, d.target, map[string]string{"a.part-0123abcd": "p", "old": "o"})
	d.send(t, SendOptions{TreeOptions: TreeOptions{Delete: true, DryRun: true}}, 0, 1, 1)
}

// Of names that a server does not tell apart, one is sent, and the other fails.
func TestSendCaseBlind(t *testing.T) {
	for what, find := range map[string]func(dir, path string) string{
		"a server that makes all names lower case":   func(_, path string) string { return strings.ToLower(path) },
		"a server that keeps the case of a new name": existing,
	} {
		d := deployFiles(t, map[string]string{"readme": "small", "README": "LARGE", "Docs/x": "x", "docs/y": "y", "other": "o"})
		target := d.to.Engine
		d.to.Engine = engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
			folded := *req
			folded.URL = url.MustParse("file://" + find(filepath.Dir(d.target), req.URL.Path()))
			return target.Do(ctx, &folded)
		})
		for range 2 {
			report, log := d.sendOnce(t, SendOptions{TreeOptions: TreeOptions{Delete: true, Jobs: 1}})
			failed := log.of(Failed)
			if report.Failed != 2 || report.NotDeleted == nil || !log.hasFailed("readme") || !log.hasFailed("docs") {
				t.Errorf("%s: Send = %+v, want two failures: %v", what, report, failed)
			}
			for _, e := range failed {
				if !strings.Contains(e.Err.Error(), "as the same name") {
					t.Errorf("%s: %s: %v", what, e.Name, e.Err)
				}
			}
			there := contents(t, d.target)
			if there["readme"]+there["README"] != "small" && there["readme"]+there["README"] != "LARGE" || there["other"] != "o" {
				t.Errorf("%s: the target has %q", what, there)
			}
		}
	}
}

// existing returns path in the case of the files that exist below dir.
func existing(dir, path string) string {
	found := ""
	for segment := range strings.SplitSeq(path, "/") {
		entries, _ := os.ReadDir(filepath.Join(dir, found))
		for _, e := range entries {
			if strings.EqualFold(e.Name(), segment) {
				segment = e.Name()
			}
		}
		found += segment + "/"
	}
	return strings.TrimSuffix(found, "/")
}

// hasFailed reports whether a file has failed, in any case of its name.
func (l *eventLog) hasFailed(name string) bool {
	return slices.ContainsFunc(l.names(Failed), func(n string) bool { return strings.EqualFold(n, name) })
}

// On a server that tells names apart, all are sent.
func TestSendTwins(t *testing.T) {
	files := map[string]string{"readme": "small", "README": "LARGE", "Docs/": "", "Docs/x": "x", "docs/": "", "docs/y": "y"}
	d := deployFiles(t, files)
	d.send(t, SendOptions{}, 4, 0, 0)
	d.send(t, SendOptions{TreeOptions: TreeOptions{Delete: true}}, 0, 4, 0)
	compareTrees(t, contents(t, d.target), files)
}

// A link that the server says it has deleted, and that stays, is a failure.
func TestSendLinkStays(t *testing.T) {
	d := deployFiles(t, map[string]string{"a": "a"})
	d.send(t, SendOptions{}, 1, 0, 0)
	symlink(t, "..", filepath.Join(d.target, "up"))
	target := d.to.Engine
	d.to.Engine = engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		if req.Op == access.Delete {
			return &access.Resource{Body: access.NoBody}, nil
		}
		return target.Do(ctx, req)
	})
	report, log := d.sendOnce(t, SendOptions{TreeOptions: TreeOptions{Delete: true}})
	if report.Deleted != 0 || report.Failed != 1 || len(log.names(Failed)) != 1 || log.names(Failed)[0] != "up" {
		t.Errorf("Send = %+v, %v: want that up was not deleted", report, log.of(Failed))
	}
}

// A patchy is a target whose connections break. It keeps parts, as ftp does.
type patchy struct {
	access.Engine
	dir string // of the target

	mu    sync.Mutex
	cuts  []int64 // after so many bytes the next uploads break
	lies  bool    // what it has of an upload is shown too large
	begun []int64 // the offsets of uploads
}

func (p *patchy) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	if req.Op != access.Put || req.Part == "" {
		r, err := p.Engine.Do(ctx, req)
		if err == nil && p.lies && req.Op == access.Stat && strings.Contains(req.URL.Path(), ".part-") {
			r.Size += 7
		}
		return r, err
	}
	p.mu.Lock()
	p.begun = append(p.begun, req.Offset)
	cut := int64(-1)
	if len(p.cuts) > 0 {
		cut, p.cuts = p.cuts[0], p.cuts[1:]
	}
	p.mu.Unlock()
	name := filepath.Join(p.dir, path.Base(req.URL.Path()))
	part := engine.PartName(name, req.Part)
	if info, err := os.Stat(part); req.Offset > 0 && (err != nil || info.Size() != req.Offset) {
		return nil, &access.Error{Op: "put", URL: req.URL, Err: access.ErrRange}
	}
	body := req.Body
	if cut >= 0 {
		body = io.LimitReader(body, cut)
	}
	err := appendTo(part, req.Offset, body)
	if err == nil && cut >= 0 {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		err = os.Rename(part, name)
	}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: access.NoBody}, engine.Fail("put", req.URL, err)
}

// appendTo writes to a file from an offset on, which is where it ends.
func appendTo(name string, offset int64, r io.Reader) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if offset == 0 {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(name, flags, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}

// breaking returns a deployment of one large file to a target whose uploads break, after it
// was sent once in part.
func breaking(t *testing.T, cuts ...int64) (*deployment, *patchy, string) {
	t.Helper()
	text := noise(4 << 20)
	d := deployFiles(t, map[string]string{"large": text})
	p := &patchy{Engine: d.to.Engine, dir: d.target, cuts: cuts}
	d.to.Engine = p
	return d, p, text
}

// A large file whose connection broke goes on where it was.
func TestSendContinues(t *testing.T) {
	d, p, text := breaking(t, 100, 3<<20, 0, 1000)
	d.send(t, SendOptions{}, 1, 0, 0)
	if want := []int64{0, 0, 3 << 20, 3 << 20, 3<<20 + 1000}; !slices.Equal(p.begun, want) {
		t.Errorf("the uploads begin at %d, want %d", p.begun, want)
	}
	compareTrees(t, contents(t, d.target), map[string]string{"large": text})
}

// As long as each try gets on, there is another one.
func TestSendContinuesForLong(t *testing.T) {
	cuts := []int64{1 << 20}
	for range 45 {
		cuts = append(cuts, 64<<10)
	}
	d, p, text := breaking(t, cuts...)
	var log eventLog
	report, err := Send(t.Context(), d.from, d.to, SendOptions{TreeOptions: TreeOptions{Event: log.add, Retry: hasty}})
	if err != nil || report.Files != 1 || len(p.begun) != 47 {
		t.Errorf("Send = %+v, %v after %d uploads: %v", report, err, len(p.begun), log.of(Failed))
	}
	if report.Bytes != 4<<20 {
		t.Errorf("%d bytes were sent, want %d", report.Bytes, 4<<20)
	}
	compareTrees(t, contents(t, d.target), map[string]string{"large": text})
}

// A later run goes on, if it remembers that its own run has broken off and the file is the
// same.
func TestSendContinuesLater(t *testing.T) {
	for _, test := range []struct {
		what   string
		change func(d *deployment)
		offset int64
	}{
		{"the same file", func(*deployment) {}, 2 << 20},
		{"another version", func(d *deployment) {
			fill(t, d.source, map[string]string{"large": strings.Repeat("x", 3<<20)})
		}, 0},
		{"another manifest", func(d *deployment) { d.state, _ = folder(t) }, 0},
		{"a part that was changed", func(d *deployment) {
			names, _ := filepath.Glob(filepath.Join(d.target, "*"))
			check(t, os.Truncate(names[0], 5<<20))
		}, 0},
	} {
		d, p, _ := breaking(t, 2<<20)
		report, err := Send(t.Context(), d.from, d.to, SendOptions{TreeOptions: TreeOptions{Retry: never}, Manifest: Manifest{Dir: d.state}})
		if err != nil || report.Failed != 1 {
			t.Fatalf("%s: Send = %+v, %v, want one failure", test.what, report, err)
		}
		test.change(d)
		p.begun = nil
		d.send(t, SendOptions{}, 1, 0, 0)
		if !slices.Equal(p.begun, []int64{test.offset}) {
			t.Errorf("%s: the upload begins at %d, want %d", test.what, p.begun, test.offset)
		}
		there := contents(t, d.target)
		if want := contents(t, d.source)["large"]; there["large"] != want {
			t.Errorf("%s: the file has %d bytes, want %d", test.what, len(there["large"]), len(want))
		}
		if test.what != "another manifest" && len(there) != 1 {
			t.Errorf("%s: %d files are left", test.what, len(there))
		}
	}
}

// Without a manifest, an upload that breaks off leaves no part.
func TestSendBrokenLeavesNothing(t *testing.T) {
	d, _, _ := breaking(t, 2<<20)
	report, err := Send(t.Context(), d.from, d.to, SendOptions{TreeOptions: TreeOptions{Retry: never}})
	if left := contents(t, d.target); err != nil || report.Failed != 1 || len(left) != 0 {
		t.Errorf("Send = %+v, %v leaves %d files", report, err, len(left))
	}
}

// A server that says that it has more of a part than it has gets the file from its start.
func TestSendContinuesLiar(t *testing.T) {
	d, p, text := breaking(t, 2<<20)
	p.lies = true
	d.send(t, SendOptions{}, 1, 0, 0)
	if want := []int64{0, 2<<20 + 7, 0}; !slices.Equal(p.begun, want) {
		t.Errorf("the uploads begin at %d, want %d", p.begun, want)
	}
	compareTrees(t, contents(t, d.target), map[string]string{"large": text})
}

// The parts of other runs stay for two days, with Delete too.
func TestSendKeepsPartsOfOthers(t *testing.T) {
	d := deployFiles(t, map[string]string{"a": "a"})
	fill(t, d.target, map[string]string{"a.part-0123abcd": "p", "x.part-0123456789abcdef": "p", ".locus-ABCDEFGHIJKLMNOPQRSTUVWXYZ": "p"})
	now := time.Now()
	for name := range contents(t, d.target) {
		check(t, os.Chtimes(filepath.Join(d.target, name), now, now))
	}
	d.send(t, SendOptions{TreeOptions: TreeOptions{Delete: true}}, 1, 0, 0)
	if left := contents(t, d.target); len(left) != 4 {
		t.Errorf("the target has %q", left)
	}
	past := now.Add(-49 * time.Hour)
	for name := range contents(t, d.target) {
		if name != "a" {
			check(t, os.Chtimes(filepath.Join(d.target, name), past, past))
		}
	}
	d.send(t, SendOptions{TreeOptions: TreeOptions{Delete: true}}, 0, 1, 1) // x does not belong to the source
	compareTrees(t, contents(t, d.target), map[string]string{"a": "a"})
}

var errNoFile = errors.New("no file")

// A failure that does not pass leaves no part either.
func TestSendFailsForGood(t *testing.T) {
	d := deployFiles(t, map[string]string{"a": noise(2 << 20)})
	source := d.from.Engine
	d.from.Engine = engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		r, err := source.Do(ctx, req)
		if err == nil && req.Op == access.Get && r.List == nil {
			r.Body = struct {
				io.Reader
				io.Closer
			}{io.MultiReader(io.LimitReader(r.Body, 1<<20), readerFunc(func([]byte) (int, error) { return 0, errNoFile })), r.Body}
		}
		return r, err
	})
	report, _ := d.sendOnce(t, SendOptions{})
	if left := contents(t, d.target); report.Failed != 1 || len(left) != 0 {
		t.Errorf("Send = %+v leaves %d files", report, len(left))
	}
	if _, err := fs.Stat(d.root.FS(), "a"); err != nil {
		t.Error(err)
	}
}

// All runs are remembered that were killed, not the last ones only.
func TestSendKilledOften(t *testing.T) {
	d, _, _ := breaking(t, 2<<20)
	opts := SendOptions{TreeOptions: TreeOptions{Retry: never}, Manifest: Manifest{Dir: d.state}}
	if _, err := Send(t.Context(), d.from, d.to, opts); err != nil {
		t.Fatal(err)
	}
	for range 40 {
		ctx, cancel := context.WithCancel(t.Context())
		opts.Event = func(Event) { cancel() }
		if _, err := Send(ctx, d.from, d.to, opts); !errors.Is(err, context.Canceled) {
			t.Fatalf("Send = %v, want context.Canceled", err)
		}
	}
	d.send(t, SendOptions{}, 1, 0, 0)
	if left := contents(t, d.target); len(left) != 1 {
		t.Errorf("%d files are left, want 1", len(left))
	}
}

// A small file that broke off leaves no part, with a manifest too, and after an interrupt.
func TestSendSmallLeavesNothing(t *testing.T) {
	for _, interrupted := range []bool{false, true} {
		d := deployFiles(t, map[string]string{"small": noise(100 << 10)})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p := &patchy{Engine: d.to.Engine, dir: d.target, cuts: []int64{1000}}
		d.to.Engine = engineFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			r, err := p.Do(t.Context(), req)
			if interrupted && req.Op == access.Put {
				cancel()
			}
			return r, err
		})
		_, err := Send(ctx, d.from, d.to, SendOptions{TreeOptions: TreeOptions{Retry: never}, Manifest: Manifest{Dir: d.state}})
		if interrupted != errors.Is(err, context.Canceled) {
			t.Errorf("interrupted %v: Send = %v", interrupted, err)
		}
		if left := contents(t, d.target); len(left) != 0 {
			t.Errorf("interrupted %v: %d files are left", interrupted, len(left))
		}
	}
}
