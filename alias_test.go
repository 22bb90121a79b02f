package locus

import (
	"context"
	"errors"
	"io"
	"testing"

	"locus/access"
	"locus/url"
)

// A Client opens the URL that an alias stands for.
func TestClientAlias(t *testing.T) {
	var opened []string
	stub := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		opened = append(opened, req.URL.String())
		return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: access.NoBody}, nil
	})
	for _, test := range []struct {
		url, want string
		own       bool // the program has an engine for the scheme of the alias
	}{
		{url: "webcal://h/c.ics", want: "http://h/c.ics"},
		{url: "davs://h/", want: "https://h/"},
		{url: "feed:https://h/rss", want: "https://h/rss"},
		{url: "view-source:https://h/a", want: "https://h/a"},
		{url: "webcal://h/c.ics", want: "webcal://h/c.ics", own: true},
	} {
		opened = nil
		c := &Client{Dial: silent, Engines: func(Dial) map[string]Scheme {
			added := map[string]Scheme{"http": {Engine: stub}, "https": {Engine: stub}}
			if test.own {
				added["webcal"] = Scheme{Engine: stub}
			}
			return added
		}}
		r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		if err != nil {
			t.Errorf("Do(%q) = %v", test.url, err)
			continue
		}
		_, _ = io.Copy(io.Discard, r.Body)
		r.Body.Close()
		if len(opened) != 1 || opened[0] != test.want {
			t.Errorf("Do(%q) opens %q, want %q", test.url, opened, test.want)
		}
	}
	for _, test := range []struct {
		base      string
		isSession bool
	}{
		{"view-source:telnet://h/", true},
		{"telnet://h/", true},
		{"view-source:http://h/", false},
		{"webcal://h/", false},
	} {
		fsys, err := (&Client{Dial: silent}).FS(t.Context(), test.base)
		if errors.Is(err, errors.ErrUnsupported) != test.isSession || (fsys == nil) != test.isSession {
			t.Errorf("FS(%q) = %v, %v, want an error: %t", test.base, fsys, err, test.isSession)
		}
	}
	for _, base := range []string{"view-source:view-source:telnet://h/", "view-source:webcal://h/"} { // as Do refuses them
		if fsys, err := (&Client{Dial: silent}).FS(t.Context(), base); !errors.Is(err, access.ErrNoScheme) {
			t.Errorf("FS(%q) = %v, %v, want access.ErrNoScheme", base, fsys, err)
		}
	}
	opened = nil
	own := &Client{Dial: silent, Engines: func(Dial) map[string]Scheme { return map[string]Scheme{"view-source": {Engine: stub}} }}
	if _, err := own.FS(t.Context(), "view-source:telnet://h/"); err != nil {
		t.Errorf("FS of a program's own scheme = %v", err)
	}
	for _, text := range []string{"view-source:view-source:http://h/", "view-source:javascript:x", "feed:x", "dav:x"} {
		if _, err := (&Client{Dial: silent}).Do(t.Context(), &access.Request{URL: url.MustParse(text)}); !errors.Is(err, access.ErrNoScheme) {
			t.Errorf("Do(%q) = %v, want access.ErrNoScheme", text, err)
		}
	}
}
