package locus

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"testing"

	"locus/access"
	"locus/guard"
	"locus/url"
)

// A program's own schemes are treated by their facts, as the schemes of this module are.

// A scheme that is not Remote belongs to the program: a request that is PublicOnly, or a
// Client for strangers, does not reach it.
func TestAddedSchemeIsNotPublic(t *testing.T) {
	vault := func(Dial) map[string]Scheme {
		return map[string]Scheme{"vault": {Engine: toy{"vault:secret": text}}}
	}
	c := &Client{Engines: vault}
	if err := exhaust(t, c, "vault:secret"); err != nil {
		t.Errorf("Open = %v, want the secret", err)
	}
	_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("vault:secret"), PublicOnly: true})
	if !errors.Is(err, access.ErrNotPublic) {
		t.Errorf("PublicOnly: %v, want access.ErrNotPublic", err)
	}
	public := &Client{Engines: vault, Public: true}
	if err := exhaust(t, public, "vault:secret"); !errors.Is(err, access.ErrNoScheme) {
		t.Errorf("by a public client: %v, want access.ErrNoScheme", err)
	}
	if slices.Contains(public.Schemes(), "vault") {
		t.Error("a public client lists the scheme")
	}
}

// movedTo is an Engine that redirects all but the target.
func movedTo(to string) access.Engine {
	return access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		if req.URL.String() == to {
			return text(req)
		}
		return nil, &access.Moved{To: url.MustParse(to)}
	})
}

// Redirects are followed to a scheme that is Remote, and refused to any other scheme.
func TestAddedSchemeRedirects(t *testing.T) {
	for _, test := range []struct {
		name   string
		scheme Scheme
		to     string
		want   error
	}{
		{"to its own host", Scheme{Remote: true, Port: 1965}, "spartan://h/b", nil},
		{"to a scheme that is not Remote", Scheme{Remote: true}, "vault://h/b", access.ErrRedirect},
		{"of a scheme that is not Remote", Scheme{}, "spartan://h/b", access.ErrRedirect},
	} {
		c := &Client{Engines: func(Dial) map[string]Scheme {
			s := test.scheme
			s.Engine = movedTo(test.to)
			return map[string]Scheme{"spartan": s, "vault": {Engine: movedTo(test.to)}}
		}}
		if err := exhaust(t, c, "spartan://h/a"); !errors.Is(err, test.want) {
			t.Errorf("a redirect %s = %v, want %v", test.name, err, test.want)
		}
	}
}

// The port of an added scheme is dialled only for URLs of the scheme.
func TestAddedSchemePort(t *testing.T) {
	c := &Client{Engines: func(Dial) map[string]Scheme {
		return map[string]Scheme{"finger": {Engine: toy{"finger://h:79/": text}, Port: 79, Remote: true}}
	}}
	if err := exhaust(t, c, "finger://h:79/"); err != nil {
		t.Errorf("the scheme's own port = %v", err)
	}
	for _, u := range []string{"gopher://h:79/", "finger://h:25/"} {
		_, err := c.Open(t.Context(), u)
		if _, refused := errors.AsType[*guard.PortError](err); !refused {
			t.Errorf("Open(%q) = %v, want a *guard.PortError", u, err)
		}
	}
}

// The engines of an added scheme get a dialler of their own for PublicOnly requests.
func TestAddedSchemeDials(t *testing.T) {
	log := new(dialLog)
	c := &Client{Dial: log.Dial, Resolver: someNames, Engines: func(dial Dial) map[string]Scheme {
		return map[string]Scheme{"finger": {Remote: true, Engine: access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
			host, _ := req.URL.Host()
			conn, err := dial(ctx, "tcp", net.JoinHostPort(host, "79"))
			if err != nil {
				return nil, err
			}
			return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: conn}, nil
		})}}
	}}
	for _, test := range []struct {
		host       string
		publicOnly bool
		dialled    bool
	}{
		{"inside.example", false, true},
		{"inside.example", true, false},
		{"public.example", true, true},
	} {
		_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("finger://" + test.host + "/x"), PublicOnly: test.publicOnly})
		if dialled := len(log.since()) > 0; err == nil || dialled != test.dialled {
			t.Errorf("Open of %s, only if public %v = %v, dialled %v, want %v", test.host, test.publicOnly, err, dialled, test.dialled)
		}
	}
}

// A replaced engine keeps the facts of its scheme.
func TestReplacedSchemeKeepsFacts(t *testing.T) {
	c := &Client{Engines: func(Dial) map[string]Scheme {
		return map[string]Scheme{"gopher": {Engine: movedTo("gopher://h/0b")}}
	}}
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gopher://h/0a"), PublicOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if _, err := io.ReadAll(r.Body); err != nil || r.URL.String() != "gopher://h/0b" {
		t.Errorf("the resource is at %s, %v", r.URL, err)
	}
}
