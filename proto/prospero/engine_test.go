package prospero_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/demo"
	"locus/guard"
	"locus/proto"
	"locus/proto/prospero"
	"locus/url"
)

// start starts the demo servers. It returns a function from schemes to root URLs.
func start(t testing.TB, files fstest.MapFS) func(scheme string) string {
	t.Helper()
	config := demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket}
	if files != nil {
		config.Files = files
	}
	d, err := demo.Start(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return func(scheme string) string { return d.Service(scheme).URL }
}

var changed = time.Date(1994, 5, 17, 12, 0, 0, 0, time.UTC)

// The client keeps the contract. It does not dial for a URL that would end a
// line.
//
// req: 1738-6-2
func TestSuite(t *testing.T) {
	content := string(testData(100_000))
	root := start(t, fstest.MapFS{
		"object":      {Data: []byte(content), ModTime: changed},
		"dir/a b":     {Data: []byte("x"), ModTime: changed},
		"dir/c/empty": {ModTime: changed},
	})("prospero")
	var dialer net.Dialer
	var hostile []url.URL
	for _, rest := range []string{"x;VERSION=1%0ALIST", "x;a%0Ab=c", "x;a=b%0ALIST", "x;a=%00", "x%00a", "x%0Aa", "x%0D", "a%0D%0ALIST"} {
		hostile = append(hostile, url.MustParse(root+rest))
	}
	accesstest.Test(t, accesstest.Config{
		Ops:     []access.Op{access.Stat},
		New:     func(dial proto.Dial) access.Engine { return prospero.Client{Dial: dial} },
		Dial:    dialer.DialContext,
		Object:  url.MustParse(root + "/object"),
		Content: content,
		Missing: url.MustParse(root + "/missing"),
		Listing: url.MustParse(root + "/dir"),
		Titles:  []string{"a b", "c"},
		Hostile: hostile,
		Secret:  url.MustParse("prospero://u:sesame@127.0.0.1/x"),
	})
}

// If the server prefers ftp for an object, the ftp engine of the same table
// opens it, under the same policies.
//
// req: 1738-3.11-2
func TestFollow(t *testing.T) {
	roots := start(t, nil)
	var dialer net.Dialer
	requested := ""
	table := access.Table{
		"prospero": prospero.Client{Dial: dialer.DialContext},
		"ftp": access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			requested = req.URL.String()
			return nil, access.ErrPassword
		}),
	}
	o := access.Follow{Engine: guard.Ports{Engine: table}}
	for _, name := range []string{"/texts/prospero.txt", "/virtual-systems.txt"} {
		r, err := o.Do(t.Context(), &access.Request{URL: url.MustParse(roots("prospero") + name)})
		if err != nil {
			t.Errorf("Open(%q) = %v", name, err)
			continue
		}
		text, err := io.ReadAll(r.Body)
		if err != nil || !strings.HasPrefix(string(text), "Prospero: every user a file system\n") || r.Type != "text/plain" {
			t.Errorf("%s: %.40q of the type %q, %v", name, text, r.Type, err)
		}
		r.Body.Close()
	}
	_, err := o.Do(t.Context(), &access.Request{URL: url.MustParse(roots("prospero") + "/big/numbers.txt")})
	if want := roots("ftp") + "big/numbers.txt;type=i"; !errors.Is(err, access.ErrPassword) || requested != want {
		t.Errorf("a large file is requested at %q, %v, want %q", requested, err, want)
	}
	public := guard.Public{Dial: dialer.DialContext}
	_, err = prospero.Client{Dial: public.DialContext}.Do(t.Context(), &access.Request{URL: url.MustParse(roots("prospero"))})
	if _, ok := errors.AsType[*guard.AddressError](err); !ok {
		t.Errorf("Open behind guard.Public = %v, want a *guard.AddressError", err)
	}
}

// The default policy follows access methods, but never to a local file or into a
// session.
func TestAllowed(t *testing.T) {
	from := url.MustParse("prospero://h/x")
	for _, test := range []struct {
		to   string
		want bool
	}{
		{"ftp://h/x", true},
		{"http://h/x", true},
		{"gopher://h/0x", true},
		{"wais://h/db/TEXT/x", true},
		{"prospero://h2/x", true},
		{"file:///etc/passwd", false},
		{"telnet://h", false},
		{"mailto:a@h", false},
	} {
		if err := access.Schemes(nil).AllowRedirect(from, url.MustParse(test.to)); (err == nil) != test.want {
			t.Errorf("AllowRedirect to %s = %v, want it allowed: %v", test.to, err, test.want)
		}
	}
}

// Versions are compared by modification time.
func TestVersions(t *testing.T) {
	root := start(t, fstest.MapFS{"x": {Data: []byte("hello, world"), ModTime: changed}})("prospero")
	var dialer net.Dialer
	c := prospero.Client{Dial: dialer.DialContext}
	old := access.Validator{ModTime: changed.Add(-time.Hour)}
	same := access.Validator{ModTime: changed}
	for _, test := range []struct {
		req  access.Request
		want string
		err  error
	}{
		{access.Request{IfChanged: same}, "", access.ErrNotModified},
		{access.Request{IfChanged: old}, "hello, world", nil},
		{access.Request{Offset: 7, IfMatch: same}, "world", nil},
		{access.Request{Offset: 7, IfMatch: old}, "", access.ErrChanged},
		{access.Request{Offset: 12}, "", access.ErrRange},
	} {
		test.req.URL = url.MustParse(root + "/x")
		r, err := c.Do(t.Context(), &test.req)
		if !errors.Is(err, test.err) {
			t.Errorf("Open(%+v) = %v, want %v", test.req, err, test.err)
		}
		if err != nil {
			continue
		}
		got, err := io.ReadAll(r.Body)
		if string(got) != test.want || err != nil || r.Size != 12 || !r.ModTime.Equal(changed) {
			t.Errorf("Open(%+v) = %q, size %d, %v, want %q, size 12", test.req, got, r.Size, err, test.want)
		}
	}
	e, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse(root + "/x")})
	if err != nil {
		t.Fatalf("Stat = %v", err)
	}
	if e.Size != 12 || e.Kind != access.Object || !e.ModTime.Equal(changed) {
		t.Errorf("Stat = %+v", e)
	}
	if o, ok := e.Sys.(*prospero.Object); !ok || len(o.Attributes) == 0 {
		t.Errorf("the Sys is %#v, want an *Object with its attributes", e.Sys)
	}
}

func Example() {
	ctx := context.Background()
	d, err := demo.Start(ctx, demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()

	var dialer net.Dialer
	c := prospero.Client{Dial: dialer.DialContext}
	r, err := c.Do(ctx, &access.Request{URL: url.MustParse(d.Service("prospero").URL + "/pictures")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	l := r.List
	err = access.Entries(l, func(e access.Entry) error {
		fmt.Println(e.Title, e.Kind, e.Size)
		return nil
	})
	fmt.Println(err)
	// Output:
	// gateway.png object 138
	// lens.gif object 394
	// lens.png object 339
	// <nil>
}
