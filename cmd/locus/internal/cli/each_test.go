package cli

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/limit"
	"locus/url"
)

// After --max-time, opening and reading end with an error that says so. An interrupt by the user
// gives another error.
func TestTimed(t *testing.T) {
	u := url.MustParse("http://u:secret@h/")
	synctest.Test(t, func(t *testing.T) {
		for _, opens := range []bool{false, true} {
			engine := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
				if !opens {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return &access.Resource{Entry: access.Entry{URL: req.URL}, Body: io.NopCloser(waiting{ctx})}, nil
			})
			start := time.Now()
			r, err := limit.Timed{Engine: engine, Timeout: time.Minute}.Do(t.Context(), &access.Request{URL: u})
			if err == nil {
				_, err = io.ReadAll(r.Body)
				r.Body.Close()
			}
			if !limit.IsTimeout(err) || err.Error() != "http://u:xxxxx@h/: timed out after 1m0s" || Hint(err) != "to give it more time, use a longer --max-time" || time.Since(start) != time.Minute {
				t.Errorf("a server that opens %v gives %v after %v, with the hint %q", opens, err, time.Since(start), Hint(err))
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			r, err = limit.Timed{Engine: engine, Timeout: time.Minute}.Do(ctx, &access.Request{URL: u})
			if err == nil {
				_, err = io.ReadAll(r.Body)
				r.Body.Close()
			}
			cancel()
			if err == nil || limit.IsTimeout(err) {
				t.Errorf("an interrupt of a server that opens %v gives %v", opens, err)
			}
		}
	})
}

// A waiting is a Reader that waits until its context ends.
type waiting struct{ context.Context }

func (w waiting) Read([]byte) (int, error) { <-w.Done(); return 0, w.Err() }

func TestExplain(t *testing.T) {
	for text, want := range map[string]string{
		"http://h/a b":                  "write it as http://h/a%20b",
		"http://h/grüße und mehr?ä#ö":   "write it as http://h/gr%C3%BC%C3%9Fe%20und%20mehr?%C3%A4#%C3%B6",
		"http://bücher.example/ü":       "write it as http://xn--bcher-kva.example/%C3%BC",
		"http://u:secret@h/a b":         "write this byte as %20",
		"x y":                           "write it as x%20y",
		" http://h/":                    "remove the space at the start of the URL",
		"http://h/  ":                   "remove the space at the end of the URL",
		"http://h/\xc3":                 "write it as http://h/%C3",
		"http://h/{a}":                  "write it as http://h/%7Ba%7D",
		"<http://u:secret@h/>":          "without its wrapper the URL is http://u:xxxxx@h/",
		"<URL:ftp://h/>":                "without its wrapper the URL is ftp://h/",
		"<x y>":                         "remove the < before the URL, and the > after it",
		"http://[::1":                   "",
		":":                             "",
		"http://h:port/with-no-advice/": "",
	} {
		_, err := url.Parse(text)
		if err == nil {
			t.Fatalf("%q is a URL", text)
		}
		if got := Hint(Explain(err)); got != want {
			t.Errorf("Explain(%q) = %q, want %q", text, got, want)
		}
	}
	if err := Explain(nil); err != nil {
		t.Errorf("Explain(nil) = %v", err)
	}
}
