package z3950_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/access/engine"
	"locus/internal/ber"
	"locus/proto"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/proto/z3950"
	"locus/url"
)

func client(dial proto.Dial) access.Engine { return z3950.Client{Dial: dial} }

// The client fulfills the contract.
func TestSuite(t *testing.T) {
	served := accesstest.ServeAll(t, catalogue())
	accesstest.Test(t, accesstest.Config{
		Ops:       []access.Op{access.Stat},
		New:       client,
		Dial:      served.Dial,
		Object:    url.MustParse("z39.50r://h/db?object"),
		Content:   "hello, world",
		Missing:   url.MustParse("z39.50r://h/db?missing"),
		Listing:   url.MustParse("z39.50s://h/db;query=two"),
		Titles:    []string{"One", "Two"},
		Truncated: url.MustParse("z39.50r://h/db?truncated"),
		Stalled:   url.MustParse("z39.50s://h/db;query=many"),
		Hostile: []url.URL{
			url.MustParse("z39.50s://h/db%0D%0A;query=x"),
			url.MustParse("z39.50s://h/db%00;query=x"),
			url.MustParse("z39.50s://h/db;query=a%00b"),
			url.MustParse("z39.50r://h/db?a%0Ab"),
			url.MustParse("z39.50s://h/db;scan=a%00"),
			url.MustParse("z39.50s://u%00:p@h/db"),
			url.MustParse("z39.50s://h/db?x;esn=a%00"),
			url.MustParse("z39.50s://h/db;query=" + strings.Repeat("x", 1<<17)),
			url.MustParse("z39.50s://h/db;query="),
			url.MustParse("z39.50s://h/db;query=@and%20a"),
			url.MustParse("z39.50s://h/db;query=a;sort=nosuch"),
			url.MustParse("z39.50s://h/db;query=a;rs=nosuch"),
			url.MustParse("z39.50r://h/db"),
			url.MustParse("z39.50r://h/db?"),
		},
		Secret: url.MustParse("z39.50s://u:sesame@h/db"),
	})
}

func TestConnection(t *testing.T) {
	for _, u := range []string{"z39.50s://h/", "z39.50s://h/d", "z39.50s://h/d;query=words", "z39.50r://h/d?x", "z39.50s://h/d;scan=a"} {
		wiretest.Test(t, wiretest.Engine{Open: func(ctx context.Context, d wire.Dialer) error {
			c := z3950.Client{Dial: d.Dial, Security: d.Security, Idle: d.Idle}
			_, err := c.Do(ctx, &access.Request{URL: url.MustParse(u)})
			return err
		}})
	}
	for _, greeting := range []string{"\xb5\x83\x01\x00\x00", "\xb5\x80"} { // a definite and an indefinite length
		wiretest.TestDrip(t, wiretest.Engine{Answers: true, Greeting: greeting, Drip: "\x81\x01\x00", Open: func(ctx context.Context, d wire.Dialer) error {
			_, err := z3950.Client{Dial: d.Dial, Idle: d.Idle}.Do(ctx, &access.Request{URL: url.MustParse("z39.50s://h/d;query=words")})
			return err
		}})
	}
}

// fetch opens a URL and reads its whole Body.
func fetch(ctx context.Context, c access.Engine, u string) (string, error) {
	r, err := c.Do(ctx, &access.Request{URL: url.MustParse(u)})
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	return string(data), err
}

// A docid that finds two records is an error, because the URL is for one record.
func TestAmbiguous(t *testing.T) {
	server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
		if m.Tag == 20 {
			return accepts()
		}
		return found(2)
	}))
	_, err := fetch(t.Context(), client(server.Dial), "z39.50r://h/db?x")
	if err == nil || !strings.Contains(err.Error(), "2 records have the docid") {
		t.Errorf("two records with a docid: %v", err)
	}
}

// A login is sent as idPass, and then as open.
func TestLogin(t *testing.T) {
	var logins []string
	server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
		if m.Tag != 20 {
			return found(0)
		}
		id, _ := m.Find(7)
		form := mustFirst(id)
		if form.IsUniversal(ber.TagVisible) {
			logins = append(logins, form.Text())
			return accepts()
		}
		user, _ := form.Find(1)
		password, _ := form.Find(2)
		logins = append(logins, user.Text()+" "+password.Text())
		return strings.Replace(accepts(), "\x8c\x01\xff", "\x8c\x01\x00", 1)
	}))
	_, err := fetch(t.Context(), client(server.Dial), "z39.50s://ada:sesame@h/db;query=x")
	if err != nil || strings.Join(logins, ",") != "ada sesame,ada/sesame" {
		t.Errorf("%v after the logins %q", err, logins)
	}
}

// A Tap gets to know the password before either form of the login, so that an archive does not record it.
func TestLoginHidden(t *testing.T) {
	server := accesstest.ServeAll(t, answering(func(m ber.Element) string {
		return strings.Replace(accepts(), "\x8c\x01\xff", "\x8c\x01\x00", 1)
	}))
	tap := new(wiretest.HidingTap)
	_, err := fetch(engine.WithTap(t.Context(), tap), client(server.Dial), "z39.50s://ada:sesame@h/db;query=x")
	if got := tap.Bytes.String(); err == nil || strings.Contains(got, "sesame") || strings.Count(got, "***") != 2 {
		t.Errorf("the Tap of a refused login has %q, %v, want two logins without the password", got, err)
	}
}

// A server that refuses every Init wants a login, or does not accept the login. The error has
// one line.
func TestLoginRefused(t *testing.T) {
	server := accesstest.ServeAll(t, answering(func(ber.Element) string {
		return strings.Replace(accepts(), "\x8c\x01\xff", "\x8c\x01\x00", 1)
	}))
	for _, test := range []struct {
		url, want string
		isLogin   bool // access.ErrLogin
	}{
		{"z39.50s://h/db;query=x", "open z39.50s://h/db;query=x: the server refuses the session: it wants a login", false},
		{"z39.50s://ada:no@h/db;query=x", "open z39.50s://ada:xxxxx@h/db;query=x: the server refuses the session", true},
	} {
		_, err := fetch(t.Context(), client(server.Dial), test.url)
		if !errors.Is(err, access.ErrPassword) || !errors.Is(err, fs.ErrPermission) || errors.Is(err, access.ErrLogin) != test.isLogin || err.Error() != test.want {
			t.Errorf("%s: %v, want %q", test.url, err, test.want)
		}
	}
}

// A URL of another scheme is refused without dialing.
func TestOtherScheme(t *testing.T) {
	_, err := z3950.Client{}.Do(t.Context(), &access.Request{URL: url.MustParse("z39.50://h/")})
	if !errors.Is(err, access.ErrNoScheme) {
		t.Errorf("Do of another scheme = %v, want access.ErrNoScheme", err)
	}
}

// With RequireTLS every request fails.
func TestRequireTLS(t *testing.T) {
	c := z3950.Client{Dial: new(net.Dialer).DialContext, Security: access.RequireTLS}
	if _, err := fetch(t.Context(), c, "z39.50s://h/db"); !errors.Is(err, wire.ErrNoTLS) {
		t.Errorf("with TLS required: %v", err)
	}
}
