package archive_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/archive"
)

// anyOp is an engine that does the same for every Op.
type anyOp access.GetFunc

func (f anyOp) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	return f(ctx, req)
}

// The archive answers for a resource that was only the target of a Stat, and for a resource
// that was opened but not read. It does not have a resource whose access failed.
func TestUnread(t *testing.T) {
	root := folder(t)
	w := create(t, root, "a.warc.gz", archive.Options{})
	when := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	found := access.Resource{Entry: access.Entry{Kind: access.Object, Type: "text/plain", Size: 5, ModTime: when}, Body: io.NopCloser(strings.NewReader("hello"))}
	lines := []line{{"SIZE a", "213 5"}}
	recorder := archive.Recorder{Engine: anyOp(tapped(lines, found, nil)), Writer: w}
	if _, err := recorder.Do(t.Context(), &access.Request{Op: access.Stat, URL: parse(t, "ftp://u:sesame@h/stat")}); err != nil {
		t.Fatal(err)
	}
	r, err := recorder.Do(t.Context(), &access.Request{URL: parse(t, "gopher://h/0opened")})
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	recorder.Engine = anyOp(tapped(lines, found, errors.New("550 no such file")))
	if _, err := recorder.Do(t.Context(), &access.Request{Op: access.Stat, URL: parse(t, "ftp://h/none")}); err == nil {
		t.Fatal("it was found")
	}
	w.Close()
	all := records(t, root, "a.warc.gz")
	if got, want := kinds(all), "warcinfo metadata metadata resource metadata metadata metadata"; got != want {
		t.Errorf("records %s, want %s", got, want)
	}
	if text := fmt.Sprint(all); strings.Contains(text, "sesame") {
		t.Errorf("a record has the password: %s", text)
	}
	a := open(t, root, "a.warc.gz")
	r, err = a.Do(t.Context(), &access.Request{Op: access.Stat, URL: parse(t, "ftp://u@h/stat")})
	if err != nil || r.Kind != access.Object || r.Type != "text/plain" || r.Size != 5 || !r.ModTime.Equal(when) {
		t.Errorf("stat: %+v, %v", r, err)
	}
	if _, _, err := get(t, a, "ftp://u@h/stat"); err == nil || !strings.Contains(err.Error(), "only a part") {
		t.Errorf("get: %v", err)
	}
	if body, r, err := get(t, a, "gopher://h/0opened"); r == nil || body != "" || err == nil || !strings.Contains(err.Error(), "only a part") {
		t.Errorf("a resource that was opened and not read: %q, %v, %v", body, r, err)
	}
	if _, err := a.Do(t.Context(), &access.Request{Op: access.Stat, URL: parse(t, "ftp://h/none")}); !errors.Is(err, archive.ErrNotArchived) {
		t.Errorf("a resource whose access failed: %v, want archive.ErrNotArchived", err)
	}
	index, err := root.ReadFile("a.cdxj")
	if err != nil || strings.Contains(string(index), "/stat") {
		t.Errorf("the index is %s, %v, want it without the result of Stat", index, err)
	}
}
