package cache_test

import (
	"bytes"
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/url"
)

// Two clients read a resource that is larger than its file may be. The quick one gets the whole resource, and the slow
// one as well if it reads at a fair pace.
func TestSlowReader(t *testing.T) {
	// attack: A client reads very slowly, to delay others that read the same resource | after 30 seconds in which
	// others waited for it, the cache ends its body with an error, unless it reads 8 KiB a second
	const kept, size = 1 << 20, 2 << 20
	content := bytes.Repeat([]byte("locus..."), size/8)
	for _, test := range []struct {
		name   string
		step   int // how many bytes the slow client reads at once
		pause  time.Duration
		others int // the clients that read quickly
		whole  bool
	}{
		{"reads nothing for an hour", size, time.Hour, 1, false},
		{"nothing for an hour, of many", size, time.Hour, 5, false},
		{"a buffer in a minute", 32 << 10, time.Minute, 1, false},
		{"two buffers in 29 seconds", 64 << 10, 29 * time.Second, 1, false},
		{"16 KiB a second", 16 << 10, time.Second, 1, true},
		{"512 KiB in 25 seconds", 512 << 10, 25 * time.Second, 1, true},
		{"nothing for an hour, alone", size, time.Hour, 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := make(chan struct{})
				wait := readerFunc(func([]byte) (int, error) {
					<-begin
					return 0, io.EOF
				})
				o := &origin{open: func(_ context.Context, req *access.Request) (*access.Resource, error) {
					body := io.NopCloser(io.MultiReader(wait, bytes.NewReader(content)))
					return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: body}, nil
				}}
				c, _ := newCache(t, o, 8*kept)
				open := func() io.ReadCloser {
					r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gopher://h/x")})
					if err != nil {
						t.Fatalf("Do: %v", err)
					}
					return r.Body
				}
				slow := open()
				read := make(chan int, test.others)
				for range test.others {
					quick := open()
					go func() {
						b, err := io.ReadAll(quick)
						if !bytes.Equal(b, content) || err != nil {
							t.Errorf("a quick client reads %d bytes, %v, want %d", len(b), err, size)
						}
						quick.Close()
						read <- len(b)
					}()
				}
				close(begin)
				var err error
				n, buffer := 0, make([]byte, test.step)
				for err == nil {
					time.Sleep(test.pause)
					var more int
					more, err = io.ReadFull(slow, buffer)
					n += more
				}
				if isWhole := access.IsEnd(err) && n == size; isWhole != test.whole {
					t.Errorf("the slow client reads %d bytes, %v; want all: %v", n, err, test.whole)
				}
				if err := slow.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
				for range test.others {
					<-read
				}
				if o.asked.Load() != 1 {
					t.Errorf("the server was asked %d times, want once", o.asked.Load())
				}
			})
		})
	}
}
