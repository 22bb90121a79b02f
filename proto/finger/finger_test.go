package finger_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/finger"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/url"
)

func open(t *testing.T, dial proto.Dial, text string) (string, error) {
	t.Helper()
	r, err := finger.Client{Dial: dial}.Do(t.Context(), &access.Request{URL: url.MustParse(text)})
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	content, err := io.ReadAll(r.Body)
	return string(content), err
}

func newEngine(dial proto.Dial) access.Engine { return finger.Client{Dial: dial} }

// answer is the server of TestSuite.
func answer(query string) (reply string, stall bool) {
	if query == "stalled" {
		return "Login: stalled", true
	}
	return "hello, " + query, false
}

func TestSuite(t *testing.T) {
	accesstest.Test(t, accesstest.Config{
		Ops:      []access.Op{access.Stat},
		New:      newEngine,
		Dial:     accesstest.ServeAll(t, accesstest.Script{accesstest.Converse(answer)}).Dial,
		Object:   url.MustParse("finger://h/world"),
		Content:  "hello, world",
		Stalled:  url.MustParse("finger://h/stalled"),
		Hostile:  []url.URL{url.MustParse("finger://h/a%0D%0Ab"), url.MustParse("finger://h/a%00"), url.MustParse("finger://h/a@b")},
		Secret:   url.MustParse("finger://u:sesame@h/"),
		NoOffset: true,
	})
}

func TestQuery(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"finger://h", ""},
		{"finger://h/", ""},
		{"finger://h/ada", "ada"},
		{"finger://ada@h", "ada"},
		{"finger://h/%61da%20l", "ada l"},
		{"finger://h//W%20ada", "/W ada"},
		{"finger://h/w/ada", "/W ada"},
		{"finger://h//W", "/W"},
	} {
		query := func(line string) (string, bool) { return "[" + line + "]", false }
		got, err := open(t, accesstest.ServeAll(t, accesstest.Script{accesstest.Converse(query)}).Dial, test.url)
		if want := "[" + test.want + "]"; got != want || err != nil {
			t.Errorf("Do(%q) gets %q, %v, want the reply to %q", test.url, got, err, test.want)
		}
	}
}

// A query that the server would forward is refused, and the error names the URL of the other host.
func TestForward(t *testing.T) {
	for _, test := range []struct{ url, hint string }{
		{"finger://h/ada@other.example", "finger://other.example/ada"},
		{"finger://h/@other.example", "finger://other.example/"},
		{"finger://h//W%20ada@other.example", "finger://other.example//W%20ada"},
	} {
		_, err := open(t, nil, test.url)
		if hint := access.Hint(err); !errors.Is(err, errors.ErrUnsupported) || !strings.HasSuffix(hint, " "+test.hint) {
			t.Errorf("Do(%q) = %v with the hint %q, want a hint that ends in %q", test.url, err, hint, test.hint)
		}
	}
}

func TestConnection(t *testing.T) {
	wiretest.Test(t, wiretest.Engine{Greeting: "Login: ", Open: func(ctx context.Context, d wire.Dialer) error {
		c := finger.Client{Dial: d.Dial, Security: d.Security, Idle: d.Idle}
		r, err := c.Do(ctx, &access.Request{URL: url.MustParse("finger://h/ada")})
		if err != nil {
			return err
		}
		defer r.Body.Close()
		_, err = io.Copy(io.Discard, r.Body)
		return err
	}})
}

func FuzzAnswer(f *testing.F) {
	accesstest.Fuzz(f, newEngine, url.MustParse("finger://h/ada"), [2]string{"Login: ada\r\n"}, [2]string{""})
}
