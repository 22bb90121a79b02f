package access

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"locus/url"
)

// req: 1738-4-2, 1630-reg-1
func TestVia(t *testing.T) {
	for _, test := range []struct {
		prefix, url, want string
		send              bool
	}{
		{prefix: "http://gw.example/", url: "wais://h/db?words", want: "http://gw.example/wais://h/db?words"},
		{prefix: "http://gw.example/", url: "wais://h/db#f", want: "http://gw.example/wais://h/db"},
		{prefix: "http://gw.example/?url=", url: "wais://h/db?w+%20#f", want: "http://gw.example/?url=wais%3A%2F%2Fh%2Fdb%3Fw%2B%2520"},
		{prefix: "http://gw.example/", url: "wais://me@h/db", want: "http://gw.example/wais://me@h/db"},
		{prefix: "http://gw.example/", url: "wais://me:sesame@h/db"},
		{prefix: "http://gw.example/", url: "wais://me:sesame@h/db", send: true, want: "http://gw.example/wais://me:sesame@h/db"},
		{prefix: "no url ", url: "wais://h/db"},
	} {
		var asked string
		gateway := GetFunc(func(_ context.Context, req *Request) (*Resource, error) {
			asked = req.URL.String()
			return &Resource{Entry: Entry{URL: req.URL}, Body: io.NopCloser(strings.NewReader(""))}, nil
		})
		v := Via{Engine: gateway, Prefix: test.prefix, SendPassword: test.send}
		r, err := v.Do(t.Context(), &Request{URL: url.MustParse(test.url)})
		if asked != test.want || (err == nil) != (test.want != "") {
			t.Errorf("Open(%q) via %q asks for %q, %v, want %q", test.url, test.prefix, asked, err, test.want)
		}
		if err == nil && r.URL.String() != test.url {
			t.Errorf("Open(%q) finds %q, want the same", test.url, r.URL)
		}
		if err != nil && strings.Contains(err.Error(), "sesame") {
			t.Errorf("Open(%q) shows the password: %v", test.url, err)
		}
	}
}

func TestViaErrors(t *testing.T) {
	inner := &Error{Op: "open", URL: url.MustParse("http://gw/x"), Reply: &Reply{404, "none"}, Err: fs.ErrNotExist, Remedy: Advice("look")}
	v := Via{Engine: GetFunc(func(context.Context, *Request) (*Resource, error) { return nil, inner }), Prefix: "http://me@gw.example:81/"}
	u := url.MustParse("wais://h/db")
	_, err := v.Do(t.Context(), &Request{URL: u})
	e, ok := errors.AsType[*Error](err)
	if want := "open wais://h/db: 404 none: through the gateway gw.example:81: file does not exist"; err.Error() != want {
		t.Errorf("Open = %q, want %q", err, want)
	}
	if !ok || e.URL != u || e.Reply != inner.Reply || !errors.Is(err, fs.ErrNotExist) || Hint(err) != "look" {
		t.Errorf("Open = %v (%q), want an *Error about %q with the gateway's reply and hint", err, Hint(err), u)
	}
	for _, o := range []Via{{}, v} {
		if _, err := o.Do(t.Context(), &Request{Op: Stat, URL: u}); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("Stat with the prefix %q = %v, want errors.ErrUnsupported", o.Prefix, err)
		}
	}
	var asked []string
	e2, err := Via{Engine: full{&asked}, Prefix: "http://gw/"}.Do(t.Context(), &Request{Op: Stat, URL: u})
	if err != nil || e2.URL != u || asked[0] != "stat http://gw/wais://h/db" {
		t.Errorf("Stat = %q, %v after %q, want %q", e2.URL, err, asked, u)
	}
}

// The user's login is not sent to the gateway.
func TestViaPassword(t *testing.T) {
	v := Via{Prefix: "http://gw/", Engine: GetFunc(func(_ context.Context, req *Request) (*Resource, error) {
		if req.Login != nil {
			t.Error("the gateway may ask for the password")
		}
		return &Resource{Entry: Entry{URL: req.URL}, Body: io.NopCloser(strings.NewReader(""))}, nil
	})}
	req := &Request{URL: url.MustParse("wais://me@h/db"), Offset: 5, Login: func(context.Context, Challenge) (Credentials, error) { return Credentials{Password: "sesame"}, nil }}
	r, err := v.Do(t.Context(), req)
	if err != nil || r.URL != req.URL || req.Login == nil {
		t.Errorf("Open = %v, %v, want the resource, and the Request as it was", r, err)
	}
}
