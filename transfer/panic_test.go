package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"locus/access"
	"locus/retry"
	"locus/url"
)

// A bomb is an Engine that panics where the path of a URL says.
type bomb struct{ requests atomic.Int64 }

func (b *bomb) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	const size = 16
	n := b.requests.Add(1)
	path := strings.TrimSuffix(req.URL.Path(), ";type=i")
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: size}, ETag: `"1"`, Offset: req.Offset, Body: access.NoBody}
	switch {
	case req.Op != access.Get:
		return nil, errors.ErrUnsupported
	case path == "/tree/":
		var all []access.Entry
		for _, name := range []string{"do", "read", "fine", "list/"} {
			all = append(all, access.Entry{URL: url.MustParse("ftp://h/tree/" + name), Title: name, Size: size})
		}
		all[len(all)-1].Kind = access.Directory
		return listed(req, &dir{entries: all}), nil
	case strings.HasSuffix(path, "/do"), strings.HasSuffix(path, "/later-do") && n > 1:
		panic("in Do")
	case strings.HasSuffix(path, "/read"), strings.HasSuffix(path, "/later-read") && n > 1:
		r.Body = io.NopCloser(fuse{})
	case strings.HasSuffix(path, "/list/"):
		r.List = fuse{}
	default:
		r.Body = io.NopCloser(bytes.NewReader(make([]byte, size-req.Offset)))
	}
	return r, nil
}

// A fuse panics when it is read.
type fuse struct{}

func (fuse) Read([]byte) (int, error)    { panic("in Read") }
func (fuse) Next() (access.Entry, error) { panic("in Next") }

// A panic of an engine ends one transfer. It is not repeated.
func TestGetPanic(t *testing.T) {
	for _, test := range []struct {
		path  string
		split int
	}{
		{"/do", 1},
		{"/read", 1},
		{"/do", 4},
		{"/read", 4},
		{"/later-do", 4}, // in the goroutine of the second range
		{"/later-read", 4},
	} {
		t.Run(fmt.Sprint(test.path, test.split), func(t *testing.T) {
			root, name := folder(t)
			_, err := Get(t.Context(), &bomb{}, request("http://h"+test.path), root, "x", Options{Split: test.split, SplitSize: 4, Retry: hasty})
			if _, ok := errors.AsType[*access.PanicError](err); !ok {
				t.Errorf("Get = %v, want an *access.PanicError", err)
			}
			if _, ok := errors.AsType[*retry.GaveUp](err); ok {
				t.Errorf("Get = %v: a panic was repeated", err)
			}
			compareTrees(t, contents(t, name), map[string]string{})
		})
	}
}

// A panic of an engine ends the transfer of one file or directory of a mirror.
func TestMirrorPanic(t *testing.T) {
	for _, dryRun := range []bool{false, true} {
		root, name := folder(t)
		var log eventLog
		report, err := Mirror(t.Context(), &bomb{}, url.MustParse("ftp://h/tree/"), root, MirrorOptions{TreeOptions: TreeOptions{Retry: hasty, Event: log.add, Jobs: 2, DryRun: dryRun}})
		want := map[string]string{"fine": strings.Repeat("\x00", 16)}
		failed := 3
		if dryRun { // it only reads listings
			want, failed = map[string]string{}, 1
		}
		if err != nil || report.Failed != failed {
			t.Errorf("Mirror with DryRun %v = %+v, %v; want %d failures", dryRun, report, err, failed)
		}
		for _, e := range log.of(Failed) {
			if _, ok := errors.AsType[*access.PanicError](e.Err); !ok {
				t.Errorf("%s failed: %v, want an *access.PanicError", e.Name, e.Err)
			}
		}
		got := contents(t, name)
		for file := range got {
			if strings.HasPrefix(file, stateDir) {
				delete(got, file)
			}
		}
		compareTrees(t, got, want)
	}
}
