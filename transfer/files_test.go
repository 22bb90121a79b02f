package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"locus/access"
	"locus/url"
)

// filesOf yields a file for each name, and an error for names that begin with "!".
func filesOf(names ...string) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		for _, name := range names {
			var err error
			if strings.HasPrefix(name, "!") {
				err = errors.New(name)
			}
			if !yield(File{URL: url.MustParse("http://h/" + strings.TrimPrefix(name, "!")), Name: name}, err) {
				return
			}
		}
	}
}

// Each file ends once, with its error. A part that is left is told of, and not a part of another
// time for a file that is not fetched.
func TestGetFiles(t *testing.T) {
	broken := errors.New("broken")
	engine := engineFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		r := &access.Resource{Entry: access.Entry{URL: req.URL, Size: 4}, ETag: `"1"`, Body: io.NopCloser(strings.NewReader("text"))}
		switch req.URL.Path() {
		case "/cut":
			r.Body = io.NopCloser(io.MultiReader(strings.NewReader("te"), failing{access.ErrTemporary}))
		case "/none":
			return nil, broken
		}
		return r, nil
	})
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.WriteFile("!bad.part", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, jobs := range []int{-1, 0, 1, 3} {
		got := make(map[string]string)
		var failed []string
		o := Options{Retry: never, Event: func(e Event) {
			if e.Kind == Failed && e.Name == "" {
				failed = append(failed, fmt.Sprint(e.URL, " ", e.Size, " ", e.Err))
			}
		}}
		files := filesOf("a", "!bad", "cut", "none", "b")
		GetFiles(t.Context(), engine, root, files, jobs, o, func(f File, err error, hasPart bool) {
			got[f.Name] += fmt.Sprint(err != nil, hasPart)
		})
		want := map[string]string{"a": "false false", "!bad": "true false", "cut": "true true", "none": "true false", "b": "false false"}
		if fmt.Sprint(got) != fmt.Sprint(want) || fmt.Sprint(failed) != "[http://h/bad -1 !bad]" {
			t.Errorf("with %d jobs: %v, and the events %q; want %v", jobs, got, failed, want)
		}
		for _, name := range []string{"a", "b"} {
			if text, err := root.ReadFile(name); string(text) != "text" {
				t.Errorf("with %d jobs: %s has %q, %v", jobs, name, text, err)
			}
		}
	}
}

// No more files are received at once than there are jobs. After the end of ctx it begins no further
// file.
func TestGetFilesAtOnce(t *testing.T) {
	var now, begun atomic.Int32
	var tooMany atomic.Bool
	ctx, cancel := context.WithCancel(t.Context())
	engine := engineFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		if now.Add(1) > 3 {
			tooMany.Store(true)
		}
		defer now.Add(-1)
		if begun.Add(1) == 3 {
			cancel()
		}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	ended := 0
	GetFiles(ctx, engine, root, filesOf("a", "b", "c", "d", "e", "f", "g", "h"), 3, Options{Retry: never}, func(f File, err error, _ bool) {
		if ended++; !errors.Is(err, context.Canceled) {
			t.Errorf("GetFiles gives the file %q the error %v, want the end of the context", f.Name, err)
		}
	})
	if tooMany.Load() || ended < 3 || ended > 4 {
		t.Errorf("more than 3 at once: %v, %d ended; want 3, and no more than one after the end", tooMany.Load(), ended)
	}
}
