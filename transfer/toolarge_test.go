package transfer_test

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"locus"
	"locus/access"
	"locus/transfer"
	"locus/url"
)

// A resource that is too large is not fetched again.
func TestTooLargeOnce(t *testing.T) {
	const whole = "a text that is longer than the limit"
	var asked []int64
	engine := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		asked = append(asked, req.Offset)
		return &access.Resource{
			Entry: access.Entry{URL: req.URL, Size: -1}, ETag: "1", Offset: req.Offset,
			Body: io.NopCloser(strings.NewReader(whole[req.Offset:])),
		}, nil
	})
	c := &locus.Client{
		Retries: -1,
		Engines: func(locus.Dial) map[string]locus.Scheme { return access.Table{"x": engine}.Schemes() },
		Limits:  locus.Limits{Bytes: 10},
	}
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	synctest.Test(t, func(t *testing.T) {
		_, err := transfer.Get(t.Context(), c, &access.Request{URL: url.MustParse("x:y")}, root, "f", transfer.Options{})
		if !errors.Is(err, locus.ErrTooLarge) || !slices.Equal(asked, []int64{0}) {
			t.Errorf("transfer.Get = %v after requests from %d on, want ErrTooLarge after one from 0 on", err, asked)
		}
	})
}
