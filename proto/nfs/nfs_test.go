package nfs_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/faulty"
	"locus/proto"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/proto/nfs"
	"locus/url"
)

// dialer connects to the addresses of tests by the names of hosts.
type dialer map[string]string

func (d dialer) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, _ := net.SplitHostPort(address)
	return new(net.Dialer).DialContext(ctx, network, d[host])
}

// client returns a Client that reaches the server m under every host name.
func client(m *memory) nfs.Client {
	return nfs.Client{Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, m.addr)
	}}
}

// get opens a URL and reads its whole Body.
func get(t *testing.T, c nfs.Client, u string) (string, error) {
	t.Helper()
	return read(c.Do(t.Context(), &access.Request{URL: url.MustParse(u)}))
}

func read(r *access.Resource, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	return string(data), err
}

// titles returns the titles of a listing.
func titles(t *testing.T, c nfs.Client, u string) (names []string, err error) {
	t.Helper()
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(u)})
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	err = access.Entries(r.List, func(e access.Entry) error {
		names = append(names, e.Title)
		return nil
	})
	return names, err
}

var long = strings.Repeat("0123456789abcdef", 32<<10) // 512 KiB

// The client fulfills the contract, with a public directory and with MOUNT.
func TestSuite(t *testing.T) {
	for _, name := range []string{"public", "mount", "bare"} {
		t.Run(name, func(t *testing.T) {
			m := newMemory(t, map[string]string{"object": long, "list/one": "1", "list/two": "2", "changing": ""})
			m.public, m.bare = name == "public", name == "bare"
			cut := faulty.Start(t, m.addr, func(faulty.Conn) faulty.Fault { return faulty.Fault{Cut: 200 << 10} })
			stalled := faulty.Start(t, m.addr, func(faulty.Conn) faulty.Fault { return faulty.Fault{Stall: 200 << 10} })
			d := dialer{"h": m.addr, "cut": cut.Addr, "stalled": stalled.Addr}
			accesstest.Test(t, accesstest.Config{
				New:       func(dial proto.Dial) access.Engine { return nfs.Client{Dial: dial, Pool: &nfs.Pool{}} },
				Dial:      d.Dial,
				Ops:       []access.Op{access.Stat, access.Put, access.Append, access.Delete, access.MakeDir},
				Object:    url.MustParse("nfs://h/object"),
				Content:   long,
				Missing:   url.MustParse("nfs://h/missing"),
				Listing:   url.MustParse("nfs://h/list/"),
				Titles:    []string{"one", "two"},
				Changing:  url.MustParse("nfs://h/changing"),
				Truncated: url.MustParse("nfs://cut/object"),
				Stalled:   url.MustParse("nfs://stalled/object"),
				Hostile: []url.URL{
					url.MustParse("nfs://h/a%2Fb"), url.MustParse("nfs://h/a%00"), url.MustParse("nfs://h/a/%00b/c"), url.MustParse("nfs://u@h/a"),
				},
				Secret: url.MustParse("nfs://u:sesame@h/object"),
			})
		})
	}
}

// The connection has an idle limit, and is bound to the context.
func TestConnection(t *testing.T) {
	e := wiretest.Engine{Open: func(ctx context.Context, d wire.Dialer) error {
		c := nfs.Client{Dial: d.Dial, Security: d.Security, Idle: d.Idle}
		_, err := c.Do(ctx, &access.Request{URL: url.MustParse("nfs://h/a/b")})
		return err
	}}
	wiretest.Test(t, e)
	e.Answers, e.Drip = true, "\x01"
	for _, e.Greeting = range []string{"\x80", "\x80\x00\x10\x00"} { // the rest of the record's header, or of the record, does not come
		wiretest.TestDrip(t, e)
	}
}

// With a public directory a path is one LOOKUP. Without a public directory the export is
// mounted, and each name is looked up.
func TestCalls(t *testing.T) {
	files := map[string]string{"a/b/c": "content"}
	for _, test := range []struct {
		public bool
		url    string
		want   string
	}{
		{true, "nfs://h/a/b/c", "LOOKUP READ"},
		{true, "nfs://h//a/b/c", "LOOKUP LOOKUP READ"},
		{true, "nfs://h/a/%62/./c", "LOOKUP READ"},
		{false, "nfs://h/a/b/c", "LOOKUP MOUNT EXPORT MNT UMNT LOOKUP LOOKUP LOOKUP READ"},
		{false, "nfs://h//a/b/c", "LOOKUP MOUNT EXPORT MNT UMNT LOOKUP LOOKUP LOOKUP READ"},
	} {
		m := newMemory(t, files)
		m.public = test.public
		got, err := get(t, client(m), test.url)
		calls := strings.Join(m.calls(), " ")
		if got != "content" || err != nil || calls != test.want {
			t.Errorf("%q (public %v) = %q, %v, by %s, want %s", test.url, test.public, got, err, calls, test.want)
		}
	}
}

// A Pool keeps the connection and the mounted root.
func TestPool(t *testing.T) {
	m := newMemory(t, map[string]string{"a": "one", "b": "two"})
	c := client(m)
	c.Pool = &nfs.Pool{}
	dials := 0
	dial := c.Dial
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		dials++
		return dial(ctx, network, address)
	}
	for range 3 {
		if got, err := get(t, c, "nfs://h/a"); got != "one" || err != nil {
			t.Fatalf("Get = %q, %v", got, err)
		}
	}
	calls := strings.Join(m.calls(), " ")
	const want = "LOOKUP MOUNT EXPORT MNT UMNT LOOKUP READ LOOKUP READ LOOKUP READ"
	if calls != want || dials != 1 {
		t.Errorf("%d connections with %s, want one with %s", dials, calls, want)
	}
	c.CloseIdleConnections()
	if got, err := get(t, c, "nfs://h/b"); got != "two" || err != nil || dials != 2 {
		t.Errorf("after CloseIdleConnections: %q, %v, %d connections", got, err, dials)
	}
	c.Pool.Close()
	if got, err := get(t, c, "nfs://h/b"); got != "two" || err != nil {
		t.Errorf("after Close: %q, %v", got, err)
	}
}

// A connection of a request for any address does not serve a request for public addresses,
// because its Dial did not check the address.
func TestPoolPublicOnly(t *testing.T) {
	m := newMemory(t, map[string]string{"a": "one"})
	c := client(m)
	c.Pool = &nfs.Pool{}
	defer c.Pool.Close()
	if _, err := get(t, c, "nfs://h/a"); err != nil {
		t.Fatal(err)
	}
	notPublic := errors.New("not public")
	c.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, notPublic }
	if _, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("nfs://h/a"), PublicOnly: true}); !errors.Is(err, notPublic) {
		t.Errorf("Get with PublicOnly = %v, want the error of a new Dial", err)
	}
}

// A connection that the server closed while it was idle, and a handle that the server forgot in
// a restart, are replaced once.
func TestRestartedServer(t *testing.T) {
	m := newMemory(t, map[string]string{"a": "one"})
	c := client(m)
	c.Pool = &nfs.Pool{}
	if _, err := get(t, c, "nfs://h/a"); err != nil {
		t.Fatal(err)
	}
	again := newMemory(t, map[string]string{"x": "", "a": "two"})
	again.files["other"] = again.files[root] // the root has another handle
	again.before = func(call *rpcCall, w *xdrWriter) bool {
		if call.name != "MNT" {
			return false
		}
		for _, v := range []uint32{0, 0, 0, 0, 0} {
			w.Uint32(v)
		}
		w.String("other")
		w.Uint32(0)
		return true
	}
	delete(again.files, root)
	m.mu.Lock()
	m.before = func(*rpcCall, *xdrWriter) bool { return true } // closes the connection
	m.addr = again.addr
	m.mu.Unlock()
	if got, err := get(t, c, "nfs://h/a"); got != "two" || err != nil {
		t.Errorf("after a restart: %q, %v", got, err)
	}
}

// Symbolic links are followed within the export.
func TestLinks(t *testing.T) {
	// attack: A symbolic link of an NFS server leads out of the export | the link is refused
	files := map[string]string{
		"pub/file": "content", "rel@": "pub/file", "dots@": "pub/../pub/./file", "dir@": "pub", "pub/up@": "../top", "top": "top",
		"abs@": "/export/pub/file", "out@": "/etc/passwd", "above@": "../file", "loop@": "loop", "a@": "b", "b@": "a",
		"pub/out@": "../../x", "dangling@": "nowhere", "slash@": "pub/", "long@": strings.Repeat("x/", 400),
	}
	for _, public := range []bool{false, true} {
		m := newMemory(t, files)
		m.public, m.exports = public, []string{"/export"}
		c := client(m)
		base := "nfs://h/export/"
		if public {
			base = "nfs://h/"
		}
		for name, want := range map[string]string{
			"rel": "content", "dots": "content", "dir/file": "content", "pub/up": "top", "dir/up": "top",
		} {
			if got, err := get(t, c, base+name); got != want || err != nil {
				t.Errorf("%s (public %v) = %q, %v, want %q", name, public, got, err, want)
			}
		}
		if got, err := titles(t, c, base+"slash/"); err != nil || !slices.Equal(got, []string{"file", "out", "up"}) {
			t.Errorf("slash/ (public %v) = %q, %v", public, got, err)
		}
		for name, want := range map[string]error{
			"out": fs.ErrPermission, "above": fs.ErrPermission, "pub/out": fs.ErrPermission, "loop": fs.ErrPermission, "a": fs.ErrPermission,
			"dangling": fs.ErrNotExist, "top/x": fs.ErrNotExist, "..": fs.ErrPermission, "long": fs.ErrNotExist,
		} {
			if got, err := get(t, c, base+name); !errors.Is(err, want) {
				t.Errorf("%s (public %v) = %q, %v, want %v", name, public, got, err, want)
			}
		}
		got, err := get(t, c, base+"abs")
		if public && !errors.Is(err, fs.ErrPermission) || !public && (got != "content" || err != nil) {
			t.Errorf("abs (public %v) = %q, %v", public, got, err)
		}
	}
}

// The longest export above the path is mounted. A path above the exports is a listing.
func TestExports(t *testing.T) {
	m := newMemory(t, map[string]string{"a/b": "content"})
	m.exports = []string{"/srv/data/deep", "/srv/data", "/home", "/srv/other", "/srv"}
	c := client(m)
	for u, want := range map[string]string{
		"nfs://h/": "srv home", "nfs://h": "srv home", "nfs://h//": "srv home",
	} {
		if got, err := titles(t, c, u); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q = %q, %v, want %q", u, got, err, want)
		}
	}
	for _, u := range []string{"nfs://h/srv/data/a/b", "nfs://h//srv/data/a/b", "nfs://h/srv/a/b", "nfs://h/home/a/b", "nfs://h/srv/data/deep/a/b"} {
		if got, err := get(t, c, u); got != "content" || err != nil {
			t.Errorf("%q = %q, %v", u, got, err)
		}
	}
	_, err := get(t, c, "nfs://h/nowhere/x")
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(access.Hint(err), "nfs://h/") {
		t.Errorf("a path that is not exported gives %v, hint %q", err, access.Hint(err))
	}
	m.exports = []string{"/srv/data", "/srv/other"}
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("nfs://h/srv")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || string(text) != "nfs://h/srv/data/\r\nnfs://h/srv/other/\r\n" {
		t.Errorf("the listing above exports is %q, %v", text, err)
	}
	found, err := c.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse("nfs://h/srv")})
	if err != nil || found.Kind != access.Directory {
		t.Errorf("Stat above the exports = %+v, %v", found, err)
	}
	for _, op := range []access.Op{access.Put, access.Delete} {
		if _, err := c.Do(t.Context(), &access.Request{Op: op, URL: url.MustParse("nfs://h/srv")}); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%v above the exports = %v", op, err)
		}
	}
}

// If a server lacks EXPORT, the client mounts its root.
func TestNoExportList(t *testing.T) {
	m := newMemory(t, map[string]string{"a": "content"})
	m.refuse = map[string]uint32{"EXPORT": 20003}
	if got, err := get(t, client(m), "nfs://h/a"); got != "content" || err != nil {
		t.Errorf("Get = %q, %v", got, err)
	}
}

// The user is nobody unless the Client has an Identity. If a server refuses nobody, the client
// calls it without a user.
func TestIdentity(t *testing.T) {
	m := newMemory(t, map[string]string{"a": "content"})
	c := client(m)
	for _, test := range []struct {
		identity *nfs.Identity
		want     string
	}{
		{nil, "1 0000000000000000" + "0000fffe0000fffe" + "00000000"},
		{&nfs.Identity{UID: 1000, GID: 100, Groups: []uint32{5}}, "1 0000000000000000" + "000003e800000064" + "0000000100000005"},
		{&nfs.Identity{Groups: make([]uint32, 20)}, "1 0000000000000000" + "0000000000000000" + "00000010" + strings.Repeat("00000000", 16)},
	} {
		m.callers = map[string]bool{}
		c.Identity = test.identity
		if _, err := get(t, c, "nfs://h/a"); err != nil || len(m.callers) != 1 || !m.callers[test.want] {
			t.Errorf("with Identity %+v the server sees the users %v, %v, want %q", test.identity, m.callers, err, test.want)
		}
	}
	m.public, c.Identity = true, nil
	m.before = func(call *rpcCall, w *xdrWriter) bool {
		if len(m.callers) > 1 { // the call without a user has come
			return false
		}
		for _, v := range []uint32{1, 1, 5} { // denied, AUTH_ERROR, AUTH_TOOWEAK
			w.Uint32(v)
		}
		return true
	}
	m.callers = map[string]bool{}
	if got, err := get(t, c, "nfs://h/a"); got != "content" || err != nil || !m.callers["0 "] {
		t.Errorf("without a user: %q, %v, %v", got, err, m.callers)
	}
	m.callers, c.Identity = map[string]bool{}, &nfs.Identity{UID: 1}
	if _, err := get(t, c, "nfs://h/a"); !errors.Is(err, fs.ErrPermission) || access.Hint(err) == "" {
		t.Errorf("a chosen user that is refused gives %v", err)
	}
}

// A server that refuses every call may want a port below 1024.
func TestInsecureHint(t *testing.T) {
	for refuse, status := range map[string]uint32{"MNT": 13, "EXPORT": 0, "LOOKUP": 1} {
		m := newMemory(t, map[string]string{"a": "content"})
		m.refuse = map[string]uint32{refuse: status}
		if refuse == "EXPORT" {
			m.refuse, m.before = nil, func(call *rpcCall, w *xdrWriter) bool {
				if call.name != "EXPORT" {
					return false
				}
				for _, v := range []uint32{1, 1, 5} {
					w.Uint32(v)
				}
				return true
			}
		}
		_, err := get(t, client(m), "nfs://h/a")
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(access.Hint(err), "insecure") {
			t.Errorf("%s refused: %v, hint %q", refuse, err, access.Hint(err))
		}
	}
}

// A request with RequireTLS, or without Dial, is refused.
func TestRefusals(t *testing.T) {
	m := newMemory(t, nil)
	c := client(m)
	c.Security = access.RequireTLS
	if _, err := get(t, c, "nfs://h/a"); !errors.Is(err, wire.ErrNoTLS) {
		t.Errorf("RequireTLS gives %v", err)
	}
	if _, err := get(t, nfs.Client{}, "nfs://h/a"); !errors.Is(err, access.ErrNoDial) {
		t.Errorf("no Dial gives %v", err)
	}
}
