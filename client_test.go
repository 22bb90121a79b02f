package locus

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/guard"
	"locus/limit"
	"locus/url"
)

// Every verb, over files.
func TestClientVerbs(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	c := &Client{Root: root}
	put := func(u, body string) func() error {
		return func() error { return c.Put(t.Context(), u, strings.NewReader(body)) }
	}
	add := func(u, body string) func() error {
		return func() error {
			_, err := c.Append(t.Context(), u, strings.NewReader(body))
			return err
		}
	}
	for _, test := range []struct {
		name string
		do   func() error
		err  error
		want string // the content of /d/a afterwards; "" if it does not exist
	}{
		{"MakeDir", func() error { return c.MakeDir(t.Context(), "file:///d/") }, nil, ""},
		{"MakeDir again", func() error { return c.MakeDir(t.Context(), "file:///d/") }, fs.ErrExist, ""},
		{"Put", put("file:///d/a", "one"), nil, "one"},
		{"Append", add("file:///d/a", "two"), nil, "onetwo"},
		{"Put again", put("file:///d/a", "three"), nil, "three"},
		{"Put nowhere", put("file:///none/a", "three"), fs.ErrNotExist, "three"},
		{"Put of what breaks off", func() error {
			return c.Put(t.Context(), "file:///d/a", io.MultiReader(strings.NewReader("four"), broken{}))
		}, io.ErrUnexpectedEOF, "three"},
		{"Put in an unknown scheme", put("x-none://h/", ""), access.ErrNoScheme, "three"},
		{"Delete of a directory that is not empty", func() error { return c.Delete(t.Context(), "file:///d/") }, errAny, "three"},
		{"Delete", func() error { return c.Delete(t.Context(), "file:///d/a") }, nil, ""},
		{"Delete again", func() error { return c.Delete(t.Context(), "file:///d/a") }, fs.ErrNotExist, ""},
	} {
		err := test.do()
		if test.err == nil && err != nil || test.err != nil && (err == nil || test.err != errAny && !errors.Is(err, test.err)) {
			t.Errorf("%s = %v, want %v", test.name, err, test.err)
		}
		e, err := c.Stat(t.Context(), "file:///d/a")
		if (err == nil) != (test.want != "") || err == nil && (e.Size != int64(len(test.want)) || e.Kind != access.Object) {
			t.Errorf("after %s, Stat = %+v, %v, want %d bytes", test.name, e, err, len(test.want))
		}
		if test.want == "" {
			continue
		}
		r, err := c.Open(t.Context(), "file:///d/a")
		if err != nil {
			t.Fatalf("Open after %s: %v", test.name, err)
		}
		if got, err := io.ReadAll(r.Body); string(got) != test.want || err != nil {
			t.Errorf("%s leaves %q, %v, want %q", test.name, got, err, test.want)
		}
		r.Body.Close()
	}
}

// errAny stands for any error.
var errAny = errors.New("any error")

// Every verb refuses an invalid URL.
func TestClientVerbsSyntax(t *testing.T) {
	c, ctx, bad := new(Client), t.Context(), "http://h/a b"
	_, openErr := c.Open(ctx, bad)
	_, statErr := c.Stat(ctx, bad)
	_, appendErr := c.Append(ctx, bad, nil)
	var listErr error
	for _, err := range c.List(ctx, bad) {
		listErr = err
	}
	for verb, err := range map[string]error{
		"Open": openErr, "Stat": statErr, "Append": appendErr, "List": listErr,
		"Put": c.Put(ctx, bad, nil), "Delete": c.Delete(ctx, bad), "MakeDir": c.MakeDir(ctx, bad),
	} {
		if _, ok := errors.AsType[*url.SyntaxError](err); !ok {
			t.Errorf("%s of no URL = %v, want a *url.SyntaxError", verb, err)
		}
	}
}

// A body is sent again to the target of a redirect if it can seek or was not read.
func TestClientPutAgain(t *testing.T) {
	town := newTown(t, signpost)
	const text = "binary"
	from := "http://a.example" + pointing(307, "http://b.example/x")
	once := "PUT " + from[len("http://"):] + " " + text
	for _, test := range []struct {
		name string
		body io.Reader
		want []string
	}{
		{"a string", strings.NewReader(text), []string{once, "PUT b.example/x " + text}},
		{"the rest of a string", restOf("more "+text, 5), []string{once, "PUT b.example/x " + text}},
		{"a stream", io.MultiReader(strings.NewReader(text)), []string{once}},
	} {
		err := town.client.Put(t.Context(), from, test.body)
		asked, _, _ := town.heard()
		if !slices.Equal(asked, test.want) || (err == nil) != (len(test.want) == 2) || err != nil && !errors.Is(err, access.ErrRedirect) {
			t.Errorf("Put of %s = %v after %q, want %q", test.name, err, asked, test.want)
		}
	}
}

// restOf returns a reader of s, n bytes in.
func restOf(s string, n int64) io.Reader {
	r := strings.NewReader(s)
	_, _ = r.Seek(n, io.SeekStart)
	return r
}

// Append returns the URL of the new resource.
func TestClientAppended(t *testing.T) {
	for _, at := range []url.URL{{}, url.MustParse("x://h/new")} {
		c := only(added{url: at})
		if got, err := c.Append(t.Context(), "x://h/", strings.NewReader("a")); got != at || err != nil {
			t.Errorf("Append = %q, %v, want %q", got, err, at)
		}
	}
}

// List returns the entries of a listing. The caller may stop early.
func TestClientList(t *testing.T) {
	c := newClient(t)
	root := served(t, "a.txt", "sub/b.txt")
	for _, base := range []string{demoURL(t, root, "gopher"), demoURL(t, root, "ftp")} {
		var titles []string
		for e, err := range c.List(t.Context(), base) {
			if err != nil {
				t.Fatal(err)
			}
			titles = append(titles, strings.TrimSuffix(e.Title, "/"))
		}
		for _, want := range []string{"a.txt", "sub"} {
			if !slices.Contains(titles, want) {
				t.Errorf("List(%q) = %q, want %q among them", base, titles, want)
			}
		}
		n := 0
		for range c.List(t.Context(), base) {
			n++
			break
		}
		if n != 1 {
			t.Errorf("List(%q) goes on when its caller stops", base)
		}
	}
	open := 0
	toys := only(bodies{toy{
		"x:text":   text,
		"x:broken": func(req *access.Request) (*access.Resource, error) { return listing(req, io.ErrUnexpectedEOF) },
		"x:none":   func(req *access.Request) (*access.Resource, error) { return listing(req, io.EOF) },
	}, &open})
	for u, want := range map[string]error{"x:text": errNoListing, "x:broken": io.ErrUnexpectedEOF, "x:missing": fs.ErrNotExist, "x:none": nil} {
		var errs []error
		for _, err := range toys.List(t.Context(), u) {
			errs = append(errs, err)
		}
		if !errors.Is(errors.Join(errs...), want) || len(errs) > 1 || want == nil && errs != nil || open != 0 {
			t.Errorf("List(%q) = %v and leaves %d open, want %v alone", u, errs, open, want)
		}
	}
}

// listing returns an empty listing that ends in err.
func listing(req *access.Request, err error) (*access.Resource, error) {
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: access.NoBody, List: ending{err}}, nil
}

type ending struct{ err error }

func (l ending) Next() (access.Entry, error) { return access.Entry{}, l.err }

// With negative Retries a temporary failure is not retried.
func TestClientDoesNotRetry(t *testing.T) {
	town := newTown(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	for _, op := range access.Ops() {
		if op == access.Ask {
			continue // http lacks it
		}
		_, err := town.client.Do(t.Context(), &access.Request{Op: op, URL: url.MustParse("http://a.example/x"), Sys: new(http.Request)})
		if op == access.Send && err == nil {
			err = access.ErrTemporary // the engine for http makes it from the response
		}
		if asked, _, _ := town.heard(); err == nil || len(asked) != 1 {
			t.Errorf("%v that fails for a while = %v after %q, want one request", op, err, asked)
		}
	}
	_, err := town.client.Open(t.Context(), "ftp://a.example/x")
	if _, _, dialed := town.heard(); err == nil || len(dialed) != 1 {
		t.Errorf("Open of a server that cannot be reached = %v after dialling %q, want it dialled once", err, dialed)
	}
}

// Requests that leave the server unchanged are retried as often as Retries says: three
// times for 0, and never if it is negative.
func TestClientRetries(t *testing.T) {
	for _, test := range []struct {
		retries, failures int
		op                access.Op
		asked             int
		fails             bool
	}{
		{-1, 1, access.Get, 1, true},
		{0, 3, access.Get, 4, false},
		{0, 4, access.Get, 4, true},
		{1, 1, access.Get, 2, false},
		{3, 2, access.Get, 3, false},
		{3, 4, access.Get, 4, true},
		{3, 1, access.Put, 1, true},
		{3, 1, access.Append, 1, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			c := only(engineFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				if asked++; asked <= test.failures {
					return nil, engine.Fail(req.Op.String(), req.URL, access.ErrTemporary)
				}
				return text(req)
			}))
			c.Retries = test.retries
			_, err := c.Do(t.Context(), &access.Request{Op: test.op, URL: url.MustParse("x:y")})
			if asked != test.asked || (err != nil) != test.fails {
				t.Errorf("%v with %d retries is asked for %d times, %v, want %d", test.op, test.retries, asked, err, test.asked)
			}
		})
	}
}

// An engineFunc is an Engine that calls a function for every Op.
type engineFunc func(context.Context, *access.Request) (*access.Resource, error)

func (f engineFunc) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	return f(ctx, req)
}

// A server that sends less than MinRate is too slow.
func TestClientMinRate(t *testing.T) {
	for _, least := range []int64{-1, 0, 100} {
		synctest.Test(t, func(t *testing.T) {
			c := only(engineFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: io.NopCloser(io.LimitReader(drip{}, 500))}, nil
			}))
			c.MinRate, c.Retries = least, -1
			if err := exhaust(t, c, "x:y"); errors.Is(err, limit.ErrTooSlow) != (least == 100) || least < 100 && err != nil {
				t.Errorf("ten bytes a second with MinRate %d = %v", least, err)
			}
		})
	}
}

// A drip gives ten bytes a second.
type drip struct{}

func (drip) Read(p []byte) (int, error) {
	time.Sleep(time.Second)
	return min(len(p), 10), nil
}

// A closed Client refuses requests. Open resources stay open.
func TestClientClose(t *testing.T) {
	town := newTown(t, signpost)
	r, err := town.client.Open(t.Context(), "http://a.example/x")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := town.client.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
	if got, err := io.ReadAll(r.Body); string(got) != "/x" || err != nil {
		t.Errorf("reading an open resource after Close = %q, %v, want \"/x\"", got, err)
	}
	r.Body.Close()
	town.heard()
	for _, op := range access.Ops() {
		_, err := town.client.Do(t.Context(), &access.Request{Op: op, URL: url.MustParse("http://a.example/x")})
		if asked, _, _ := town.heard(); !errors.Is(err, ErrClosed) || len(asked) > 0 {
			t.Errorf("%v after Close = %v after %q, want ErrClosed", op, err, asked)
		}
	}
	if _, err := town.client.HTTP().Get("http://a.example/x"); !errors.Is(err, ErrClosed) {
		t.Errorf("GET after Close = %v, want ErrClosed", err)
	}
}

// With NoRedirects a Client returns an *access.Moved.
func TestClientNoRedirects(t *testing.T) {
	town := newTown(t, signpost)
	c := &Client{Dial: town.dial, NoRedirects: true}
	defer c.Close()
	_, err := c.Open(t.Context(), "http://a.example"+pointing(301, "http://b.example/x"))
	moved, ok := errors.AsType[*access.Moved](err)
	if asked, _, _ := town.heard(); !ok || moved.To.String() != "http://b.example/x" || len(asked) != 1 {
		t.Errorf("Open of a redirect = %v after %q, want an *access.Moved", err, asked)
	}
}

// Engines replaces engines and removes schemes.
func TestClientEngines(t *testing.T) {
	c := &Client{Engines: func(Dial) map[string]Scheme {
		return map[string]Scheme{"gopher": {Engine: toy{"gopher://h/0x": text}}, "telnet": {}}
	}}
	if err := exhaust(t, c, "gopher://h/0x"); err != nil {
		t.Errorf("an engine that replaces another = %v", err)
	}
	if err := exhaust(t, c, "telnet://h/"); !errors.Is(err, access.ErrNoScheme) || slices.Contains(c.Schemes(), "telnet") {
		t.Errorf("a scheme that was taken away = %v, want access.ErrNoScheme", err)
	}
	if err := exhaust(t, c, "gopher://h:25/0x"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("the port of another protocol = %v, want a *guard.PortError", err)
	}
}

// The zero Client is an Engine.
func TestClientDialContext(t *testing.T) {
	var _ access.Engine = new(Client)
	if _, err := new(Client).DialContext(t.Context(), "tcp", "h:80"); !errors.Is(err, access.ErrNoDial) {
		t.Errorf("DialContext without Dial = %v, want access.ErrNoDial", err)
	}
	log := new(dialLog)
	public := &Client{Dial: log.Dial, Public: true, Resolver: someNames}
	_, err := public.DialContext(context.Background(), "tcp", "10.0.0.1:80")
	if _, ok := errors.AsType[*guard.AddressError](err); !ok || log.since() != nil {
		t.Errorf("DialContext to a private address = %v, want it refused", err)
	}
}
