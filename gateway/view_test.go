package gateway_test

import (
	"context"
	"html"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/access/engine"
	"locus/gateway"
)

const (
	navigating = "Sec-Fetch-Mode: navigate\nSec-Fetch-Dest: document\nSec-Fetch-Site: none\nAccept: text/html,*/*;q=0.8"
	embedding  = "Sec-Fetch-Mode: no-cors\nSec-Fetch-Dest: image\nSec-Fetch-Site: same-origin\nAccept: image/*\nHost: localhost\nReferer: http://localhost/ftp://h/d/"
	oldGoes    = "Accept: text/html,*/*;q=0.8\nHost: localhost\nReferer: http://localhost/" // a browser without Fetch Metadata, or lynx
)

// A browser that navigates to a text, a picture, a sound or a video gets a page around it. Other
// clients get the bytes.
func TestView(t *testing.T) {
	// attack: A name, README, text or picture contains scripts, also as SVG | pages show it as text, or load it as
	// a picture, which runs no script
	const svg = `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`
	engine := resources{
		"ftp://h/d/a.txt":  content("text/plain", "see http://x/ <script>alert(1)</script>"),
		"ftp://h/d/a.json": content("application/json", `{"a":1}`),
		"ftp://h/d/a.svg":  content("image/svg+xml", svg),
		"ftp://h/d/a.png":  content("image/png", "PNG"),
		"ftp://h/d/a.mp3":  content("audio/mpeg", "ID3"),
		"ftp://h/d/a.mp4":  content("video/mp4", "mp4"),
		"ftp://h/d/a.html": content("text/html", "<p>page"),
		"ftp://h/d/a.pdf":  content("application/pdf", "%PDF"),
		"ftp://h/d/a.bin":  content("", "\x00\x01"),
		"ftp://h/d/a":      content("", "plain words"),
		"ftp://h/d/latin":  content("text/plain; charset=iso-8859-2", "\xb1"),
		"gemini://h/a":     content("text/gemini", "# Tea\n=> b Leaves\n<script>alert(1)</script>"),
		"gemini://h/cut":   cutAs("text/gemini", "# Tea\nhalf of"),
		"ftp://h/d/long":   content("text/plain", strings.Repeat("0123456789\n", 60_000)),
		"ftp://h/d/cut":    cut("half of"),
	}
	get := serve(t, &gateway.Gateway{Engine: engine})
	for _, test := range []struct{ path, fields, want, not string }{
		{"/ftp://h/d/a.txt", navigating, `<pre class="text">see <a href="/http://x/">http://x/</a> &lt;script&gt;alert(1)`, "<script>alert"},
		{"/ftp://h/d/a.txt", oldGoes, `<pre class="text">`, ""},
		{"/ftp://h/d/a.txt", navigating + "\nRange: bytes=4-", "http://x/", "<pre"},
		{"/ftp://h/d/a.txt", "Accept: */*", "see http://x/", "<pre"},
		{"/ftp://h/d/a.txt", "", "see http://x/", "<pre"},
		{"/ftp://h/d/a.json", navigating, `<pre class="text">{&#34;a&#34;:1}`, ""},
		{"/ftp://h/d/a.svg", navigating, `<img src="/ftp://h/d/a.svg" alt="a.svg">`, "<svg"},
		{"/ftp://h/d/a.svg", embedding, "<svg", "<img"},
		{"/ftp://h/d/a.png", navigating, `<img src="/ftp://h/d/a.png" alt="a.png">`, ""},
		{"/ftp://h/d/a.png", embedding, "PNG", "<img"},
		{"/ftp://h/d/a.mp3", navigating, `<audio src="/ftp://h/d/a.mp3" controls`, ""},
		{"/ftp://h/d/a.mp4", navigating, `<video src="/ftp://h/d/a.mp4" controls`, ""},
		{"/ftp://h/d/a.html", navigating, "<p>page", "<h1>"},
		{"/ftp://h/d/a.pdf", navigating, "%PDF", "<h1>"},
		{"/ftp://h/d/a.bin", navigating, "\x00\x01", "<h1>"},
		{"/ftp://h/d/a", navigating, `<pre class="text">plain words</pre>`, ""},
		{"/ftp://h/d/latin", navigating, `<pre class="text">ą</pre>`, ""},
		{"/ftp://h/d/long", navigating, "This page shows only the beginning.", ""},
		{"/ftp://h/d/cut", navigating, "The text is incomplete: unexpected EOF", ""},
		{"/gemini://h/a", navigating, `<a href="/gemini://h/b" class="i text">Leaves</a>`, "<script>alert"},
		{"/gemini://h/a", "Accept: */*", "=> b Leaves", "<h1>"},
		{"/-/raw?url=gemini://h/a", navigating, "=> b Leaves", "<h1>"},
		{"/gemini://h/cut", navigating, "The page is incomplete: unexpected EOF", ""},
		{"/-/raw?url=ftp://h/d/a.txt", navigating, "see http://x/", "<pre"},
		{"/-/download?url=ftp://h/d/a.txt", navigating, "see http://x/", "<pre"},
	} {
		resp, body, err := get("GET", test.path, strings.Split(test.fields, "\n")...)
		policy := resp.Header.Get("Content-Security-Policy")
		isPage := strings.Contains(body, "<h1>")
		if err != nil || !strings.Contains(body, test.want) || test.not != "" && strings.Contains(body, test.not) || isPage != strings.Contains(policy, "script-src 'self'") || len(body) > 2<<20 {
			t.Errorf("GET %s (%s) = %d, %v, %s, want %q, not %q\n%.2000s", test.path, test.fields, resp.StatusCode, err, policy, test.want, test.not, body)
		}
		if vary := strings.Join(resp.Header.Values("Vary"), ","); isPage && !strings.Contains(vary, "Sec-Fetch-Dest") {
			t.Errorf("GET %s: Vary: %q", test.path, vary)
		}
	}
	resp, _, _ := get("GET", "/-/download?url=ftp://h/d/a.html")
	if got := resp.Header.Get("Content-Disposition"); got != "attachment; filename=a.html" || !strings.Contains(resp.Header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("a download is %q", got)
	}
	if resp, body, _ := get("GET", "/-/raw?url=ftp://h/d/a.txt", "Range: bytes=4-8"); resp.StatusCode != http.StatusPartialContent || body != "http:" {
		t.Errorf("a part of raw bytes = %d, %q", resp.StatusCode, body)
	}
}

// A browser that has the bytes of a picture still gets the page around it. A browser that has the
// bytes of HTML gets 304.
func TestViewUnchanged(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: resources{"ftp://h/a.png": content("image/png", "PNG"), "ftp://h/a.html": content("text/html", "<p>")}})
	for path, want := range map[string]int{"/ftp://h/a.png": 200, "/ftp://h/a.html": 304} {
		resp, body, err := get("GET", path, append(strings.Split(navigating, "\n"), `If-None-Match: "1"`)...)
		if err != nil || resp.StatusCode != want || want == 200 && !strings.Contains(body, "<img ") {
			t.Errorf("GET %s = %d, %v, %s", path, resp.StatusCode, err, body)
		}
		if resp, _, _ := get("GET", path, append(strings.Split(embedding, "\n"), `If-None-Match: "1"`)...); resp.StatusCode != 304 {
			t.Errorf("GET %s as a part of a page = %d, want 304", path, resp.StatusCode)
		}
	}
}

// A browser that has the version of a resource that is shown without a page gets 304, whichever condition it sends.
func TestNavigateUnchanged(t *testing.T) {
	changed := time.Date(2024, time.May, 1, 12, 0, 0, 5e8, time.UTC)
	for _, test := range []struct {
		etag      string // of the resource
		condition string
		want      int
	}{
		{`"1"`, `If-None-Match: "1"`, 304},
		{`"1"`, `If-None-Match: W/"1"`, 304},
		{`W/"1"`, `If-None-Match: "1"`, 304},
		{`W/"1"`, `If-None-Match: "0", "1"`, 304},
		{`"1"`, `If-None-Match: "0", W/"1"`, 304},
		{`"1"`, `If-None-Match: *`, 304},
		{`"1"`, `If-None-Match: "0", "2"`, 200},
		{`"1"`, `If-None-Match: "0" "1"`, 200}, // not a list
		{"", `If-None-Match: "1"`, 200},
		{"", `If-Modified-Since: Wed, 01 May 2024 12:00:00 GMT`, 304},
		{"", `If-Modified-Since: Thu, 02 May 2024 12:00:00 GMT`, 304},
		{"", `If-Modified-Since: Tue, 30 Apr 2024 12:00:00 GMT`, 200},
	} {
		get := serve(t, &gateway.Gateway{Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
			e := access.Entry{URL: req.URL, Type: "application/pdf", Size: 4, ModTime: changed}
			return &access.Resource{Entry: e, ETag: test.etag, Body: io.NopCloser(strings.NewReader("%PDF"))}, nil
		})})
		resp, _, err := get("GET", "/ftp://h/a.pdf", append(strings.Split(navigating, "\n"), test.condition)...)
		if err != nil || resp.StatusCode != test.want {
			t.Errorf("a resource with the ETag %q, %s: %d, %v, want %d", test.etag, test.condition, resp.StatusCode, err, test.want)
		}
	}
}

// Every page has a title, a trail and a way up.
func TestEveryPageHasAWayOn(t *testing.T) {
	letter := content("message/rfc822", "Subject: Hello\nNewsgroups: misc.test, b.c\nMessage-ID: <1@h>\n\ntext\n")
	get := serve(t, &gateway.Gateway{Engine: resources{
		"gopher://h/0docs/x": content("text/plain", "text"), "gopher://h/7find%09a%20b": menu(io.EOF), "news:misc.test": menu(io.EOF),
		"news:1@h": letter, "nntp://h/misc.test/7": letter, "wais://h/db?old+maps": menu(io.EOF), "prospero://h/pub": menu(io.EOF), "mid:1@h/p@h": content("text/plain", "part"),
		"ftp://h/": menu(io.EOF),
	}})
	for _, test := range []struct{ path, up, title string }{
		{"/gopher://h/0docs/x", "/gopher://h/1docs", "x"},
		{"/gopher://h/7find%09a%20b", "/gopher://h/7find", "find: a b"},
		{"/news:misc.test", "/news:*", "misc.test"},
		{"/news:1@h", "/news:misc.test", "Hello"},
		{"/nntp://h/misc.test/7", "/nntp://h/misc.test", "Hello"},
		{"/wais://h/db?old+maps", "/wais://h/db", "db: old maps"},
		{"/prospero://h/pub", "/prospero://h/", "pub"},
		{"/mid:1@h/p@h", "/mid:1@h", "p@h"},
		{"/ftp://h/", "/", "ftp://h"},
		{"/ftp://h/none/such", "/ftp://h/none/", "“such” was not found at h."},
		{"/telnet://h/", "/", "telnet://h"},
	} {
		_, body, err := get("GET", test.path, strings.Split(navigating, "\n")...)
		if err != nil || !hasInOrder(body, "<title>"+test.title+"</title>", `<a class="up" href="`+test.up+`" rel="up">`, `<a href="/">Front page</a>`, "<h1>"+test.title+"</h1>") {
			t.Errorf("GET %s: %v, want %q and up to %s in\n%.2500s", test.path, err, test.title, test.up, body)
		}
	}
}

// Next and Previous lead through a folder and a newsgroup, as their pages show them.
func TestBeside(t *testing.T) {
	pdf := at("c.zip", "ftp://h/d/c.zip")
	pdf.Type = "application/zip"
	get := serve(t, &gateway.Gateway{Engine: resources{
		"ftp://h/d/":      menu(io.EOF, at("a", "ftp://h/d/a"), at("sub", "ftp://h/d/sub/"), pdf, at("b", "ftp://h/d/b")),
		"ftp://h/d/a":     content("text/plain", "text"),
		"news:misc.test":  menu(io.EOF, article("3@h", "Re: first", "References: 1@h"), article("2@h", "other"), article("1@h", "first")),
		"news:1@h":        content("message/rfc822", "Subject: first\nNewsgroups: misc.test\nMessage-ID: <1@h>\n\ntext\n"),
		"nntp://h/g":      menu(io.EOF, article("2@h", "second"), article("1@h", "first")),
		"nntp://h/g/7":    content("message/rfc822", "Subject: first\nMessage-ID: <1@h>\n\ntext\n"),
		"ftp://h/broken/": menu(io.ErrUnexpectedEOF),
	}})
	follow := func(page, title string) (status int, to, body string) {
		t.Helper()
		_, body, _ = get("GET", page, strings.Split(navigating, "\n")...)
		before, _, ok := strings.Cut(body, ">"+title+"</a>")
		if !ok {
			t.Fatalf("%s has no link %q:\n%s", page, title, body)
		}
		href, _, _ := strings.Cut(before[strings.LastIndex(before, `href="`)+len(`href="`):], `"`)
		resp, body, _ := get("GET", strings.ReplaceAll(href, "&amp;", "&"))
		return resp.StatusCode, resp.Header.Get("Location"), body
	}
	for _, test := range []struct{ page, title, to string }{
		{"/ftp://h/d/a", "Next", "/ftp://h/d/b"},
		{"/ftp://h/d/a", "Previous", "/ftp://h/d/"},
		{"/news:1@h", "Next", "/news:3@h"},
		{"/news:1@h", "Previous", "/news:misc.test"},
		{"/nntp://h/g/7", "Previous", "/news:2@h"},
	} {
		if status, to, _ := follow(test.page, test.title); status != http.StatusSeeOther || to != test.to {
			t.Errorf("%s, %s = %d to %q, want %q", test.page, test.title, status, to, test.to)
		}
	}
	if status, _, body := follow("/news:1@h", "Thread"); status != 200 || strings.Contains(body, ">other<") ||
		!hasInOrder(body, "<h1>Thread: first</h1>", "2 articles", `class="i message" aria-current="true">first</a>`, "Re: first") {
		t.Errorf("the thread = %d\n%s", status, body)
	}
	if resp, _, _ := get("GET", "/-/beside?step=next&in=ftp://h/broken/&url=ftp://h/broken/x"); resp.StatusCode != http.StatusBadGateway {
		t.Errorf("beside in a folder that breaks off = %d, want 502", resp.StatusCode)
	}
}

// A URL that lacks only the slash of a folder leads to the folder.
func TestMissingSlash(t *testing.T) {
	noFile := func(req *access.Request) (*access.Resource, error) {
		return nil, &access.Error{Op: "open", URL: req.URL, Err: access.WithRemedy(engine.Reason("550 is a directory"), access.NeedSlash)}
	}
	get := serve(t, &gateway.Gateway{Engine: resources{"ftp://h/texts": noFile, "ftp://h/texts/": menu(io.EOF), "ftp://h/none": noFile}})
	if resp, _, err := get("GET", "/ftp://h/texts"); err != nil || resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "/ftp://h/texts/" {
		t.Errorf("= %d to %q, %v", resp.StatusCode, resp.Header.Get("Location"), err)
	}
	if resp, body, _ := get("GET", "/ftp://h/none"); resp.StatusCode == http.StatusSeeOther || !strings.Contains(body, "550 is a directory") {
		t.Errorf("without such a folder = %d, %s", resp.StatusCode, body)
	}
}

// A WAIS database has one field to search it.
func TestOneSearchField(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: resources{"wais://h/db": menu(io.EOF, entry(access.Info, "About it", ""), entry(access.Search, "Search db", "wais://h/db"), entry(access.Object, "Catalog", "wais://h/db/TEXT/1"))}})
	_, body, err := get("GET", "/wais://h/db")
	if n := strings.Count(body, `name="words"`); err != nil || n != 1 || !strings.Contains(body, "Catalog") || !strings.Contains(body, ">1 file<") {
		t.Errorf("%d fields, %v\n%s", n, err, body)
	}
}

// Text without a declared charset is UTF-8 if its bytes are valid UTF-8, and otherwise in the charset
// of the gateway. The gateway passes its bytes on unchanged.
func TestCharset(t *testing.T) {
	long := strings.Repeat("0123456789\n", 1000)
	bytesOf := map[string]string{
		"utf": "caf\u00e9", "latin": "caf\xe9", "late": long + "caf\xe9", "said": "\xb1", "binary": "caf\xe9",
		"long": long[:1022] + strings.Repeat("\u20ac", 50_000),
	}
	engine := resources{}
	for name, text := range bytesOf {
		mediaType := map[string]string{"said": "text/plain; charset=iso-8859-2", "binary": ""}
		if _, ok := mediaType[name]; !ok {
			mediaType[name] = "text/plain"
		}
		engine["ftp://h/"+name] = content(mediaType[name], text)
	}
	for _, test := range []struct {
		charset, path, wantType, wantPage string
	}{
		{"", "utf", "text/plain; charset=utf-8", "caf\u00e9</pre>"},
		{"", "latin", "text/plain; charset=iso-8859-1", "caf\u00e9</pre>"},
		{"", "late", "text/plain; charset=iso-8859-1", "caf\u00e9</pre>"},
		{"", "long", "text/plain; charset=utf-8", "\u20ac"},
		{"", "said", "text/plain; charset=iso-8859-2", "\u0105</pre>"},
		{"", "binary", "application/byte-stream", ""},
		{"koi8-r", "utf", "text/plain; charset=utf-8", "caf\u00e9</pre>"},
		{"koi8-r", "latin", "text/plain; charset=koi8-r", "caf\u0418</pre>"},
		{"koi8-r", "late", "text/plain; charset=koi8-r", "caf\u0418</pre>"},
		{"koi8-r", "said", "text/plain; charset=iso-8859-2", "\u0105</pre>"},
	} {
		get := serve(t, &gateway.Gateway{Engine: engine, Charset: test.charset})
		resp, body, err := get("GET", "/ftp://h/"+test.path)
		if got := resp.Header.Get("Content-Type"); err != nil || got != test.wantType || body != bytesOf[test.path] {
			t.Errorf("%s with %q is %q, %d bytes, %v, want %q", test.path, test.charset, got, len(body), err, test.wantType)
		}
		if test.wantPage == "" {
			continue
		}
		if _, page, err := get("GET", "/ftp://h/"+test.path, strings.Split(navigating, "\n")...); err != nil || !strings.Contains(page, test.wantPage) {
			t.Errorf("the page of %s with %q is %v, %.100s, want %q in it", test.path, test.charset, err, page, test.wantPage)
		}
	}
	get := serve(t, &gateway.Gateway{Engine: engine})
	resp, body, err := get("GET", "/ftp://h/long", "Range: bytes=1023-1100") // in the middle of a character
	if got := resp.Header.Get("Content-Type"); err != nil || got != "text/plain; charset=utf-8" || body != bytesOf["long"][1023:1101] {
		t.Errorf("a part is %q, %d bytes, %v, want text in UTF-8", got, len(body), err)
	}
}

// For a page around a picture, the gateway asks the server only for the attributes. So the server
// sends the bytes once, to the browser.
func TestViewFetchesOnce(t *testing.T) {
	for _, test := range []struct {
		name      string
		path      string
		stat      func(*access.Request) (*access.Resource, error) // nil: the server cannot be asked
		want      string
		stats     int
		gets      int // with the one of the browser
		mediaType string
	}{
		{"picture", "/ftp://h/d/a.png", content("image/png", "PNG"), `<img src="/ftp://h/d/a.png"`, 1, 1, "image/png"},
		{"sound", "/ftp://h/d/a.mp3", content("audio/mpeg", "ID3"), `<audio src="/ftp://h/d/a.mp3"`, 1, 1, "audio/mpeg"},
		{"video in a query", "/http://h/a.mp4?x", content("video/mp4", "mp4"), `<video src="/http://h/a.mp4?x"`, 1, 1, "video/mp4"},
		{"picture that cannot be asked about", "/gopher://h/Ia.gif", nil, `<img src="/gopher://h/Ia.gif"`, 1, 2, "image/gif"},
		{"page by the name of a picture", "/http://h/a.png", content("text/html", "<p>"), "<p>page", 1, 2, "text/html"},
		{"folder by the name of a picture", "/ftp://h/d/a.png", func(req *access.Request) (*access.Resource, error) {
			return &access.Resource{Entry: access.Entry{URL: req.URL, Kind: access.Directory, Type: "image/png", Size: -1}, Body: io.NopCloser(strings.NewReader(""))}, nil
		}, `<img src=`, 1, 2, "image/png"},
		{"text", "/ftp://h/d/a.txt", content("text/plain", "words"), "<p>page", 0, 2, "text/plain"},
	} {
		t.Run(test.name, func(t *testing.T) {
			stats, gets := 0, 0
			g := &gateway.Gateway{Engine: doFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
				switch {
				case req.Op == access.Get:
					gets++
					return content(test.mediaType, "<p>page")(req)
				case req.Op == access.Stat && test.stat != nil:
					stats++
					return test.stat(req)
				case req.Op == access.Stat:
					stats++
				}
				return nil, engine.Unsupported(req)
			})}
			get := serve(t, g)
			_, body, err := get("GET", test.path, strings.Split(navigating, "\n")...)
			if err != nil || !strings.Contains(html.UnescapeString(body), test.want) {
				t.Errorf("GET %s, %v, lacks %s:\n%s", test.path, err, test.want, body)
			}
			if resp, _, err := get("GET", test.path, strings.Split(embedding, "\n")...); err != nil || resp.StatusCode != http.StatusOK {
				t.Errorf("the bytes of %s: %v, %v", test.path, resp, err)
			}
			if stats != test.stats || gets != test.gets {
				t.Errorf("the server is asked %d times and sends %d times, want %d and %d", stats, gets, test.stats, test.gets)
			}
		})
	}
}

// A text that is broken into lines has a link to a page that joins them, which leads back.
func TestReflow(t *testing.T) {
	const first, second = "The quick brown fox jumps over the lazy dog, and then it does", "so again."
	get := serve(t, &gateway.Gateway{Engine: resources{
		"ftp://h/long": content("text/plain", first+"\n"+second+"\n"), "ftp://h/short": content("text/plain", "short\nlines\n"),
		"news:1@h.example": content("message/rfc822", "Subject: s\n\n"+first+"\n"+second+"\n"),
	}})
	for _, test := range []struct{ path, link, text string }{
		{"/ftp://h/long", `<a href="/-/text?url=ftp%3A%2F%2Fh%2Flong">Reflow lines</a>`, first + "\n" + second},
		{"/-/text?url=ftp://h/long", `<a href="/ftp://h/long">Original lines</a>`, first + " " + second},
		{"/news:1@h.example", `<a href="/-/text?url=news%3A1%40h.example">Reflow lines</a>`, first + "\n" + second},
		{"/-/text?url=news:1@h.example", `<a href="/news:1@h.example">Original lines</a>`, first + " " + second},
		{"/ftp://h/short", "", "short\nlines"},
	} {
		_, body, err := get("GET", test.path, strings.Split(clickedHere, "\n")...)
		hasLink := strings.Contains(body, "Reflow lines") || strings.Contains(body, "Original lines")
		if err != nil || !strings.Contains(body, test.text) || !strings.Contains(body, test.link) || hasLink != (test.link != "") {
			t.Errorf("GET %s, %v: want %q and %q\n%s", test.path, err, test.link, test.text, body)
		}
	}
}
