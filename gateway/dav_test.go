package gateway_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/access"
	"locus/gateway"
	"locus/url"
)

// A multiStatus is an answer to PROPFIND, as a client reads it.
type multiStatus struct {
	XMLName   xml.Name `xml:"DAV: multistatus"`
	Responses []struct {
		Href  string `xml:"DAV: href"`
		Found []struct {
			Status string `xml:"DAV: status"`
			Prop   struct {
				Type struct {
					Collection *struct{} `xml:"DAV: collection"`
				} `xml:"DAV: resourcetype"`
				Name     string                       `xml:"DAV: displayname"`
				Length   string                       `xml:"DAV: getcontentlength"`
				Media    string                       `xml:"DAV: getcontenttype"`
				Modified string                       `xml:"DAV: getlastmodified"`
				Any      []struct{ XMLName xml.Name } `xml:",any"`
			} `xml:"DAV: prop"`
		} `xml:"DAV: propstat"`
	} `xml:"DAV: response"`
}

// responses reads an answer: a line for each response.
func responses(t *testing.T, body string) []string {
	t.Helper()
	var m multiStatus
	if err := xml.Unmarshal([]byte(body), &m); err != nil {
		t.Fatalf("%v in:\n%s", err, body)
	}
	var all []string
	for _, r := range m.Responses {
		p := r.Found[0].Prop
		kind := "file"
		if p.Type.Collection != nil {
			kind = "folder"
		}
		all = append(all, strings.TrimRight(strings.Join([]string{r.Href, kind, p.Name, p.Length, p.Media, p.Modified}, "|"), "|"))
	}
	return all
}

// child returns an entry of a listing.
func child(text, title string, kind access.Kind, size int64) access.Entry {
	return access.Entry{URL: url.MustParse(text), Title: title, Kind: kind, Size: size}
}

func davGateway(entries ...access.Entry) *gateway.Gateway {
	return &gateway.Gateway{Engine: resources{
		"ftp://h/d/":       menu(io.EOF, entries...),
		"ftp://h/d/a.txt":  content("text/plain; charset=utf-8", "hello"),
		"ftp://h/d/a%3Bb":  content("", "semicolon"),
		"ftp://h/d":        lacksSlash,
		"ftp://u@h:21/":    menu(io.EOF),
		"ftp://h/broken/":  menu(errors.New("cut off"), child("ftp://h/broken/x", "x", access.Object, 1)),
		"gopher://h/1/":    menu(io.EOF),
		"ftp://h/forever/": unending,
	}}
}

// lacksSlash fails as the URL of a folder without its slash does.
func lacksSlash(req *access.Request) (*access.Resource, error) {
	return nil, &access.Error{Op: "open", URL: req.URL, Err: fs.ErrNotExist, Remedy: access.NeedSlash}
}

// unending opens as a listing without an end.
func unending(req *access.Request) (*access.Resource, error) {
	l := &unendingList{}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: http.NoBody, List: l}, nil
}

type unendingList struct{ n int }

func (l *unendingList) Next() (access.Entry, error) {
	l.n++
	return child(fmt.Sprintf("ftp://h/forever/%d", l.n), "x", access.Object, 1), nil
}

func TestDAVFolder(t *testing.T) {
	dated := child("ftp://h/d/a.txt", "a.txt", access.Object, 5)
	dated.ModTime, dated.Type = time.Date(1994, 12, 1, 0, 0, 0, 0, time.UTC), "text/plain; charset=x"
	get := serve(t, davGateway(
		dated,
		child("ftp://h/d/sub/", "sub", access.Directory, -1),
		child("ftp://h/d/two%20words%23%26%3C", `two words#&<`, access.Object, -1),
		child("ftp://h/d/caf%E9", "caf\ufffd", access.Link, 3),
		child("ftp://h/d/a%2Fb", "a/b", access.Object, 1),         // no file system has such a name
		child("ftp://h/d/a%0Ab", "a\nb", access.Object, 1),        // nor this
		child("ftp://h/d/%2e%2e", "..", access.Directory, -1),     // leads up
		child("ftp://h/d/sub/deep", "deep", access.Object, 1),     // further below
		child("ftp://h/other", "other", access.Object, 1),         // elsewhere
		child("ftp://evil/d/x", "x", access.Object, 1),            // at another server
		child("ftp://h/d/a.txt", "a.txt again", access.Object, 1), // twice
		access.Entry{Title: "Welcome", Kind: access.Info},
	))
	resp, body, err := get("PROPFIND", "/-/dav/ftp://h/d/", "Depth: 1")
	if err != nil || resp.StatusCode != http.StatusMultiStatus || resp.Header.Get("Content-Type") != "application/xml; charset=utf-8" {
		t.Fatalf("PROPFIND = %d, %v, %s", resp.StatusCode, err, resp.Header)
	}
	want := []string{
		"/-/dav/ftp://h/d/|folder|d",
		"/-/dav/ftp://h/d/a.txt|file|a.txt|5|text/plain|Thu, 01 Dec 1994 00:00:00 GMT",
		"/-/dav/ftp://h/d/sub/|folder|sub",
		"/-/dav/ftp://h/d/two%20words%23%26%3C|file|two words#&<",
		"/-/dav/ftp://h/d/caf%E9|file|caf\ufffd|3",
	}
	if got := responses(t, body); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	_, body, _ = get("PROPFIND", "/-/dav/ftp://h/d/", "Depth: 0")
	if got := responses(t, body); !slices.Equal(got, want[:1]) {
		t.Errorf("depth 0: got %q, want %q", got, want[:1])
	}
}

// Clients escape more than they need to, or merge slashes. The answer has the path that they asked
// for.
func TestDAVPaths(t *testing.T) {
	get := serve(t, davGateway())
	for _, test := range []struct {
		path   string
		status int
		want   string // the first response
	}{
		{"/-/dav/ftp://h/d", 207, "/-/dav/ftp://h/d/|folder|d"},
		{"/-/dav/ftp:/h/d/", 207, "/-/dav/ftp:/h/d/|folder|d"},
		{"/-/dav/ftp%3A//h/d/", 207, "/-/dav/ftp%3A//h/d/|folder|d"},
		{"/-/dav/ftp%3a/u%40h%3A21/", 207, "/-/dav/ftp%3a/u%40h%3A21/|folder|ftp://h:21"},
		{"/-/dav/ftp://h/d/a.txt", 207, "/-/dav/ftp://h/d/a.txt|file|a.txt|5|text/plain|Thu, 01 Dec 1994 00:00:00 GMT"},
		{"/-/dav/ftp://h/d/a;b", 207, "/-/dav/ftp://h/d/a;b|file|a;b|9||Thu, 01 Dec 1994 00:00:00 GMT"},
		{"/-/dav/ftp://h/none", 404, ""},
		{"/-/dav/", 400, ""},
		{"/-/dav/%zz", 400, ""},
		{"/-/dav/gopher://h/1/", 501, ""},
		{"/-/dav/telnet://h/", 501, ""},
		{"/-/dav/mailto:a@h", 501, ""},
	} {
		resp, body, err := get("PROPFIND", test.path, "Depth: 0")
		if err != nil || resp.StatusCode != test.status {
			t.Errorf("PROPFIND %s = %d, %v, want %d", test.path, resp.StatusCode, err, test.status)
			continue
		}
		if test.want == "" {
			continue
		}
		if got := responses(t, body); got[0] != test.want {
			t.Errorf("PROPFIND %s = %q, want %q", test.path, got, test.want)
		}
	}
}

func TestDAVFiles(t *testing.T) {
	get := serve(t, davGateway())
	for _, test := range []struct {
		method, path, field string
		status              int
		want                string
	}{
		{"GET", "/-/dav/ftp://h/d/a.txt", "", 200, "hello"},
		{"GET", "/-/dav/ftp://h/d/a.txt", "Range: bytes=1-2", 206, "el"},
		{"GET", "/-/dav/ftp://h/d/a;b", "", 200, "semicolon"},
		{"HEAD", "/-/dav/ftp://h/d/a.txt", "", 200, ""},
		{"GET", "/-/dav/ftp://h/d/none", "", 404, "not found"},
		{"GET", "/-/dav/ftp://h/d/", "", 200, "<h1>d</h1>"},
		// A file is not in a page, even for a browser.
		{"GET", "/-/dav/ftp://h/d/a.txt", "Accept: text/html\nSec-Fetch-Site: none", 200, "hello"},
	} {
		resp, body, err := get(test.method, test.path, strings.Split(test.field, "\n")...)
		if err != nil || resp.StatusCode != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s %s (%s) = %d, %v, %.300q, want %d, %q", test.method, test.path, test.field, resp.StatusCode, err, body, test.status, test.want)
		}
		if test.want == "hello" && body != "hello" || test.method == "HEAD" && resp.ContentLength != 5 {
			t.Errorf("%s %s: %d bytes, %q", test.method, test.path, resp.ContentLength, body)
		}
	}
}

// The gateway refuses to write or lock files, to list a whole tree at once, and to answer pages of
// other sites.
func TestDAVRefuses(t *testing.T) {
	// attack: A page of another site, or a WebDAV client, changes a file | WebDAV has only
	// OPTIONS, GET, HEAD and PROPFIND of one folder, and refuses requests of other sites
	opened := false
	get := serve(t, &gateway.Gateway{Engine: resources{"ftp://h/d/": func(req *access.Request) (*access.Resource, error) {
		opened = true
		return nil, &access.Error{Op: "open", URL: req.URL, Err: fs.ErrNotExist}
	}}})
	const cross = "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: cors"
	for _, test := range []struct {
		method, fields string
		status         int
	}{
		{"PUT", "", 405},
		{"DELETE", "", 405},
		{"MKCOL", "", 405},
		{"MOVE", "Destination: /-/dav/ftp://h/x", 405},
		{"COPY", "Destination: /-/dav/ftp://h/x", 405},
		{"PROPPATCH", "", 405},
		{"LOCK", "", 405},
		{"POST", "", 405},
		{"PROPFIND", "", 403},
		{"PROPFIND", "Depth: infinity", 403},
		{"PROPFIND", "Depth: 2", 403},
		{"PROPFIND", "Depth: 1\n" + cross, 403},
		{"PROPFIND", "Depth: 1\nOrigin: http://evil.example", 403},
		{"PROPFIND", "Depth: 1\nHost: evil.example", 421},
		{"OPTIONS", cross, 403},
		{"GET", "Sec-Fetch-Site: cross-site\nSec-Fetch-Mode: navigate\nSec-Fetch-Dest: document", 403},
	} {
		resp, _, err := get(test.method, "/-/dav/ftp://h/d/", strings.Split(test.fields, "\n")...)
		if err != nil || resp.StatusCode != test.status {
			t.Errorf("%s (%s) = %d, %v, want %d", test.method, test.fields, resp.StatusCode, err, test.status)
		}
		if allow := resp.Header.Get("Allow"); test.status == 405 && allow != "OPTIONS, GET, HEAD, PROPFIND" {
			t.Errorf("%s allows %q", test.method, allow)
		}
		if cors := resp.Header.Get("Access-Control-Allow-Origin"); cors != "" {
			t.Errorf("%s lets %q read", test.method, cors)
		}
	}
	if opened {
		t.Error("a refused request opened the folder")
	}
	resp, _, err := get("OPTIONS", "/-/dav/ftp://h/d/")
	if err != nil || resp.StatusCode != 200 || resp.Header.Get("DAV") != "1" || opened {
		t.Errorf("OPTIONS = %d, %v, DAV: %s", resp.StatusCode, err, resp.Header.Get("DAV"))
	}
}

// The answer for a listing that breaks off or is too long does not look complete.
func TestDAVIncomplete(t *testing.T) {
	g := davGateway()
	g.MaxEntries = 20
	get := serve(t, g)
	for path, want := range map[string]string{"/-/dav/ftp://h/broken/": "cut off", "/-/dav/ftp://h/forever/": "too many entries"} {
		resp, body, err := get("PROPFIND", path, "Depth: 1")
		if err == nil && (resp.StatusCode < 400 || !strings.Contains(body, want)) || strings.Contains(body, "</D:multistatus>") {
			t.Errorf("PROPFIND %s = %d, %v: %.300s", path, resp.StatusCode, err, body)
		}
	}
}

// The answer has the properties that the client asks for, and names the missing ones.
func TestDAVProperties(t *testing.T) {
	const start = `<?xml version="1.0"?><propfind xmlns="DAV:">`
	for _, test := range []struct{ body, want string }{
		{"", "200 getcontentlength"},
		{start + `<allprop/></propfind>`, "200 getcontentlength"},
		{start + `<prop><displayname/><quota-used-bytes/><x xmlns="urn:a&quot;&lt;"/></prop></propfind>`, "200 displayname, 404 quota-used-bytes x"},
		{start + `<prop/></propfind>`, "200"},
		{start + `<prop>`, ""},
		{`<other/>`, ""},
		{start + `</propfind>`, ""},
		{"garbage", ""},
		{start + `<prop>` + strings.Repeat("<a/>", 1000) + `</prop></propfind>`, ""},
		{start + strings.Repeat(" ", 1<<20) + `<allprop/></propfind>`, ""},
	} {
		resp, body := propfind(t, davGateway(), test.body)
		if test.want == "" {
			if resp.StatusCode != http.StatusBadRequest {
				t.Errorf("%.60q = %d, want 400", test.body, resp.StatusCode)
			}
			continue
		}
		var m multiStatus
		if err := xml.Unmarshal([]byte(body), &m); err != nil {
			t.Errorf("%.60q: %v in %s", test.body, err, body)
			continue
		}
		var got []string
		for _, found := range m.Responses[0].Found {
			part := strings.Fields(found.Status)[1]
			if found.Prop.Name != "" {
				part += " displayname"
			}
			if found.Prop.Length != "" {
				part = "200 getcontentlength"
			}
			for _, p := range found.Prop.Any {
				part += " " + p.XMLName.Local
			}
			got = append(got, part)
		}
		if text := strings.Join(got, ", "); text != test.want {
			t.Errorf("%.60q finds %q, want %q:\n%s", test.body, text, test.want, body)
		}
	}
}

// propfind asks for properties of a file with a body.
func propfind(t *testing.T, g *gateway.Gateway, body string) (*http.Response, string) {
	t.Helper()
	server := gatewayFor(t, g)
	req, err := http.NewRequestWithContext(t.Context(), "PROPFIND", server.URL+"/-/dav/ftp://h/d/a.txt", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Depth", "0")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}
