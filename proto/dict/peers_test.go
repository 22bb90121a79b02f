package dict_test

import (
	"errors"
	"io/fs"
	"net"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/internal/peers"
)

func TestDictd(t *testing.T) {
	at := "dict://" + peers.Dictd(t).Addr
	dial := new(net.Dialer).DialContext

	for _, test := range []struct{ url, want string }{
		{at + "/d:foobar", "From The Jargon File"},
		{at + "/d:foobar:jargon:1", "foobar"},
		{at + "/d:Real%20Programmer:*", "Real Programmer"},
	} {
		if got, err := read(t, dial, test.url); !strings.Contains(got, test.want) || err != nil {
			t.Errorf("Do(%q) = %q, %v, want %q", test.url, got, err, test.want)
		}
	}
	for _, test := range []struct{ url, want string }{
		{at, at + "/d::jargon"},
		{at + "/m:foob:jargon:prefix", at + "/d:foobar:jargon"},
		{at + "/m:%5Efoobar%24::re", at + "/d:foobar:jargon"},
	} {
		var got []string
		r, err := open(t, dial, test.url)
		if err != nil {
			t.Errorf("Do(%q) = %v", test.url, err)
			continue
		}
		err = access.Entries(r.List, func(e access.Entry) error {
			got = append(got, e.URL.String())
			return nil
		})
		r.Body.Close()
		if !slices.Contains(got, test.want) || err != nil {
			t.Errorf("Do(%q) lists %q, %v, want %q", test.url, got, err, test.want)
		}
	}
	for _, missing := range []string{"/d:nosuchword", "/d:foobar:nobase", "/m:nosuchword::exact", "/m:foobar::nostrategy", "/d:foobar:jargon:9"} {
		if _, err := read(t, dial, at+missing); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Do(%q) = %v, want fs.ErrNotExist", missing, err)
		}
	}
}
