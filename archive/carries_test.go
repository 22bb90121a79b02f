package archive_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/archive"
	"locus/url"
)

// A recording and its replay keep every field of resources and entries.
func TestCarries(t *testing.T) {
	t.Run("recorded", func(t *testing.T) {
		w := create(t, folder(t), "a.warc.gz", archive.Options{})
		defer w.Close()
		accesstest.Carries(t, w.Record)
	})
	t.Run("replayed", func(t *testing.T) {
		accesstest.Carries(t, func(e access.Engine) access.Engine { return &replaying{t: t, engine: e} })
	})
}

// replaying is an Engine that records each access, and answers from the recording.
type replaying struct {
	t      *testing.T
	engine access.Engine
}

func (r *replaying) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	root := folder(r.t)
	w := create(r.t, root, "a.warc.gz", archive.Options{})
	found, err := w.Record(r.engine).Do(ctx, req)
	if err == nil && found.List != nil {
		err = access.Entries(found.List, func(access.Entry) error { return nil })
	} else if err == nil {
		_, err = io.Copy(io.Discard, found.Body)
	}
	if err == nil {
		err = found.Body.Close()
	}
	if _, moved := errors.AsType[*access.Moved](err); err != nil && !moved {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	a, err := archive.Open(root, "a.warc.gz")
	if err != nil {
		return nil, err
	}
	return a.Do(ctx, req)
}

// A redirect of a protocol other than HTTP is recorded, because Prospero refers to files at
// other servers, and a replay must find them.
func TestRedirectIsReplayed(t *testing.T) {
	want := &access.Moved{To: url.MustParse("prospero://other:1525//x"), Permanent: true, Repeat: true}
	engine := &replaying{t: t, engine: access.GetFunc(func(context.Context, *access.Request) (*access.Resource, error) { return nil, want })}
	_, err := engine.Do(t.Context(), &access.Request{URL: url.MustParse("prospero://h//x")})
	moved, ok := errors.AsType[*access.Moved](err)
	if !ok || moved.To != want.To || !moved.Permanent || !moved.Repeat {
		t.Errorf("the replay = %v, want the redirect to %s", err, want.To)
	}
}
