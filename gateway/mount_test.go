package gateway_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/gateway"
	"locus/url"
)

// gopherspace is a menu with all kinds of entries.
func gopherspace() resources {
	return resources{
		"gopher://h/1": menu(io.EOF,
			access.Entry{Title: "Welcome", Kind: access.Info},
			child("gopher://h/0about", "About us", access.Object, -1),
			child("gopher://h/0again", "About us", access.Object, -1),
			child("gopher://h/1sub", "Texts: a/b", access.Directory, -1),
			child("gopher://h/1", "Home", access.Directory, -1),                  // leads back up
			child("gopher://other/1", "Elsewhere", access.Directory, -1),         // another server
			child("ftp://h/x", "By ftp", access.Object, -1),                      // another protocol
			child("telnet://h/", "A terminal", access.Terminal, -1),              // no file
			child("gopher://h/7find", "Search", access.Search, -1),               // no folder
			child("gopher://h/0odd", "50% ; of #1?", access.Object, 7),           // must be escaped
			access.Entry{Title: "an error", Kind: access.Unknown, Size: -1},      // no URL
			child("gopher://h:70/9bin", "b\u202ein\x00ary", access.Object, 1000), // the same server
		),
		"gopher://h/1sub": menu(io.EOF,
			child("gopher://h/0deep", "Deep", access.Object, 4),
			child("gopher://h/1", "Home", access.Directory, -1),
			child("gopher://h/1sub", "This menu", access.Directory, -1),
			child("gopher://h/1empty", "Empty", access.Directory, -1),
			child("gopher://h/1gone", "Gone", access.Directory, -1),
		),
		"gopher://h/1empty":  menu(io.EOF),
		"gopher://h/1broken": menu(errors.New("cut off"), child("gopher://h/0deep", "Deep", access.Object, 4)),
		"gopher://h/0about":  content("text/plain", "first"),
		"gopher://h/0again":  content("text/plain", "second"),
		"gopher://h/0deep":   content("text/plain", "deep"),
		"gopher://h/0odd":    content("", "odd"),
		"gopher://h:70/9bin": content("", "bytes"),
	}
}

// If the URLs of entries are not below the URL of their listing, the listing is mounted by the titles
// of its entries.
func TestMountByNames(t *testing.T) {
	get := serve(t, &gateway.Gateway{Engine: gopherspace()})
	const root = "/-/dav/gopher://h/1/-/"
	for _, test := range []struct {
		path, depth string
		want        []string // nil: it fails
		status      int
	}{
		{root, "1", []string{
			root + "|folder|gopher://h", root + "About%20us|file|About us", root + "About%20us%20(2)|file|About us",
			root + "Texts_%20a_b/|folder|Texts: a/b", root + "50%25%20%3B%20of%20%231_|file|50% ; of #1?|7", root + "b_in_ary|file|b\ufffdin␀ary|1000",
		}, 207},
		{root, "0", []string{root + "|folder|gopher://h"}, 207},
		{strings.TrimSuffix(root, "/") + "/", "0", []string{root + "|folder|gopher://h"}, 207},
		{root + "Texts_%20a_b/", "1", []string{root + "Texts_%20a_b/|folder|Texts: a/b", root + "Texts_%20a_b/Deep|file|Deep|4", root + "Texts_%20a_b/Empty/|folder|Empty", root + "Texts_%20a_b/Gone/|folder|Gone"}, 207},
		{root + "Texts_%20a_b", "1", []string{root + "Texts_%20a_b/|folder|Texts: a/b", root + "Texts_%20a_b/Deep|file|Deep|4", root + "Texts_%20a_b/Empty/|folder|Empty", root + "Texts_%20a_b/Gone/|folder|Gone"}, 207},
		{root + "Texts_%20a_b/Empty/", "1", []string{root + "Texts_%20a_b/Empty/|folder|Empty"}, 207},
		{root + "About%20us", "1", []string{root + "About%20us|file|About us"}, 207},
		{root + "Nothing", "0", nil, 404},
		{root + "About%20us/Deeper", "0", nil, 404},
		{root + "Home", "0", nil, 404},
		{root + "Texts_%20a_b/Gone/", "1", nil, 404},
		{root + "..", "0", nil, 404},
		{root + "%zz", "0", nil, 400},
		{root + strings.Repeat("x/", 17), "0", nil, 404},
		{root, "infinity", nil, 403},
		{"/-/dav/gopher://h/1", "1", nil, 501},
		{"/-/dav/gopher://h/0about/-/", "0", nil, 404},
		{"/-/dav/telnet://h/-/", "0", nil, 501},
		{"/-/dav/gopher%3A/h/1/-/", "0", []string{"/-/dav/gopher%3A/h/1/-/|folder|gopher://h"}, 207},
	} {
		resp, body, err := get("PROPFIND", test.path, "Depth: "+test.depth)
		if test.want == nil {
			if err != nil || resp.StatusCode != test.status {
				t.Errorf("PROPFIND %s, depth %s = %d, %v, want %d", test.path, test.depth, resp.StatusCode, err, test.status)
			}
			continue
		}
		if err != nil || resp.StatusCode != test.status {
			t.Errorf("PROPFIND %s, depth %s = %d, %v\n%s", test.path, test.depth, resp.StatusCode, err, body)
			continue
		}
		if got := responses(t, body); !slices.Equal(got, test.want) {
			t.Errorf("PROPFIND %s, depth %s:\n got %q\nwant %q", test.path, test.depth, got, test.want)
		}
	}
	for path, want := range map[string]string{
		root + "About%20us": "first", root + "About%20us%20(2)": "second", root + "Texts_%20a_b/Deep": "deep", root + "50%25%20%3B%20of%20%231_": "odd", root + "b_in_ary": "bytes",
	} {
		resp, body, err := get("GET", path, "Accept: */*")
		if err != nil || resp.StatusCode != http.StatusOK || body != want {
			t.Errorf("GET %s = %d, %q, %v, want %q", path, resp.StatusCode, body, err, want)
		}
		if resp, body, err := get("GET", path, "Range: bytes=1-2"); err != nil || body != want[1:3] && resp.StatusCode != http.StatusOK {
			t.Errorf("a part of %s = %d, %q, %v", path, resp.StatusCode, body, err)
		}
	}
	if resp, _, _ := get("PUT", root+"new"); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("PUT = %d", resp.StatusCode)
	}
	if _, body, err := get("PROPFIND", "/-/dav/gopher://h/1broken/-/", "Depth: 1"); err == nil && strings.Contains(body, "</D:multistatus>") {
		t.Errorf("a listing that broke off is whole:\n%s", body)
	}
}

// A search is mounted with "%3F" for "?". A file without an extension gets the extension of its type.
func TestMountSearch(t *testing.T) {
	hit := child("wais://h/db?words&d", "First hit", access.Object, 3)
	hit.Type = "text/plain; charset=utf-8"
	letter := child("wais://h/db?words&e", "Re: a. letter", access.Object, 3)
	letter.Type = "message/rfc822"
	named := child("wais://h/db?words&f", "notes.md", access.Object, 3)
	named.Type = "text/plain"
	get := serve(t, &gateway.Gateway{Engine: resources{"wais://h/db?two+words": menu(io.EOF, hit, letter, named)}})
	const root = "/-/dav/wais://h/db%3Ftwo+words/-/"
	_, body, err := get("PROPFIND", root, "Depth: 1")
	want := []string{root + "|folder|two words", root + "First%20hit.txt|file|First hit|3|text/plain", root + "Re_%20a.%20letter.eml|file|Re: a. letter|3|message/rfc822", root + "notes.md|file|notes.md|3|text/plain"}
	if got := responses(t, body); err != nil || !slices.Equal(got, want) {
		t.Errorf("got  %q, %v\nwant %q", got, err, want)
	}
}

// A search in a library catalogue follows a ";", which some clients escape. The records that it finds
// have URLs of another scheme.
func TestMountCatalogue(t *testing.T) {
	record := child("z39.50r://h/books?17", "Moby Dick", access.Object, 3)
	get := serve(t, &gateway.Gateway{Engine: resources{"z39.50s://h/books;query=old%20whale": menu(io.EOF, record)}})
	for _, root := range []string{"/-/dav/z39.50s://h/books;query=old%20whale/-/", "/-/dav/z39.50s://h/books%3Bquery=old%20whale/-/"} {
		_, body, err := get("PROPFIND", root, "Depth: 1")
		want := []string{root + "|folder|old whale", root + "Moby%20Dick|file|Moby Dick|3"}
		if got := responses(t, body); err != nil || !slices.Equal(got, want) {
			t.Errorf("got  %q, %v\nwant %q", got, err, want)
		}
	}
}

// An escaped ";" after the ";" of the search is a part of the words.
func TestMountCatalogueWords(t *testing.T) {
	record := child("z39.50r://h/books?17", "Moby Dick", access.Object, 3)
	get := serve(t, &gateway.Gateway{Engine: resources{"z39.50s://h/books;query=a%3Bb": menu(io.EOF, record)}})
	resp, body, err := get("PROPFIND", "/-/dav/z39.50s://h/books;query=a%3Bb/-/", "Depth: 1")
	if err != nil || resp.StatusCode != http.StatusMultiStatus || !strings.Contains(body, "Moby") {
		t.Errorf("%d, %v, %s", resp.StatusCode, err, body)
	}
}

// If the URL names a user, the server gets the password of the WebDAV client. The gateway asks the
// client for it only below the server's own folder.
func TestDAVPassword(t *testing.T) {
	asked := ""
	g := &gateway.Gateway{Engine: doFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		if req.Login == nil {
			return nil, &access.Error{Op: "open", URL: req.URL, Err: access.ErrPassword}
		}
		user, _ := req.URL.User()
		given, err := req.Login(ctx, access.Challenge{User: user})
		if err != nil || given.Password != "sesame" {
			return nil, &access.Error{Op: "open", URL: req.URL, Err: access.ErrPassword}
		}
		asked = given.Password
		entry := access.Entry{URL: url.MustParse("ftp://u@h/d/"), Kind: access.Directory, Size: -1}
		if req.Op == access.Stat {
			return &access.Resource{Entry: entry, Body: access.NoBody}, nil
		}
		folder, err := menu(io.EOF, child("ftp://u@h/d/x", "x", access.Object, 1))(req)
		folder.Entry = entry
		return folder, err
	})}
	get := serve(t, g)
	login := "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("u:sesame"))
	wrong := "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("u:wrong"))
	for _, test := range []struct {
		method, path, login string
		status              int
		asks                bool
	}{
		{"PROPFIND", "/-/dav/ftp://u@h/d/", "", 401, true},
		{"PROPFIND", "/-/dav/ftp://u@h/d/", wrong, 401, true},
		{"PROPFIND", "/-/dav/ftp://u@h/d/", login, 207, false},
		{"PROPFIND", "/-/dav/ftp%3a/u@h/d/", login, 207, false},
		{"GET", "/-/dav/ftp://u@h/d/", login, 200, false},
		{"GET", "/-/dav/ftp://u@h/d/", "", 401, true},
		{"PROPFIND", "/-/dav/gopher://u@h/1/-/", login, 207, false},
		{"PROPFIND", "/-/dav/ftp://h/d/", login, 401, true}, // the URL does not name a user, so the password is not for this server
		{"GET", "/-/dav/ftp://u@h", "", 303, false},
		{"GET", "/-/raw?url=ftp://u@h/d/", login, 403, false}, // the browser would send the password to other servers too
	} {
		asked = ""
		fields := []string{"Depth: 1"}
		if test.login != "" {
			fields = append(fields, test.login)
		}
		resp, _, err := get(test.method, test.path, fields...)
		if err != nil {
			t.Fatalf("%s %s: %v", test.method, test.path, err)
		}
		challenge := resp.Header.Get("WWW-Authenticate")
		if resp.StatusCode != test.status || strings.HasPrefix(challenge, "Basic realm=") != test.asks || (asked != "") != (test.status < 300) {
			t.Errorf("%s %s (%.20s) = %d, asks %q, gave %q, want %d", test.method, test.path, test.login, resp.StatusCode, challenge, asked, test.status)
		}
	}
	resp, _, _ := get("GET", "/-/dav/ftp://u@h/d/x.png", strings.Split(embedding, "\n")...)
	if challenge := resp.Header.Get("WWW-Authenticate"); resp.StatusCode != http.StatusForbidden || challenge != "" {
		t.Errorf("a picture in a page = %d, asks %q", resp.StatusCode, challenge)
	}
	resp, _, _ = get("GET", "/-/dav/ftp://u@h")
	if to := resp.Header.Get("Location"); to != "/-/dav/ftp://u@h/" {
		t.Errorf("without its slash the server leads to %q", to)
	}
}

// The entries of a listing lack the password of its URL. A mounted folder and an archive open them with it, but not the
// entries of other servers or users.
func TestPasswordOfEntries(t *testing.T) {
	const mailbox = "imap://u@h/INBOX"
	mails := menu(io.EOF, child(mailbox+"/;UID=1", "Tea", access.Object, 2), child("imap://u@evil/INBOX/;UID=1", "Evil", access.Object, 2))
	get := serve(t, &gateway.Gateway{Engine: resources{
		"imap://u:sesame@h":               menu(io.EOF, child(mailbox, "INBOX", access.Directory, -1), child("imap://v@h/INBOX", "other", access.Directory, -1)),
		"imap://u:sesame@h/INBOX":         mails,
		"imap://u:sesame@h/INBOX/;UID=1":  content("message/rfc822", "it"),
		"ftp://u:sesame@h/d/":             menu(io.EOF, child("ftp://u@h/d/a.txt", "a.txt", access.Object, 2)),
		"ftp://u:sesame@h/d/a.txt":        content("text/plain", "it"),
		"ftp://u:sesame@h/d/a.txt;type=i": content("text/plain", "it"),
	}})
	for _, test := range []struct {
		method, path string
		status       int
		has          string
	}{
		{"PROPFIND", "/-/dav/imap://u:sesame@h/-/", 207, "INBOX"},
		{"PROPFIND", "/-/dav/imap://u:sesame@h/-/INBOX/", 207, "Tea"},
		{"GET", "/-/dav/imap://u:sesame@h/-/INBOX/Tea", 200, "it"},
		{"PROPFIND", "/-/dav/imap://u:sesame@h/-/other/", 404, ""},
		{"PROPFIND", "/-/dav/ftp://u:sesame@h/d/", 207, "a.txt"},
		{"GET", "/-/archive?format=tar&url=imap://u:sesame@h/INBOX", 200, "Tea"},
		{"GET", "/-/archive?format=tar&url=ftp://u:sesame@h/d/", 200, "\x00it\x00"},
	} {
		resp, body, err := get(test.method, test.path, "Depth: 1")
		if err != nil || resp.StatusCode != test.status || !strings.Contains(body, test.has) || strings.Contains(body, "MISSING") {
			t.Errorf("%s %s = %d, %v, want %d and %q in\n%.500q", test.method, test.path, resp.StatusCode, err, test.status, test.has, body)
		}
	}
}

// The gateway limits the length of a listing that is mounted by names, and the depth of a path.
func TestAttackMount(t *testing.T) {
	// attack: A mounted listing has no end | the response breaks off, and the length of a path is limited
	g := &gateway.Gateway{MaxEntries: 10, Engine: access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: http.NoBody, List: &endlessMenu{}}, nil
	})}
	get := serve(t, g)
	for _, path := range []string{"/-/dav/gopher://h/1/-/", "/-/dav/gopher://h/1/-/none", "/-/dav/gopher://h/1/-/Folder%201/Folder%202/none"} {
		if resp, body, err := get("PROPFIND", path, "Depth: 1"); err == nil && (resp.StatusCode == 207 && strings.Contains(body, "</D:multistatus>") || len(body) > 1<<20) {
			t.Errorf("PROPFIND %s = %d, %d bytes", path, resp.StatusCode, len(body))
		}
	}
}

type endlessMenu struct{ n int }

func (l *endlessMenu) Next() (access.Entry, error) {
	l.n++
	return child(fmt.Sprintf("gopher://h/1%d", l.n), fmt.Sprintf("Folder %d", l.n), access.Directory, -1), nil
}
