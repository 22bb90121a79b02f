package check_test

import (
	"context"
	"io/fs"
	"testing"

	"locus/access"
	"locus/check"
)

// Offline, only URLs that need no network are checked, and no server is asked.
func TestOffline(t *testing.T) {
	o := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		switch req.URL.Scheme() {
		case "file":
			return nil, &access.Error{Op: "open", URL: req.URL, Err: fs.ErrNotExist}
		case "urn":
			return nil, &access.Error{Op: "open", URL: req.URL, Err: access.ErrNoScheme}
		}
		t.Errorf("%v is opened", req.URL)
		return nil, fs.ErrPermission
	})
	c := &check.Checker{Engine: o, Resolver: names{}, Policy: check.Policy{Offline: true, Retries: -1}}
	const needs = ": it needs the network"
	for _, test := range []struct{ link, want string }{
		{"http://h.net/", "excluded http://h.net/" + needs},
		{"https://h.net/#x", "excluded https://h.net/" + needs},
		{"ftp://h.net/", "excluded ftp://h.net/" + needs},
		{"gopher://h.net/", "excluded gopher://h.net/" + needs},
		{"telnet://h.net/", "excluded telnet://h.net/" + needs},
		{"news:comp.lang.c", "excluded news:comp.lang.c" + needs},
		{"webcal://h.net/a.ics", "excluded webcal://h.net/a.ics" + needs},
		{"feed://h.net/", "excluded feed://h.net/" + needs},
		{"feed:https://h.net/", "excluded feed:https://h.net/" + needs},
		{"view-source:http://h.net/", "excluded view-source:http://h.net/" + needs},
		{"view-source:feed:ftp://h.net/", "excluded view-source:feed:ftp://h.net/" + needs},
		{"mailto:x@no.test", "good mailto:x@no.test"},
		{"file:///none", "dead file:///none: no such file or folder"},
		{"urn:x:y", "unchecked urn:x:y: locus cannot open this scheme"},
	} {
		if got := one(t, c, test.link); got != test.want {
			t.Errorf("the link %s is %q, want %q", test.link, got, test.want)
		}
	}
}
