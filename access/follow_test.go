package access

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"locus/url"
)

// redirects is an Engine that redirects URLs; it opens all others.
type redirects map[string]string

func (m redirects) move(req *Request) error {
	text, _, _ := strings.Cut(req.URL.String(), "#")
	if to, ok := m[text]; ok {
		return fmt.Errorf("wrapped: %w", &Moved{To: url.MustParse(to), Reply: &Reply{302, "Found"}})
	}
	return nil
}

func (m redirects) Do(_ context.Context, req *Request) (*Resource, error) {
	if err := m.move(req); err != nil {
		return nil, err
	}
	return &Resource{Entry: Entry{URL: req.URL, Sys: req}, Body: io.NopCloser(strings.NewReader(""))}, nil
}

var moves = redirects{
	"http://h/1": "http://h/2", "http://h/2": "http://h/3",
	"http://h/own": "http://h/3#own",
	"http://h/a":   "http://h/b", "http://h/b": "http://h/a",
	"http://h/self":    "http://h/self",
	"http://h/file":    "file:///etc/passwd",
	"http://h/mail":    "mailto:a@b",
	"http://h/ftp":     "ftp://h/x",
	"http://h/script":  "javascript:x",
	"http://h/secret":  "file://u:sesame@h/",
	"http://h/up":      "https://h/3",
	"https://h/down":   "http://h/3",
	"https://h/away":   "http://other/",
	"https://u@h/down": "http://u@h/3",
	"https://u@h/over": "https://other/3",
	"ftp://h/gone":     "http://h/1",
	"prospero://h/x":   "ftp://h/x",
	"gopher://h/8":     "telnet://h/",
	"gopher://h/x":     "file:///x",
	"http://other/":    "http://h/3",
	"http://h:80/":     "http://h:80/x",
	"http://h:80/x":    "http://h:81/x",
	"http://h/longer":  "http://h/1",
	"ftps://u@h/x":     "ftp://u@h/x",
	"http://h/round":   "http://h/turn#x",
	"http://h/into":    "http://h/a",
	"http://h/turn":    "http://h/round",
}

func TestFollow(t *testing.T) {
	for _, test := range []struct {
		from, to string // an empty to is a refusal
		max      int
		endless  bool // the error does not suggest the target
	}{
		{from: "http://h/3", to: "http://h/3"},
		{from: "http://h/1", to: "http://h/3"},
		{from: "http://h/1#f", to: "http://h/3#f"},
		{from: "http://h/1#", to: "http://h/3#"},
		{from: "http://h/own#f", to: "http://h/3#own"},
		{from: "http://h/up", to: "https://h/3"},
		{from: "https://h/down", to: "http://h/3"},
		{from: "https://u@h/over", to: "https://other/3"},
		{from: "ftp://h/gone", to: "http://h/3"},
		{from: "prospero://h/x", to: "ftp://h/x"},
		{from: "http://h/longer", max: 3, to: "http://h/3"},
		{from: "http://h/longer", max: 2, endless: true},
		{from: "http://h/1", max: 1, endless: true},
		{from: "http://h/a", endless: true},
		{from: "http://h/self", endless: true},
		{from: "http://h/file"},
		{from: "http://h/mail"},
		{from: "http://h/ftp"},
		{from: "http://h/script"},
		{from: "https://u@h/down"},
		{from: "ftps://u@h/x"},
		{from: "gopher://h/8"},
		{from: "gopher://h/x"},
	} {
		f := Follow{Engine: moves, Max: test.max}
		req := &Request{URL: url.MustParse(test.from)}
		r, err := f.Do(t.Context(), req)
		e, statErr := f.Do(t.Context(), req.WithOp(Stat))
		if (statErr == nil) != (err == nil) {
			t.Errorf("Stat(%q) = %v, and Open %v", test.from, statErr, err)
		}
		if test.to == "" {
			if !errors.Is(err, ErrRedirect) || (Hint(err) == "") != test.endless {
				t.Errorf("Open(%q) = %v, hint %q, want ErrRedirect", test.from, err, Hint(err))
			}
			continue
		}
		if err != nil {
			t.Errorf("Open(%q) = %v, want %q", test.from, err, test.to)
		} else if r.URL.String() != test.to || e.URL.String() != test.to {
			t.Errorf("Open(%q) leads to %q, Stat to %q, want %q", test.from, r.URL, e.URL, test.to)
		}
		if req.URL.String() != test.from {
			t.Errorf("Open(%q) has changed the Request to %q", test.from, req.URL)
		}
	}
}

// The error for a refused redirect names the target without its password. An outer
// Follow does not follow it either.
func TestFollowRefusal(t *testing.T) {
	anything := func(_, _ url.URL) error { return nil }
	f := Follow{Engine: Follow{Engine: moves}, Allow: anything}
	_, err := f.Do(t.Context(), &Request{URL: url.MustParse("http://h/secret")})
	if !errors.Is(err, ErrRedirect) {
		t.Fatalf("Open = %v, want ErrRedirect", err)
	}
	for _, text := range []string{err.Error(), Hint(err)} {
		if !strings.Contains(text, "file://u:xxxxx@h/") || strings.Contains(text, "sesame") {
			t.Errorf("the refusal says %q, want the target without its password", text)
		}
	}
	if e, ok := errors.AsType[*Error](err); !ok || e.Reply.String() != "302 Found" {
		t.Errorf("the refusal is %#v, want an *Error with the reply", err)
	}
}

// Login is not sent to another host.
func TestFollowPassword(t *testing.T) {
	ask := func(context.Context, Challenge) (Credentials, error) { return Credentials{Password: "sesame"}, nil }
	for from, kept := range map[string]bool{
		"http://h/1": true, "http://other/": false, "http://h/up": false, "http://h:80/": false,
	} {
		r, err := Follow{Engine: moves}.Do(t.Context(), &Request{URL: url.MustParse(from), Login: ask})
		if err != nil {
			t.Fatalf("%q: %v", from, err)
		}
		if got := r.Sys.(*Request).Login != nil; got != kept {
			t.Errorf("a redirect from %q takes the password along: %v, want %v", from, got, kept)
		}
	}
}

func TestFollowAllow(t *testing.T) {
	never := errors.New("never")
	f := Follow{Engine: moves, Allow: func(from, to url.URL) error { return never }}
	if _, err := f.Do(t.Context(), &Request{URL: url.MustParse("http://h/1")}); !errors.Is(err, never) {
		t.Errorf("Open = %v, want the error of Allow", err)
	}
}

func TestFollowPassesThrough(t *testing.T) {
	var asked []string
	for _, err := range doAll(t, Follow{Engine: full{&asked}}, url.MustParse("x:y")) {
		if err != nil {
			t.Errorf("Follow gives %v", err)
		}
	}
	if len(asked) != 9 {
		t.Errorf("the Engine was asked %q, want nine things", asked)
	}
	for _, err := range doAll(t, Follow{}, url.MustParse("x:y")) {
		if !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("the zero Follow gives %v, want errors.ErrUnsupported", err)
		}
	}
}

// A change is not sent to the target of a redirect, not even by an outer Follow.
func TestFollowChangesStay(t *testing.T) {
	anything := func(_, _ url.URL) error { return nil }
	f := Follow{Engine: Follow{Engine: moves, Allow: anything}, Allow: anything}
	for _, op := range []Op{Put, Append, Delete, MakeDir} {
		_, err := f.Do(t.Context(), &Request{Op: op, URL: url.MustParse("http://h/1"), Body: strings.NewReader("")})
		if e, ok := errors.AsType[*Error](err); !ok || e.Op != op.String() || !errors.Is(err, ErrRedirect) || !strings.Contains(Hint(err), "http://h/2") {
			t.Errorf("%s = %v, hint %q, want ErrRedirect and the target", op, err, Hint(err))
		}
	}
}

// A changeRedirector redirects changes at host "first" to "to", with 307 or 308.
type changeRedirector struct {
	to    string
	reads int64 // how many bytes it takes before it answers
	got   *string
}

func (f changeRedirector) Do(_ context.Context, req *Request) (*Resource, error) {
	if host, _ := req.URL.Host(); host == "first" {
		_, _ = io.CopyN(io.Discard, req.Body, f.reads)
		return nil, &Moved{To: url.MustParse(f.to), Repeat: true}
	}
	got, err := io.ReadAll(req.Body)
	*f.got = req.URL.String() + " " + string(got)
	return done(req.URL, err)
}

func TestFollowRepeatsChanges(t *testing.T) {
	for _, test := range []struct {
		from, to string
		seeks    bool
		reads    int64
		want     string // "" if it is refused
	}{
		{"http://first/", "http://second/", true, 0, "http://second/ text"},
		{"http://first/", "http://second/", true, 3, "http://second/ text"},
		{"http://first/", "https://second/", true, 9, "https://second/ text"},
		{"http://first/", "http://second/", false, 0, "http://second/ text"},
		{"http://first/", "http://second/", false, 1, ""},
		{"https://first/", "http://second/", true, 0, ""},
		{"http://first/", "ftp://second/", true, 0, ""},
		{"http://first/", "file:///second", true, 0, ""},
	} {
		var got string
		seeker := strings.NewReader("(text")
		_, _ = seeker.ReadByte() // the body starts here
		body := io.Reader(seeker)
		if !test.seeks {
			body = io.MultiReader(seeker)
		}
		asked := false
		req := &Request{Op: Put, URL: url.MustParse(test.from), Body: body, Size: -1, Login: func(context.Context, Challenge) (Credentials, error) {
			asked = true
			return Credentials{}, nil
		}}
		_, err := Follow{Engine: changeRedirector{to: test.to, reads: test.reads, got: &got}}.Do(t.Context(), req)
		if got != test.want || (err == nil) != (test.want != "") || asked {
			t.Errorf("a change moved from %q to %q after %d bytes = %v and stores %q, want %q", test.from, test.to, test.reads, err, got, test.want)
		}
		if err != nil && !errors.Is(err, ErrRedirect) {
			t.Errorf("a change moved from %q to %q = %v, want ErrRedirect", test.from, test.to, err)
		}
	}
}

// A loop is found although the fragments differ.
func TestFollowCircle(t *testing.T) {
	for from, want := range map[string]int{"http://h/self": 1, "http://h/a": 2, "http://h/round": 2, "http://h/round#x": 2, "http://h/turn#y": 2, "http://h/into": 3} {
		asked := 0
		o := GetFunc(func(ctx context.Context, req *Request) (*Resource, error) {
			asked++
			return moves.Do(ctx, req)
		})
		_, err := Follow{Engine: o}.Do(t.Context(), &Request{URL: url.MustParse(from)})
		if asked != want || !errors.Is(err, ErrRedirect) {
			t.Errorf("Open(%q) asks %d times, %v, want %d", from, asked, err, want)
		}
	}
}

// An Engine gets a request whose Body it can get again, if that is possible.
func TestFollowBody(t *testing.T) {
	seeks := strings.NewReader("(text")
	_, _ = seeks.ReadByte()
	again := func() (io.Reader, error) { return strings.NewReader("text"), nil }
	for _, test := range []struct {
		name    string
		body    io.Reader
		getBody func() (io.Reader, error)
		repeats bool
	}{
		{"nothing", nil, nil, false},
		{"what can seek", seeks, nil, true},
		{"a stream", io.MultiReader(strings.NewReader("text")), nil, false},
		{"a stream with GetBody", io.MultiReader(strings.NewReader("text")), again, true},
	} {
		var given *Request
		e := putting(func(req *Request) { given = req })
		if _, err := (Follow{Engine: e}).Do(t.Context(), &Request{Op: Put, URL: url.MustParse("x:y"), Body: test.body, GetBody: test.getBody, Size: -1}); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if (given.Body == nil) != (test.body == nil) {
			t.Errorf("of %s the Engine is given a %T", test.name, given.Body)
		}
		if given.Body == nil {
			continue
		}
		if got, err := io.ReadAll(given.Body); string(got) != "text" || err != nil {
			t.Errorf("of %s the Engine reads %q, %v", test.name, got, err)
		}
		second, err := given.GetBody()
		if (err == nil) != test.repeats {
			t.Errorf("GetBody of %s = %v, want to get it again: %v", test.name, err, test.repeats)
		}
		if err == nil {
			if got, err := io.ReadAll(second); string(got) != "text" || err != nil {
				t.Errorf("of %s the Engine reads %q, %v the second time", test.name, got, err)
			}
		}
	}
}

// putting is an Engine that calls a function with each request.
type putting func(*Request)

func (e putting) Do(_ context.Context, req *Request) (*Resource, error) {
	e(req)
	return done(req.URL, nil)
}

// A redirect after the answers of a form leads to a resource without a form.
func TestFollowAnswers(t *testing.T) {
	var asked []string
	f := Follow{Engine: asking{full{&asked}}}
	r, err := f.Do(t.Context(), &Request{URL: url.MustParse("http://h/form"), Answers: []Answer{}})
	if want := "answer http://h/form, open http://h/result"; err != nil || strings.Join(asked, ", ") != want || r.URL.String() != "http://h/result" {
		t.Errorf("Answer = %v, %v after %q, want %q", r, err, asked, want)
	}
}

// asking is an Engine that redirects the answers of a form.
type asking struct{ full }

func (e asking) Do(ctx context.Context, req *Request) (*Resource, error) {
	r, err := e.full.Do(ctx, req)
	if err == nil && req.Answers != nil {
		return nil, &Moved{To: url.MustParse("http://h/result")}
	}
	return r, err
}

// AllowRedirect decides by the schemes of the source and the target.
func TestAllowRedirect(t *testing.T) {
	// attack: A redirect leads to a file, directly or through a gateway | it is not followed
	web := []string{"http", "https"}
	net := append(web, "ftp", "ftps", "gopher", "nntp", "nntps", "wais", "prospero")
	never := []string{"file", "mailto", "telnet", "rlogin", "tn3270", "news", "snews", "mid", "cid", "data", "javascript", "urn", "x-own", "sftp", "titan"}
	for _, from := range append(net, never...) {
		for _, to := range append(net, never...) {
			want := slices.Contains(net, to)
			if slices.Contains(web, from) {
				want = slices.Contains(web, to)
			}
			err := Schemes(nil).AllowRedirect(url.MustParse(from+"://h/"), url.MustParse(to+"://h/"))
			if (err == nil) != want {
				t.Errorf("AllowRedirect from %s to %s = %v, want to allow: %v", from, to, err, want)
			}
			away := slices.Contains([]string{"https", "ftps", "nntps", "snews", "sftp", "titan"}, from) && !slices.Contains([]string{"https", "ftps", "nntps"}, to)
			err = Schemes(nil).AllowRedirect(url.MustParse(from+"://u@h/"), url.MustParse(to+"://u@h/"))
			if (err == nil) != (want && !away) {
				t.Errorf("AllowRedirect from %s to %s with a user name = %v, want to allow: %v", from, to, err, want && !away)
			}
		}
	}
}

// A redirect to a gateway's URL of a file is refused, because the gateway may run on this
// machine.
func TestAllowRedirectByGateway(t *testing.T) {
	// attack: A redirect leads to a file, directly or through a gateway
	for to, want := range map[string]bool{
		"http://127.0.0.1:1738/file:///etc/passwd":                      false,
		"http://127.0.0.1:1738/FILE:/etc/passwd":                        false,
		"http://g/file%3A///etc/passwd":                                 false,
		"http://g/afs://cell/x":                                         false,
		"http://g/f%69le%3A%2F%2F/etc/passwd":                           false,
		"http://g/-/raw?url=file:///etc/passwd":                         false,
		"http://g/-/open?x=y&url=%66ile%3A///etc/passwd":                false,
		"http://g/-/open?url=+%3CURL:file:///etc/passwd%3E":             false,
		"http://g/http://127.0.0.1:1738/file:///etc/passwd":             false,
		"http://g/http:%5C%5C127.0.0.1:1738/file:///etc/passwd":         false, // the gateway reads it as browsers do
		"http://g/http:%5C127.0.0.1:1738%5Cfile:///etc/passwd":          false,
		"http://g/http:127.0.0.1:1738/file:///etc/passwd%7C":            false,
		"http://g/http:%5C%5C127.0.0.1:1738%5Cfile:///etc/passwd%25":    false,
		"http://g/http:%5C%5Cu%7C@h?url=file:///etc/passwd":             false,
		"http://g/ht%09tp://127.0.0.1:1738/file:///etc/passwd":          false,
		"http://g/?url=http://127.0.0.1:1738/-/raw?%7C%26url=file:///x": false,
		"http://127.0.0.1:1738/view-source:file:///etc/passwd":          false,
		"http://g/-/raw?url=View-Source:file:///etc/passwd":             false,
		"http://g/feed:feed:file:///etc/passwd":                         false,
		"http://g/webcal://127.0.0.1:1738/file:///etc/passwd":           false,
		"http://g/http://127.0.0.1:1738/pro%7Cfile:///x":                true,
		"http://g/view-source:http://h/":                                true,
		"http://wiki.example/File:Logo.png":                             true,
		"http://h/wiki/file:/x":                                         true,
		"http://h/?url=profile:///x":                                    true,
		"https://web.archive.org/web/2020/http://h.example/a/file/b:/x": true,
	} {
		if err := Schemes(nil).AllowRedirect(url.MustParse("http://h/"), url.MustParse(to)); (err == nil) != want {
			t.Errorf("AllowRedirect to %s = %v, want to allow: %v", to, err, want)
		}
	}
}

// The Resource has the fragment of the request, even if the Engine returns another URL.
// Characters that RFC 3986 does not allow in the fragment are escaped.
//
// req: 1630-syn-1
func TestFollowFragment(t *testing.T) {
	bare := GetFunc(func(ctx context.Context, req *Request) (*Resource, error) {
		r, err := moves.Do(ctx, req)
		if err == nil {
			r.URL = url.MustParse(withoutFragment(r.URL) + "/")
		}
		return r, err
	})
	for _, test := range []struct {
		engine   Engine
		from, to string
	}{
		{moves, `http://h/1#a"b%41`, "http://h/3#a%22b%41"},
		{moves, `http://h/3#a"b`, `http://h/3#a"b`},
		{bare, "http://h/3#f", "http://h/3/#f"},
		{bare, `http://h/1#a"b`, "http://h/3/#a%22b"},
		{bare, "http://h/own#f", "http://h/3/#own"},
		{bare, "http://h/3#", "http://h/3/#"},
		{bare, "http://h/3", "http://h/3/"},
	} {
		u, err := url.RFC1630.Parse(test.from)
		if err != nil {
			t.Fatalf("%s: %v", test.to, err)
		}
		r, err := Follow{Engine: test.engine}.Do(t.Context(), &Request{URL: u})
		if err != nil || r.URL.String() != test.to {
			t.Errorf("Open(%q) = %v, %v, want %s", u, r, err, test.to)
		}
	}
	// Append returns the URL of another resource, which does not get the fragment.
	added := func(req *Request) (*Resource, error) { return done(url.MustParse("news:a@b"), nil) }
	if r, err := (Follow{Engine: answering(added)}).Do(t.Context(), &Request{Op: Append, URL: url.MustParse("news:g#f")}); err != nil || r.URL.String() != "news:a@b" {
		t.Errorf("Append = %v, %v, want news:a@b", r, err)
	}
	none := func(req *Request) (*Resource, error) { return &Resource{Body: NoBody}, nil }
	if r, err := (Follow{Engine: answering(none)}).Do(t.Context(), &Request{Op: Stat, URL: url.MustParse("x:y#f")}); err != nil || r.URL != (url.URL{}) {
		t.Errorf("Stat = %v, %v, want the zero URL", r, err)
	}
}

// answering is an Engine that answers every request.
type answering func(*Request) (*Resource, error)

func (e answering) Do(_ context.Context, req *Request) (*Resource, error) { return e(req) }

// unseekable is an io.Seeker that cannot seek.
type unseekable struct{ io.Reader }

func (unseekable) Seek(int64, int) (int64, error) { return 0, errors.ErrUnsupported }

// A Body that cannot seek is sent to the target if the first server has not read it.
func TestFollowUnseekable(t *testing.T) {
	for reads, want := range map[int64]string{0: "http://second/ text", 1: ""} {
		var got string
		o := changeRedirector{to: "http://second/", reads: reads, got: &got}
		_, err := Follow{Engine: o}.Do(t.Context(), &Request{Op: Put, URL: url.MustParse("http://first/"), Body: unseekable{strings.NewReader("text")}, Size: -1})
		if got != want || (err == nil) != (want != "") {
			t.Errorf("a change moved after %d bytes = %v and stores %q, want %q", reads, err, got, want)
		}
	}
}

// A redirect to an unencrypted protocol does not get a login, not even from an Engine
// inside Follow.
func TestFollowUnencrypted(t *testing.T) {
	asked := func(req *Request) (Credentials, error) {
		if req.Login == nil { // an Engine inside would ask for one of its own
			return Credentials{User: "ada", Password: "sesame"}, nil
		}
		return req.Login(t.Context(), Challenge{Host: "h", Optional: true})
	}
	for from, want := range map[string]Credentials{
		"http://h/1":     {User: "ada", Password: "sesame"},
		"http://h/up":    {User: "ada", Password: "sesame"},
		"https://h/down": {},
		"https://h/away": {}, // to another host, and from there to h
	} {
		r, err := Follow{Engine: moves}.Do(t.Context(), &Request{URL: url.MustParse(from)})
		if err != nil {
			t.Fatalf("%q: %v", from, err)
		}
		if got, err := asked(r.Sys.(*Request)); got != want || err != nil {
			t.Errorf("after a redirect from %q the login is %v, %v, want %v", from, got, err, want)
		}
	}
}

// For a caller that follows redirects itself, Follow decides about the last redirect, and
// another host does not get the login.
func TestFollowFrom(t *testing.T) {
	for _, test := range []struct {
		from, to string
		refused  bool
		login    bool
	}{
		{"http://a/1", "http://a/2", false, true},
		{"http://a/1", "http://b/2", false, false},
		{"http://a/1 http://b/2", "http://a/3", false, false},
		{"https://a/1", "http://a/2", false, false},
		{"http://a/1", "file:///x", true, false},
		{"http://a/1", "ftp://a/x", true, false},
		{"https://u@a/1", "http://a/2", true, false},
		{strings.Repeat("http://a/1 ", 10), "http://a/2", false, true},
		{strings.Repeat("http://a/1 ", 11), "http://a/2", true, false},
	} {
		req := &Request{URL: url.MustParse(test.to), Op: Send, Login: func(context.Context, Challenge) (Credentials, error) {
			return Credentials{User: "u"}, nil
		}}
		for from := range strings.FieldsSeq(test.from) {
			req.From = append(req.From, url.MustParse(from))
		}
		asked, hasLogin := false, false
		_, err := Follow{Engine: doFunc(func(_ context.Context, inner *Request) (*Resource, error) {
			asked = true
			if inner.Login != nil {
				got, err := inner.Login(t.Context(), Challenge{})
				hasLogin = err == nil && got.User == "u"
			}
			return &Resource{Body: NoBody}, nil
		})}.Do(t.Context(), req)
		if errors.Is(err, ErrRedirect) != test.refused || asked == test.refused || hasLogin != test.login {
			t.Errorf("from %q to %q: %v, asked %v, with a login %v; want refused %v, a login %v", test.from, test.to, err, asked, hasLogin, test.refused, test.login)
		}
	}
}

// A URL that redirects to itself until it sees its cookie is followed. Without a new cookie
// it is refused as a circle.
func TestFollowCookies(t *testing.T) {
	for _, test := range []struct {
		cookies  int // that the server sets before it answers
		isCircle bool
	}{{0, false}, {1, false}, {5, false}, {-1, true}} {
		left := test.cookies
		server := GetFunc(func(_ context.Context, req *Request) (*Resource, error) {
			switch {
			case left == 0:
				return done(req.URL, nil)
			case left > 0:
				left--
				req.Cookies.Changes++
			}
			return nil, &Moved{To: req.URL}
		})
		_, err := Follow{Engine: server}.Do(t.Context(), &Request{URL: url.MustParse("http://h/"), Cookies: new(Cookies)})
		if errors.Is(err, ErrCircle) != test.isCircle || !test.isCircle && err != nil {
			t.Errorf("after %d cookies: %v", test.cookies, err)
		}
	}
}

// done returns the answer to a change.
func done(u url.URL, err error) (*Resource, error) {
	if err != nil {
		return nil, err
	}
	return &Resource{Entry: Entry{URL: u, Size: -1}, Body: NoBody}, nil
}

// Hop sees each redirect, and can refuse it. The error has the reason of Hop in its tree.
func TestFollowHop(t *testing.T) {
	enough := errors.New("it is enough")
	var hops []string
	f := Follow{Engine: redirects{"http://h/1": "http://h/2", "http://h/2": "http://h/3", "http://h/3": "http://h/4"}, Hop: func(m *Moved, from url.URL) error {
		hops = append(hops, from.String()+" "+m.To.String())
		if len(hops) == 3 {
			return enough
		}
		return nil
	}}
	_, err := f.Do(t.Context(), &Request{URL: url.MustParse("http://h/1")})
	refused, ok := errors.AsType[*RedirectError](err)
	if !ok || refused.Why != enough || !errors.Is(err, ErrRedirect) || !errors.Is(err, enough) {
		t.Errorf("Do = %v", err)
	}
	if got, want := strings.Join(hops, "\n"), "http://h/1 http://h/2\nhttp://h/2 http://h/3\nhttp://h/3 http://h/4"; got != want {
		t.Errorf("the hops are\n%s\nwant\n%s", got, want)
	}
}
