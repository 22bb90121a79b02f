package gateway_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/gateway"
	"locus/guard"
	"locus/url"
)

// The page of an error begins with a sentence. Advice and links come before the details.
func TestErrorsAreSentences(t *testing.T) {
	for _, test := range []struct {
		err        error
		title, way string
	}{
		{&net.DNSError{Err: "no such host", Name: "h.example", IsNotFound: true}, "h.example was not found.", "Check the spelling"},
		{&net.DNSError{Err: "server misbehaving", Name: "h.example"}, "The address of h.example could not be looked up.", "Try again later."},
		{&net.OpError{Op: "dial", Err: errors.New("connection refused")}, "h.example does not accept connections.", "The server may be down"},
		{context.DeadlineExceeded, "h.example did not answer in time.", "Try again later."},
		{fs.ErrNotExist, "“x y” was not found at h.example.", "Go up to pub"},
		{fs.ErrPermission, "You do not have permission to open “x y” at h.example.", "Go up to pub"},
		{fs.ErrInvalid, "“x y” is not a valid file name.", "Go up to pub"},
		{access.ErrNoScheme, "This gateway cannot open “ftp” URLs.", ""},
		{errors.ErrUnsupported, "This gateway cannot open “x y”.", ""},
		{
			&engine.Refusal{Reply: access.Reply{Code: 114, Text: "unsupported use attribute: 9999"}, Means: errors.ErrUnsupported},
			"h.example does not support this kind of request.", "",
		},
		{io.ErrUnexpectedEOF, "h.example stopped before it had sent everything.", "Try again later."},
		{access.ErrProtocol, "h.example does not answer as a server for “ftp” URLs.", ""},
		{access.ErrLoop, "This URL leads back to this gateway.", ""},
		{&net.OpError{Op: "dial", Err: access.ErrLoop}, "This URL leads back to this gateway.", ""}, // as a guard says it
		{errors.New("<b>odd</b>"), "“x y” could not be opened.", ""},
	} {
		g := &gateway.Gateway{Archive: "https://archive.example/{url}", Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			return nil, engine.Fail("open", req.URL, test.err)
		})}
		_, body, err := serve(t, g)("GET", "/ftp://h.example/pub/x%20y")
		if err != nil || !hasInOrder(body, "<h1>"+test.title+"</h1>", test.way, "<dt>Details</dt>") ||
			!strings.Contains(body, `href="/https://archive.example/ftp://h.example/pub/x%20y">Look for an archived copy</a>`) || strings.Contains(body, "<b>odd") {
			t.Errorf("%v: %v, want %q and %q in\n%s", test.err, err, test.title, test.way, body)
		}
	}
}

// If the password in a URL is wrong, asking the browser does not help, because the URL keeps the wrong
// password. So the page links to the URL without the password, and the browser asks there. If the
// browser sent the wrong password, the gateway asks again.
func TestWrongPassword(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return nil, engine.Fail("open", req.URL, access.ErrLogin)
	})})
	for _, test := range []struct {
		path, field string // "Name: value"
		status      int
		asks        bool
		way         string
	}{
		{"/ftp://ada:wrong@h.example/pub/", "", 403, false, `<a href="/ftp://ada@h.example/pub/">Log in again</a>`},
		{"/ftp://ada@h.example/pub/", "Authorization: Basic OndyYW5n", 401, true, "Try again"},
	} {
		resp, body, err := get("GET", test.path, test.field)
		if err != nil || resp.StatusCode != test.status || (resp.Header.Get("WWW-Authenticate") != "") != test.asks ||
			!hasInOrder(body, "<h1>h.example does not accept the user name or the password.</h1>", test.way) {
			t.Errorf("GET %s = %d, %v, asks with %q, want %d and %q\n%s", test.path, resp.StatusCode, err, resp.Header.Get("WWW-Authenticate"), test.status, test.way, body)
		}
	}
}

// The page of an error names the remedy of the error, or another URL that the user may mean.
func TestErrorsLeadOn(t *testing.T) {
	for _, test := range []struct {
		path  string
		err   error
		title string
		want  string // on the page
		not   string
	}{
		{"gopher://h:25/", guard.Ports{}.Check(url.MustParse("gopher://h:25/")), "This gateway does not open port 25.", "Whoever runs the gateway can allow the port.", "Try again<"},
		{"file:///etc/x", fs.ErrNotExist, "“x” was not found.", "Go up to etc", "at The server"},
		{"file:///etc/x", fs.ErrPermission, "You do not have permission to open “x”.", "Go up to etc", "at The server"},
		{"htp://h/x", access.ErrNoScheme, "This gateway cannot open “htp” URLs.", `<a href="/http://h/x">Open it as http</a>`, "Try again<"},
		{"htp://h/x", access.WithRemedy(access.ErrNoScheme, access.Advice("did you mean http://h/x?")), "This gateway cannot open “htp” URLs.", "Did you mean http://h/x?<", "?."},
		{"quux://h/x", access.ErrNoScheme, "This gateway cannot open “quux” URLs.", `<a href="/-/schemes">See the schemes that this gateway knows</a>`, "Open it as"},
		{"https://h:17021/x", tls.RecordHeaderError{Msg: "odd", RecordHeader: [5]byte([]byte("220 d"))}, "h does not answer as a server for “https” URLs.", `<a href="/ftp://h:17021/x">Open it as ftp</a>`, ""},
		{"https://h:17119", tls.RecordHeaderError{Msg: "odd", RecordHeader: [5]byte([]byte("200 d"))}, "h does not answer as a server for “https” URLs.", `<a href="/news://h:17119/">Open it as news</a>`, ""},
		{"https://h:8080/a?b", tls.RecordHeaderError{Msg: "odd", RecordHeader: [5]byte([]byte("HTTP/"))}, "h does not answer as a server for “https” URLs.", `<a href="/http://h:8080/a?b">Open it as http</a>`, ""},
		{"https://h:1738", tls.RecordHeaderError{Msg: "odd", RecordHeader: [5]byte([]byte("OK hi"))}, "h does not answer as a server for “https” URLs.", `<a href="/http://h:1738">Open it as http</a>`, ""},
		{"http://h:17021/", errors.New(`net/http: malformed HTTP response "220 welcome"`), "h does not answer as a server for “http” URLs.", `<a href="/ftp://h:17021/">Open it as ftp</a>`, ""},
		{"https://comp.lang.c", &net.DNSError{Name: "comp.lang.c", IsNotFound: true}, "comp.lang.c was not found.", `<a href="/news:comp.lang.c">Open the newsgroup comp.lang.c</a>`, ""},
		{"https://www.example.org", &net.DNSError{Name: "www.example.org", IsNotFound: true}, "www.example.org was not found.", "Check the spelling", "newsgroup"},
	} {
		g := &gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			return nil, engine.Fail("open", req.URL, test.err)
		})}
		_, body, err := serve(t, g)("GET", "/"+test.path)
		if err != nil || !hasInOrder(body, "<h1>"+test.title+"</h1>", test.want) || test.not != "" && strings.Contains(body, test.not) {
			_, body, _ = strings.Cut(body, "<main")
			t.Errorf("%s, %v: %v, want %q and %q, not %q, in\n%s", test.path, test.err, err, test.title, test.want, test.not, body)
		}
	}
}

// A path that is not a URL gets the page with guesses, as if it were typed into the field.
func TestPathsThatAreNoURL(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: resources{}})
	for _, test := range []struct{ path, want string }{
		{"/lenses", `<a href="/ftp://lenses/">`},
		{"/ftp//h.example/x", `<a href="/ftp://h.example/x">Open ftp://h.example/x</a>`},
		{"/two%20words", "“two words” is not a complete URL"},
		{"/ftp.example.org", `<a href="/ftp://ftp.example.org">Open ftp://ftp.example.org</a>`},
		{"/example.org/a%20b?c", `<a href="/https://example.org/a%20b?c">Open https://example.org/a%20b?c</a>`},
		{"/%3Cscript%3Ex", "“&lt;script&gt;x” is not a complete URL"},
	} {
		resp, body, err := get("GET", test.path)
		if err != nil || resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, test.want) || strings.Contains(body, "<script>x") {
			t.Errorf("GET %s = %d, %v, want 400, %q\n%s", test.path, resp.StatusCode, err, test.want, body)
		}
	}
}

// The gateway does not offer an archived copy of URLs on this machine or in its network, nor of URLs from which an archive
// cannot fetch a copy: uploads, sessions, addresses, accounts and unknown schemes.
func TestArchiveOfInnerURLs(t *testing.T) {
	get := serve(t, &gateway.Gateway{Archive: "https://archive.example/{url}", Engine: resources{}})
	for _, path := range []string{
		"/ftp://127.0.0.1/x", "/ftp://router/x", "/ftp://h.internal/x", "/news:1@h.example",
		"/titan://h.example/x", "/telnet://h.example/", "/smtp://h.example/", "/mailto:ada@h.example", "/sftp://h.example/x", "/ssh://h.example/",
		"/news://h.example/comp.lang.c", "/irc://h.example/x", "/z39.50://h.example/", "/unknown://h.example/x",
	} {
		if _, body, _ := get("GET", path); strings.Contains(body, "archived copy") {
			t.Errorf("GET %s offers an archived copy", path)
		}
	}
	for _, path := range []string{"/http://h.example/x", "/gopher://h.example/0/x", "/gemini://h.example/x"} {
		if _, body, _ := get("GET", path); !strings.Contains(body, "archived copy") {
			t.Errorf("GET %s does not offer an archived copy", path)
		}
	}
	if _, body, _ := get("GET", "/ftp://u:secret@h.example/x"); !strings.Contains(body, "archived copy") || strings.Contains(body, "archive.example/ftp://u:secret") {
		t.Errorf("the archive learns the password:\n%s", body)
	}
}

// The field takes what people type, and keeps it.
func TestTyped(t *testing.T) { synctest.Test(t, testTyped) }

func testTyped(t *testing.T) {
	get := serveHere(&gateway.Gateway{Engine: resources{}, GopherSearch: url.MustParse("gopher://g/7/v2/vs")})
	_, front, _ := get("GET", "/", "Accept: text/html")
	ticket := ticketIn(t, front)
	time.Sleep(time.Second) // younger forms do not count
	for _, test := range []struct {
		typed  string
		status int
		want   string // the Location, or in the page
	}{
		{"ftp://h/a%20b%20%C3%A9", 303, "/ftp://h/a%20b%20%C3%A9"},
		{"ftp://h/a b é", 303, "/ftp://h/a%20b%20%C3%A9"},
		{"h.example:21", 303, "/ftp://h.example:21"},
		{"h.example:70/1/x", 303, "/gopher://h.example:70/1/x"},
		{"h.example:8080", 303, "/https://h.example:8080"},
		{"", 303, "/"},
		{" ", 303, "/"},
		{"ftp//h.example/a%20b", 400, `<a href="/ftp://h.example/a%20b">Open ftp://h.example/a%20b</a>`},
		{"ftp//h.example/a b é", 400, `<a href="/ftp://h.example/a%20b%20%C3%A9">`},
		{"ftp//h.example/", 400, `value="ftp://h.example/"`},
		{"gopher//", 400, `value="gopher://"`},
		{"http//h.example/", 400, `<a href="/http://h.example/">`},
		{"htp://h.example/a", 303, "/htp://h.example/a"},
		{"lenses", 400, `<a href="/gopher://g/7/v2/vs%09lenses">Search gopher for “lenses”</a>`},
		{"lenses", 400, `<a href="/ftp://lenses/">`},
		{"lenses", 400, `value="lenses"`},
		{"two words", 400, `<a href="/gopher://g/7/v2/vs%09two%20words">`},
		{"ada@h.example", 400, `<a href="/mailto:ada@h.example">`},
		{"<script>x", 400, "“&lt;script&gt;x” is not a complete URL"},
		{"http://[", 400, `value="http://["`},
	} {
		query := strings.NewReplacer("%", "%25", " ", "%20", "é", "%C3%A9", "<", "%3C", ">", "%3E").Replace(test.typed)
		resp, body, err := get("GET", "/-/open?ticket="+ticket+"&url="+query)
		got := body
		if test.status == http.StatusSeeOther {
			got = resp.Header.Get("Location")
		}
		if err != nil || resp.StatusCode != test.status || !strings.Contains(got, test.want) || strings.Contains(body, "<script>x") {
			t.Errorf("%q = %d, %v, want %d, %q\n%s", test.typed, resp.StatusCode, err, test.status, test.want, got)
		}
	}
}

// The pages of a shared gateway do not let the browser remember URLs.
func TestShared(t *testing.T) {
	get := serve(t, &gateway.Gateway{Shared: true, Engine: resources{"ftp://h/": menu(io.EOF)}})
	for _, path := range []string{"/", "/ftp://h/"} {
		if _, body, _ := get("GET", path); strings.Contains(body, "recent") {
			t.Errorf("GET %s: the page remembers:\n%s", path, body)
		}
	}
}
