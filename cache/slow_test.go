package cache

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/url"
)

// A slowSource is the source of a resource whose file is slow to read.
type slowSource struct {
	engineSource
	reading, end chan struct{}
}

func (s slowSource) find() (*metadata, bool) {
	close(s.reading)
	<-s.end
	return nil, false
}

// While a request reads the file of one resource, requests for other resources are answered, and other resources can
// be removed.
func TestSlowFile(t *testing.T) {
	c := &Cache{Folder: openFolder(t, 0), Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: 4}, Body: io.NopCloser(strings.NewReader("text"))}, nil
	})}
	slow := &access.Request{URL: url.MustParse("gopher://h/slow")}
	from := slowSource{engineSource{c, "slow", false}, make(chan struct{}), make(chan struct{})}
	answered := make(chan error)
	go func() {
		f, err := c.fetch(t.Context(), "slow", from, slow)
		if err == nil {
			err = f.Body.Close()
		}
		answered <- err
	}()
	<-from.reading
	within(t, "a request for another resource", func() {
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gopher://h/quick")})
		if err != nil {
			t.Error(err)
			return
		}
		r.Body.Close()
	})
	within(t, "the removal of another resource", func() { c.forgetKey("gopher://h/quick") })
	close(from.end)
	if err := <-answered; err != nil {
		t.Error(err)
	}
}

// within fails the test if do takes longer than a minute.
func within(t *testing.T, name string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s waits for the slow file", name)
	}
}
