package locus

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/limit"
)

// A retry continues where the connection broke. While it waits, other requests may have its
// turn.
func TestRetriesRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const whole = "the text"
		var began []time.Duration
		start := time.Now()
		c := only(access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			began = append(began, time.Since(start))
			var body io.Reader = strings.NewReader(whole[req.Offset:])
			if len(began) == 1 {
				body = io.MultiReader(io.LimitReader(body, 3), broken{})
			}
			return &access.Resource{
				Entry: access.Entry{URL: req.URL, Size: int64(len(whole))}, ETag: "1", Offset: req.Offset, Body: io.NopCloser(body),
			}, nil
		}))
		c.Retries, c.Limiter = 1, &limit.Limiter{PerServer: 1, MaxWait: time.Nanosecond}
		first, err := c.Open(t.Context(), "x://h/")
		if err != nil {
			t.Fatal(err)
		}
		defer first.Body.Close()
		read := make(chan error)
		go func() {
			text, err := io.ReadAll(first.Body)
			if string(text) != whole {
				t.Errorf("it reads %q, want %q", text, whole)
			}
			read <- err
		}()
		synctest.Wait() // it waits for its retry
		second, err := c.Open(t.Context(), "x://h/")
		if err != nil {
			t.Fatalf("an access while another waits for its retry: %v", err)
		}
		second.Body.Close()
		if err := <-read; err != nil || len(began) != 3 || began[1] != 0 || began[2] < time.Second/2 {
			t.Errorf("%v; accesses began at %v", err, began)
		}
	})
}
