package gateway_test

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"locus"
	"locus/access"
	"locus/access/engine"
	"locus/gateway"
	"locus/url"
)

// fields returns the header with these fields: "Name: value", or "Name: value -> URL".
func fields(texts ...string) access.Header {
	var all access.Header
	for _, one := range texts {
		name, value, _ := strings.Cut(one, ": ")
		value, target, _ := strings.Cut(value, " -> ")
		fact := access.Field{Name: name, Value: value}
		if target != "" {
			fact.URL = url.MustParse(target)
		}
		all = append(all, fact)
	}
	return all
}

func article(id, subject string, references ...string) access.Entry {
	e := entry(access.Object, subject, "news:"+id)
	e.Type, e.Size, e.Header = "message/rfc822", 100, fields(append([]string{"From: A", "Message-ID: " + id}, references...)...)
	return e
}

// hasInOrder reports whether text has all strings in want, one after the other.
func hasInOrder(text string, want ...string) bool {
	for _, w := range want {
		_, after, ok := strings.Cut(text, w)
		if !ok {
			return false
		}
		text = after
	}
	return true
}

// An answer comes below the article that it answers, wherever in the group it was.
func TestThreads(t *testing.T) {
	const ref = "References: "
	for _, test := range []struct {
		name    string
		entries []access.Entry
		want    []string
	}{
		{"the newest first", []access.Entry{
			article("3@h", "third", ref+"1@h", ref+"2@h"), article("x@h", "other"), article("2@h", "second", ref+"1@h"), article("1@h", "first"),
		}, []string{`class="d0 i message">first`, `class="d1 i message">second`, `class="d2 i message">third`, `class="d0 i message">other`}},
		{"two answers, the eldest first", []access.Entry{
			article("3@h", "late", ref+"1@h"), article("2@h", "early", ref+"1@h"), article("1@h", "first"),
		}, []string{`class="d0 i message">first`, `class="d1 i message">early`, `class="d1 i message">late`}},
		{"an ancestor that is gone", []access.Entry{
			article("3@h", "third", ref+"1@h", ref+"gone@h"), article("1@h", "first"),
		}, []string{`class="d0 i message">first`, `class="d1 i message">third`}},
		{"a circle", []access.Entry{
			article("1@h", "one", ref+"2@h"), article("2@h", "two", ref+"1@h"),
		}, []string{`class="d0 i message">two`, `class="d1 i message">one`}},
		{"one that answers itself", []access.Entry{article("1@h", "one", ref+"1@h")}, []string{`class="d0 i message">one`}},
		{"the same twice", []access.Entry{article("1@h", "one"), article("1@h", "again")}, []string{`class="d0 i message">one`, `class="d0 i message">again`}},
	} {
		get := serve(t, &gateway.Gateway{Engine: resources{"news:g": menu(io.EOF, test.entries...)}})
		_, body, err := get("GET", "/news:g")
		if err != nil || !hasInOrder(body, test.want...) {
			t.Errorf("%s: %v, want %q in\n%s", test.name, err, test.want, body)
		}
		if strings.Contains(body, "<b>References</b>") {
			t.Errorf("%s: the references show", test.name)
		}
	}
}

// A page shows a thread of any depth.
func TestThreadOfThousands(t *testing.T) {
	const many = 5000
	var entries []access.Entry
	for i := range many {
		id := strings.Repeat("x", i%7) + string(rune('0'+i%10)) + "@h"
		entries = append(entries, article(id, "one", "References: "+strings.Repeat("x", (i+6)%7)+string(rune('0'+(i+9)%10))+"@h"))
	}
	get := serve(t, &gateway.Gateway{MaxEntries: many, Engine: resources{"news:g": menu(io.EOF, entries...)}})
	_, body, err := get("GET", "/news:g")
	if n := strings.Count(body, "<tr class="); err != nil || n != many {
		t.Errorf("%d articles are %d rows, %v", many, n, err)
	}
}

func listed() resources {
	text := access.Entry{Title: "b.txt", URL: url.MustParse("ftp://h/b.txt"), Kind: access.Object, Type: "text/plain", Size: 2048, ModTime: time.Date(1994, 12, 1, 0, 0, 0, 0, time.UTC)}
	picture := access.Entry{Title: "a.png", URL: url.MustParse("ftp://h/a.png"), Kind: access.Object, Type: "image/png", Size: 4096}
	dir := access.Entry{Title: "C", URL: url.MustParse("ftp://h/C/"), Kind: access.Directory, Size: -1, ModTime: time.Date(1995, 12, 1, 0, 0, 0, 0, time.UTC)}
	sound := entry(access.Object, "A song", "gopher://h/sx")
	sound.Type = "audio/mpeg"
	views := entry(access.Object, "A text", "gopher://h/0x")
	views.Header = fields("View: text/plain De_DE -> gopher://h/0x%09%09+text/plain%20De_DE", "ABSTRACT: two\nlines")
	hit := access.Entry{Title: "Found", URL: url.MustParse("wais://h/d/TEXT/1"), Size: 10, Header: fields("Score: 1000")}
	return resources{
		"ftp://h/":    menu(io.EOF, text, picture, dir),
		"ftp://h/one": menu(io.EOF, text, text),
		"gopher://h/1": menu(io.EOF, entry(access.Info, "a\tline", ""), sound, views, entry(access.Form, "Ask", "gopher://h/0y"),
			entry(access.Terminal, "Type", "telnet://h/"), entry(access.Directory, "Down", "gopher://h/1d")),
		"gopher://h/1x%09%09+":        menu(io.EOF),
		"gopher://h/7x%09a%20%3Cb%3E": menu(io.EOF),
		"gopher://h/1find": menu(io.EOF, access.Entry{
			Title: "Words", URL: url.MustParse("gopher://h/7w"), Kind: access.Search, Size: -1,
			ModTime: time.Date(1994, 12, 1, 0, 0, 0, 0, time.UTC),
		}),
		"wais://h/d?x": menu(io.EOF, hit),
	}
}

func TestPages(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: listed()})
	for _, test := range []struct {
		path string
		want []string // in this order
	}{
		{"/ftp://h/", []string{
			`<html lang="en">`, `href="#main"`, `<nav class="trail"`, `<main id="main" data-recent="ftp://h/">`, `<h1>ftp://h</h1>`,
			`<th scope="col" class="name">`, `<th scope="col" class="type">`, `<tr class="directory">`, "b.txt", `<td class="type">text</td>`, `<data value="2048">2.0 kB</data>`, `datetime="1994-12-01T00:00:00Z"`,
			"PNG picture",
		}},
		{"/-/list?sort=name&url=ftp://h/", []string{`aria-sort="ascending"`, `sort=-name`, ">C<", ">a.png<", ">b.txt<"}},
		{"/-/list?sort=-name&url=ftp://h/", []string{`aria-sort="descending"`, ">C<", ">b.txt<", ">a.png<"}},
		{"/-/list?sort=size&url=ftp://h/", []string{">C<", ">b.txt<", ">a.png<"}},
		{"/-/list?sort=-date&url=ftp://h/", []string{">C<", ">b.txt<", ">a.png<"}},
		{"/-/list?sort=type&folders=mixed&url=ftp://h/", []string{">a.png<", ">b.txt<", ">C<"}},
		{"/gopher://h/1", []string{
			`<li class="info">a        line</li>`, `<audio src="/gopher://h/sx" controls preload="none" aria-label="A song">`,
			`<b>View</b> <a href="/gopher://h/0x%09%09+text/plain%20De_DE">text/plain De_DE</a>`,
			`Ask</a> <small>(form)</small>`, `Type</a> <small>(terminal)</small>`, `<li class="directory d0">`,
		}},
		{"/gopher://h/1x%09%09+", []string{"<h1>x</h1>"}},
		{"/gopher://h/7x%09a%20%3Cb%3E", []string{"<h1>x: a &lt;b&gt;</h1>"}},
		{"/gopher://h/1find", []string{`role="search"`, `value="gopher://h/7w"`, "<label>Words <input"}},
		{"/wais://h/d?x", []string{"<h1>d: x</h1>", `<a href="/-/list?sort=-score&amp;url=`, "Found", `<td class="extra score">1000</td>`}},
		{"/-/about?url=ftp://h/pub/a%2520b", []string{"Parts of the URL", "<dt>Scheme</dt>", "<dt>Folders</dt><dd>pub</dd>", "<dt>Name</dt><dd>a b</dd>", "The server did not give more details"}},
	} {
		resp, body, err := get("GET", test.path)
		if err != nil || resp.StatusCode != http.StatusOK || !hasInOrder(body, test.want...) {
			t.Errorf("GET %s = %d, %v, want %q in\n%s", test.path, resp.StatusCode, err, test.want, body)
		}
	}
	if _, body, _ := get("GET", "/ftp://h/one"); strings.Contains(body, `class="type"`) {
		t.Errorf("a listing of one type has a column for it")
	}
	if _, body, _ := get("GET", "/gopher://h/1"); strings.Contains(body, "ABSTRACT") {
		t.Errorf("a menu shows what is for its own page")
	}
}

// If a listing for a program breaks off before the first byte, the response has the status of an error.
func TestBrokenListing(t *testing.T) {
	few := []access.Entry{entry(access.Object, "a", "ftp://h/a")}
	get := serve(t, &gateway.Gateway{Engine: resources{
		"ftp://h/short": menu(io.ErrUnexpectedEOF, few...),
		"ftp://h/long":  menu(io.ErrUnexpectedEOF, slices.Repeat(few, 10_000)...),
	}})
	for _, format := range []string{"application/json", "application/x-ndjson", "text/uri-list"} {
		if resp, body, err := get("GET", "/ftp://h/short", "Accept: "+format); resp.StatusCode != 502 || err != nil {
			t.Errorf("a short listing as %s: %d, %v, %q, want 502", format, resp.StatusCode, err, body)
		}
		if resp, body, err := get("GET", "/ftp://h/long", "Accept: "+format, "Accept-Encoding: identity"); resp.StatusCode != 200 || err == nil || len(body) < 1000 {
			t.Errorf("a long listing as %s: %d, %v, %d bytes, want 200 that breaks off", format, resp.StatusCode, err, len(body))
		}
	}
}

// If the server does not give attributes, the page about a URL does not make up attributes.
func TestAboutUnknown(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: resources{}})
	_, body, _ := get("GET", "/-/about?url=ftp://h/x")
	if !strings.Contains(body, "The server did not give more details") || strings.Contains(body, "<dt>Size</dt>") || strings.Contains(body, "<dt>Kind</dt>") {
		t.Errorf("about a URL without attributes: %s", body)
	}
}

// The page of an error links to the URL that was asked for, so that the user can try again.
func TestErrorLinks(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: resources{}})
	for _, path := range []string{"/-/list?sort=x&url=ftp://h/x", "/-/list?sort=name&url=ftp://h/x", "/-/raw?url=ftp://h/x"} {
		resp, body, _ := get("GET", path)
		if resp.StatusCode != http.StatusNotFound || !strings.Contains(body, `<a href="/ftp://h/x">Try again</a>`) {
			t.Errorf("%s: %d, %s", path, resp.StatusCode, body)
		}
	}
}

// The page about a URL does not show its password.
func TestAboutHasNoPassword(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: listed()})
	_, body, _ := get("GET", "/-/about?url=ftp://u:secret@h/x")
	_, main, _ := strings.Cut(body, "<main")
	shown := strings.ReplaceAll(main, `href="/ftp://u:secret@h/x"`, "")
	if shown = strings.ReplaceAll(shown, "secret%40h", ""); strings.Contains(shown, ">secret<") || strings.Contains(shown, "Password") {
		t.Errorf("the page shows it:\n%s", main)
	}
}

// The page of a message that its engine has parsed has the parts of the message.
func TestParsedMessage(t *testing.T) {
	lens := entry(access.Object, "lens.png", "mid:1@h/p@h")
	lens.Type = "image/png"
	letter := func(req *access.Request) (*access.Resource, error) {
		r, err := menu(io.EOF, entry(access.Info, "From: A B <a@h.example>", ""), entry(access.Info, "To: b@h.example, c@h.example", ""),
			entry(access.Info, "Subject: The <lens>", ""), entry(access.Info, "", ""), entry(access.Info, "Dear: reader", ""),
			entry(access.Info, "see <2@h>", ""), lens)(req)
		r.Type = "message/rfc822"
		return r, err
	}
	get := serve(t, &gateway.Gateway{Engine: resources{"mid:1@h": letter}})
	_, body, err := get("GET", "/mid:1@h")
	if err != nil || !hasInOrder(body, "<h1>The &lt;lens&gt;</h1>", `A B <a href="/mailto:a@h.example">a@h.example</a>`,
		`<a href="/mailto:b@h.example">b@h.example</a>, <a href="/mailto:c@h.example">`, `<pre class="text">Dear: reader`,
		`&lt;<a href="/mid:2@h">2@h</a>&gt;`, "<h2>Parts</h2>", `<img src="/mid:1@h/p@h"`) {
		t.Errorf("= %v\n%s", err, body)
	}
}

// The page of an address has a link for a program on the user's machine.
//
// req: 1738-3.5-1
func TestAddress(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: &locus.Client{}})
	resp, body, err := get("GET", "/mailto:a%2Bb@h.example?subject=Two%20words&body=1%0D%0A2")
	if err != nil || resp.StatusCode != http.StatusOK || !hasInOrder(body, "<dt>Address</dt><dd>a+b@h.example</dd>",
		"<dt>Subject</dt><dd>Two words</dd>", "<dt>Body</dt><dd>1\n2</dd>", `href="mailto:a%2Bb@h.example?subject=Two%20words&amp;body=1%0D%0A2"`) {
		t.Errorf("= %d, %v\n%s", resp.StatusCode, err, body)
	}
	_, body, err = get("GET", "/mailserver:majordomo@h.example/Hi/subscribe%20x/end")
	if err != nil || !hasInOrder(body, "<dt>Address</dt><dd>majordomo@h.example</dd>", "<dt>Subject</dt><dd>Hi</dd>",
		"<dt>Body</dt><dd>subscribe x\nend</dd>", `href="mailto:majordomo@h.example?subject=Hi&amp;body=subscribe%20x%0D%0Aend"`) {
		t.Errorf("mailserver: %v\n%s", err, body)
	}
	for _, path := range []string{"/javascript:alert(1)", "/urn:isbn:1", "/x-run:calc"} {
		resp, body, _ := get("GET", path)
		if resp.StatusCode != http.StatusNotImplemented || strings.Contains(body, `href="`+path[1:]) {
			t.Errorf("GET %s = %d, and a link to it: %v", path, resp.StatusCode, strings.Contains(body, `href="`+path[1:]))
		}
	}
}

// The content of a data URL runs no scripts, and its page has no link that a browser would open as a data URL.
func TestData(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: &locus.Client{}})
	for _, test := range []struct{ path, want, wantType string }{
		{"/data:text/html,%3Cscript%3Ealert(1)%3C/script%3Etea", "tea", "text/html"},
		{"/data:image/svg+xml;base64,PHN2Zy8+", "<svg/>", "image/svg+xml"},
		{"/data:,tea", "tea", "text/plain"},
	} {
		resp, body, err := get("GET", test.path)
		policy := resp.Header.Get("Content-Security-Policy")
		mayRun := !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "sandbox") && strings.Contains(policy, "allow-scripts")
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(body, test.want) || !strings.HasPrefix(resp.Header.Get("Content-Type"), test.wantType) {
			t.Errorf("GET %s = %d, %v with type %q\n%s", test.path, resp.StatusCode, err, resp.Header.Get("Content-Type"), body)
		}
		if mayRun || strings.Contains(body, `href="data:`) {
			t.Errorf("GET %s = policy %q, want one without scripts, and no link to a data URL\n%s", test.path, policy, body)
		}
	}
}

// asking is an Engine with a form.
type asking struct {
	questions access.Questions
	got       *[]string
}

func (a asking) Do(_ context.Context, req *access.Request) (*access.Resource, error) {
	switch {
	case req.Op == access.Ask:
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Questions: &a.questions, Body: access.NoBody}, nil
	case req.Op != access.Get:
		return nil, engine.Unsupported(req)
	case req.Answers == nil:
		return nil, &access.Error{Op: "open", URL: req.URL, Err: access.ErrForm}
	}
	for _, one := range req.Answers {
		text := one.Text
		if one.File != nil {
			all, err := io.ReadAll(one.File)
			if err != nil {
				return nil, err
			}
			text = "file " + string(all)
		}
		*a.got = append(*a.got, text)
	}
	return content("text/plain", "thank you")(req)
}

// Every question of a form has a field with a label, and the Engine gets the answers.
//
// req: 1738-3.4-7
func TestForm(t *testing.T) {
	var got []string
	form := asking{got: &got, questions: access.Questions{Title: "Ask", Items: []access.Question{
		{Name: "n", Kind: access.AskNote, Prompt: "Read <this>"},
		{Name: "l", Kind: access.AskLine, Prompt: "Line", Default: `"one"`},
		{Name: "p", Kind: access.AskPassword, Prompt: "Secret"},
		{Name: "t", Kind: access.AskText, Prompt: "Text", Default: "\nfrom"},
		{Name: "c", Kind: access.AskChoice, Prompt: "Choice", Default: "b", Choices: []string{"a", "b"}},
		{Name: "s", Kind: access.AskSelect, Prompt: "Select", Default: "1"},
		{Name: "u", Kind: access.AskSelect, Prompt: "Unselect"},
		{Name: "f", Kind: access.AskFile, Prompt: "File"},
		{Name: "k", Kind: access.AskSave, Prompt: "Save as", Default: "kept.txt"},
	}}}
	get := serve(t, &gateway.Gateway{Engine: form})
	resp, body, err := get("GET", "/gopher://h/0ask")
	if err != nil || resp.StatusCode != http.StatusOK || !hasInOrder(body, "<h1>Ask</h1>", `method="post" action="/gopher://h/0ask" enctype="multipart/form-data"`,
		"Read &lt;this&gt;", `<label for="q1">Line</label>`, `value="&#34;one&#34;"`, `type="password"`, "<textarea", "from</textarea>",
		"<option>a</option><option selected>b</option>", "checked", `name="q6" value="1">`, `type="file"`,
		`<label for="q8">Save as</label>`, `placeholder="kept.txt"`) {
		t.Errorf("= %d, %v\n%s", resp.StatusCode, err, body)
	}
	body = strings.Join([]string{
		part("q1", "", "typed"), part("q2", "", "secret"), part("q3", "", "a\r\nb"), part("q4", "", "a"), part("q6", "", "1"), part("q7", "x.txt", "bytes"), "--B--\r\n",
	}, "")
	resp, text := post(t, &gateway.Gateway{Engine: form}, "/gopher://h/0ask", "multipart/form-data; boundary=B", body)
	want := []string{"", "typed", "secret", "a\nb", "a", "0", "1", "file bytes", "kept.txt"}
	if resp.StatusCode != http.StatusOK || text != "thank you" || !slices.Equal(got, want) {
		t.Errorf("answers = %d, %q: %q, want %q", resp.StatusCode, text, got, want)
	}
	if d := resp.Header.Get("Content-Disposition"); d != "" {
		t.Errorf("without a name the result is stored: %q", d)
	}
	for name, want := range map[string]string{"mine.txt": "mine.txt", " a/../b\"\r\n.txt ": "a_.._b___.txt", "é": "é"} {
		resp, text = post(t, &gateway.Gateway{Engine: form}, "/gopher://h/0ask", "multipart/form-data; boundary=B", part("q8", "", name)+"--B--\r\n")
		_, params, err := mime.ParseMediaType(resp.Header.Get("Content-Disposition"))
		if resp.StatusCode != http.StatusOK || text != "thank you" || err != nil || params["filename"] != want {
			t.Errorf("saved as %q: %d, %q, %q, %v, want the file %q", name, resp.StatusCode, text, resp.Header, err, want)
		}
	}
	resp, _ = post(t, &gateway.Gateway{Engine: form}, "/gopher://h/0ask", "multipart/form-data; boundary=B", "--B\r\nbroken")
	if resp.StatusCode != http.StatusBadRequest {
		t.Errorf("a broken form = %d, want 400", resp.StatusCode)
	}
}

// The gateway does not submit answers that are too long or break off. It accepts the form of a URL
// whose query net/http refuses.
func TestFormRefused(t *testing.T) {
	const fields, files = "application/x-www-form-urlencoded", "multipart/form-data; boundary=B"
	for _, test := range []struct {
		path, mediaType, body string
		status                int
		answer                string // what is submitted
	}{
		{"/gopher://h/0ask", fields, "q0=typed", 200, "typed"},
		{"/gopher://h/0ask", "", "q0=typed", 200, "typed"},
		{"/gopher://h/7ask?a;b", fields, "q0=typed", 200, "typed"},
		{"/gopher://h/7ask?a;b", files, part("q0", "", "typed") + "--B--\r\n", 200, "typed"},
		{"/gopher://h/0ask", fields, "q0=" + strings.Repeat("x", 1<<20), 413, ""},
		{"/gopher://h/0ask", files, part("q0", "f", strings.Repeat("x", 32<<20)) + "--B--\r\n", 413, ""},
		{"/gopher://h/0ask", fields, "q0=%zz", 400, ""},
		{"/gopher://h/0ask", files, part("q0", "", "typed"), 400, ""},
		{"/gopher://h/0ask", files, part("q0", "", "typed") + "--B\r\n", 400, ""},
		{"/gopher://h/0ask", files, part("q0", "", "typed") + "--B\r\nContent-Disposition: form-data; na", 400, ""},
		{"/gopher://h/0ask", files, part("q0", "", "typed") + "--B--", 200, "typed"},
		{"/gopher://h/0ask", files, part("q0", "", strings.Repeat("x", 12<<20)) + "--B--\r\n", 413, ""},
		{"/gopher://h/0ask", "multipart/form-data", "q0=typed", 400, ""},
		{"/gopher://h/0ask", "application/json", `{"q0":"typed"}`, 400, ""},
	} {
		var got []string
		form := asking{got: &got, questions: access.Questions{Items: []access.Question{{Kind: access.AskLine}}}}
		resp, text := post(t, &gateway.Gateway{Engine: form}, test.path, test.mediaType, test.body)
		if answer := strings.Join(got, ","); resp.StatusCode != test.status || answer != test.answer {
			t.Errorf("%s, %s, %.20q = %d, answer %q, want %d, %q\n%.300s", test.path, test.mediaType, test.body, resp.StatusCode, answer, test.status, test.answer, text)
		}
	}
}

// post sends a form to g.
func post(t *testing.T, g *gateway.Gateway, path, mediaType, body string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Host, r.RequestURI = "localhost", path
	r.Header.Set("Content-Type", mediaType)
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w.Result(), w.Body.String()
}

func part(name, file, text string) string {
	if file != "" {
		name += `"; filename="` + file
	}
	return "--B\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + text + "\r\n"
}

// If a listing fails before its first entry, the response has the status of the error.
func TestListThatFails(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: resources{"x:y": menu(errors.New("none"))}})
	for _, accept := range []string{"text/html", "application/json", "application/x-ndjson", "text/uri-list"} {
		resp, body, err := get("GET", "/x:y", "Accept: "+accept)
		if err != nil || resp.StatusCode != http.StatusBadGateway {
			t.Errorf("%s = %d, %q, %v, want 502", accept, resp.StatusCode, body, err)
		}
	}
}

// The page of a listing that breaks off shows the rows before the error, and the error. The response
// breaks off too.
func TestListThatBreaksOff(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: resources{"x:y": menu(errors.New("the line was cut"), access.Entry{Kind: access.Object, Title: "first", Size: -1})}})
	for _, path := range []string{"/x:y", "/-/list?sort=name&url=x:y"} {
		resp, body, err := get("GET", path)
		if err == nil || resp.StatusCode != http.StatusOK || !hasInOrder(body, ">first<", "The listing is incomplete: the line was cut") {
			t.Errorf("GET %s = %d, %v, want an early end, and why\n%s", path, resp.StatusCode, err, body)
		}
	}
}

// The page of a newsgroup shows the names of the authors, and the column of the titles is called
// Subject.
func TestListingSenders(t *testing.T) {
	var all []access.Entry
	for _, from := range []string{"Ada <ada@h.example>", "bob@h.example", "=?utf-8?q?Ren=C3=A9?= <rene@h.example>", "<b>no address", `"A, B" <ab@h.example>`} {
		all = append(all, access.Entry{Title: "Re: x", URL: url.MustParse("news:1@h"), Type: "message/rfc822", Size: 10, Header: fields("From: " + from)})
	}
	_, body, err := serve(t, &gateway.Gateway{Engine: resources{"news:g": menu(io.EOF, all...)}})("GET", "/news:g")
	if err != nil || !hasInOrder(body, ">Subject<", ">Ada</td>", ">bob@h.example</td>", ">René</td>", ">&lt;b&gt;no address</td>", ">A, B</td>") {
		t.Errorf("%v\n%s", err, body)
	}
}

// A statFunc is an Engine for every Op.
type statFunc func(context.Context, *access.Request) (*access.Resource, error)

func (f statFunc) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	return f(ctx, req)
}

// The page about a URL shows the server and the time of the last change. It does not link to itself.
func TestAboutServer(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: statFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{Entry: access.Entry{URL: req.URL, Kind: access.Object, Size: 5, ModTime: time.Date(1994, 12, 1, 8, 30, 0, 0, time.UTC)}}, nil
	})})
	_, body, err := get("GET", "/-/about?url=ftp://ada@h.example:2121/a/b.txt")
	if err != nil || !hasInOrder(body, ">Changed<", "1 December 1994, 08:30 UTC", ">Scheme<", "ftp, RFC 1738", ">Host<", "h.example", ">Port<", "2121", ">Folders<") ||
		strings.Contains(body, `>Details</a>`) {
		t.Errorf("%v\n%s", err, body)
	}
}

// The page of schemes says in plain words where their URLs lead.
func TestSchemesPage(t *testing.T) {
	_, body, err := serve(t, &gateway.Gateway{})("GET", "/-/schemes")
	if err != nil || !hasInOrder(body, "<td>ftps</td>", "<td>990", "a file or a folder, encrypted", "<td>gopher</td>", "a document or a list", "<td>mailto</td>", "an address to write to", "<td>telnet</td>", "a terminal", "<td>titan</td>", "a page to upload, encrypted") ||
		strings.Contains(body, "empty-path") {
		t.Errorf("%v\n%s", err, body)
	}
}
