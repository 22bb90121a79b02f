package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/limit"
	"locus/url"
)

// newEnvHere returns an Env that writes to files, and a function that returns what is in
// that of stderr.
func newEnvHere(t *testing.T) (e *Env, said func() string) {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return NewEnv(nil, f, f), func() string {
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
}

// An error is reported and the next argument follows, unless nobody reads any more, the
// user interrupts, or the command is misused.
func TestEach(t *testing.T) {
	broken := &outputError{syscall.EPIPE}
	for _, tt := range []struct {
		errs        []error // of each argument
		interrupted bool
		want        error
		done        int    // how many arguments were tried
		said        string // to stderr
	}{
		{[]error{nil, nil}, false, nil, 2, ""},
		{[]error{errors.New("a"), nil, errors.New("b")}, false, ErrReported, 3, "locus: a\nlocus: b\n"},
		{[]error{ErrReported, nil}, false, ErrReported, 2, ""},
		{[]error{&Hinted{errors.New("a"), "do b"}}, false, ErrReported, 1, "locus: a\nlocus: hint: do b\n"},
		{[]error{broken, nil}, false, broken, 1, ""},
		{[]error{Misuse("no"), nil}, false, nil, 1, ""},
		{[]error{errors.New("a"), nil}, true, ErrInterrupted, 1, ""},
	} {
		e, said := newEnvHere(t)
		ctx, cancel := context.WithCancel(t.Context())
		if tt.interrupted {
			cancel()
		}
		done := 0
		err := EachOf(ctx, e, slices.Values(tt.errs), func(err error) error { done++; return err })
		cancel()
		isWanted := errors.Is(err, tt.want) || tt.want == nil && (err == nil || IsMisuse(err))
		if !isWanted || done != tt.done || said() != tt.said {
			t.Errorf("%v: %v after %d, %q, want %v after %d, %q", tt.errs, err, done, said(), tt.want, tt.done, tt.said)
		}
	}
}

// A slow server is given up after --max-time, while it opens and while it sends, and the
// error says so. An interrupt of the user is none of that.
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
			if !limit.IsTimeout(err) || err.Error() != "http://u:xxxxx@h/: not done after 1m0s" || Hint(err) != "a longer --max-time gives it more time" || time.Since(start) != time.Minute {
				t.Errorf("opens %v: %v after %v, %q", opens, err, time.Since(start), Hint(err))
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			r, err = limit.Timed{Engine: engine, Timeout: time.Minute}.Do(ctx, &access.Request{URL: u})
			if err == nil {
				_, err = io.ReadAll(r.Body)
				r.Body.Close()
			}
			cancel()
			if err == nil || limit.IsTimeout(err) {
				t.Errorf("opens %v: interrupted: %v", opens, err)
			}
		}
	})
}

// waiting is a Reader that has nothing until its context ends.
type waiting struct{ context.Context }

func (w waiting) Read([]byte) (int, error) { <-w.Done(); return 0, w.Err() }

func TestExplain(t *testing.T) {
	for text, want := range map[string]string{
		"http://h/a b":                  "write this byte as %20",
		"http://h/\xc3":                 "write this byte as %C3",
		"http://h/{a}":                  "write this byte as %7B",
		"<http://u:secret@h/>":          "without its wrapper the URL is http://u:xxxxx@h/",
		"<URL:ftp://h/>":                "without its wrapper the URL is ftp://h/",
		"<x y>":                         "leave out the < before the URL, and the > after it",
		"http://[::1":                   "",
		":":                             "",
		"http://h:port/with-no-advice/": "",
	} {
		_, err := url.Parse(text)
		if err == nil {
			t.Fatalf("%q is a URL", text)
		}
		if got := Hint(Explain(err)); got != want {
			t.Errorf("Explain of %q: %q, want %q", text, got, want)
		}
	}
	if err := Explain(nil); err != nil {
		t.Errorf("Explain(nil) = %v", err)
	}
}

// Names that the user types start in the folder of the Env, and errors have them as typed.
func TestEnvNames(t *testing.T) {
	dir := t.TempDir()
	e := &Env{Dir: dir}
	for name, want := range map[string]string{"a": dir + "/a", "a/": dir + "/a/", "../a": dir[:strings.LastIndexByte(dir, '/')] + "/a", "/a": "/a", "": ""} {
		if got := e.Path(name); got != want && os.PathSeparator == '/' {
			t.Errorf("Path(%q) = %q, want %q", name, got, want)
		}
	}
	_, openErr := e.Open("none")
	_, statErr := e.Stat("none")
	_, readErr := e.ReadFile("none")
	_, rootErr := e.OpenRoot("none")
	for _, err := range []error{openErr, statErr, readErr, rootErr} {
		if err == nil || strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), " none: ") {
			t.Errorf("an error of a missing file: %v", err)
		}
	}
	if got := e.Short(dir + "/b/c"); got != "b/c" && os.PathSeparator == '/' {
		t.Errorf("Short = %q", got)
	}
	if got := e.Short("/elsewhere"); got != "/elsewhere" {
		t.Errorf("Short of a file elsewhere = %q", got)
	}
}
