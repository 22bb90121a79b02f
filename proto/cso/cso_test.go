package cso_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/cso"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/url"
)

func newEngine(dial proto.Dial) access.Engine { return cso.Client{Dial: dial} }

const twoPeople = "102:There were 2 matches.\r\n-200:1:  name: Ada\r\n-200:1: email: a@b\r\n-200:2:  name: Bob\r\n200:Ok.\r\n"

// answer is the server of TestSuite.
func answer(query string) (reply string, stall bool) {
	switch query {
	case "query ada":
		return twoPeople, false
	case "query cut":
		return "-200:1: name: Ada\r\n", false
	case "query stalled":
		return "-200:1: name: Ada\r\n", true
	case "fields":
		return "-200:1:name:Full name\r\n200:Ok.\r\n", false
	case "quit":
		return "", true
	}
	return "501:No matches to your query.\r\n", false
}

func TestSuite(t *testing.T) {
	accesstest.Test(t, accesstest.Config{
		Ops:       []access.Op{access.Stat},
		New:       newEngine,
		Dial:      accesstest.ServeAll(t, accesstest.Script{accesstest.Converse(answer)}).Dial,
		Object:    url.MustParse("cso://h/?ada"),
		Content:   "name: Ada\nemail: a@b\n\nname: Bob\n",
		Listing:   url.MustParse("cso://h/"),
		Titles:    []string{"Search h", "name:Full name"},
		Missing:   url.MustParse("cso://h/?nobody"),
		Truncated: url.MustParse("cso://h/?cut"),
		Stalled:   url.MustParse("cso://h/?stalled"),
		Hostile:   []url.URL{url.MustParse("cso://h/?a%0D%0Aquit"), url.MustParse("cso://h/?a%00")},
		Secret:    url.MustParse("cso://u:sesame@h/?ada"),
		NoOffset:  true,
	})
}

// A URL without a query is a listing: an entry to search the phone book, and its fields.
func TestNoQuery(t *testing.T) {
	for _, text := range []string{"cso://h", "cso://h/", "cso://h/?"} {
		for _, test := range []struct {
			reply string
			want  string
		}{
			{"-200:1:name:Full name\r\n200:Ok.\r\n", "# Search h\r\n" + text + "\r\n# name:Full name\r\n"},
			{"500:Command not known\r\n", "# Search h\r\n" + text + "\r\n"},
		} {
			dial := accesstest.ServeAll(t, accesstest.Script{accesstest.Expect("fields\r\nquit\r\n"), accesstest.Send(test.reply)}).Dial
			r, err := cso.Client{Dial: dial}.Do(t.Context(), &access.Request{URL: url.MustParse(text)})
			if err != nil {
				t.Errorf("Do(%q) = %v, want the listing of %q", text, err, test.reply)
				continue
			}
			content, err := io.ReadAll(r.Body)
			r.Body.Close()
			if string(content) != test.want || r.List == nil || err != nil {
				t.Errorf("Do(%q) with the reply %q = %q, %v, want %q", text, test.reply, content, err, test.want)
			}
		}
		r, err := cso.Client{}.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse(text)})
		if err != nil || r.Kind != access.Search {
			t.Errorf("Stat(%q) = %+v, %v, want a search", text, r, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		reply string
		want  error
	}{
		{"501:No matches.\r\n", fs.ErrNotExist},
		{"475:Busy.\r\n", access.ErrTemporary},
		{"hello\r\n", access.ErrProtocol},
		{"", io.ErrUnexpectedEOF},
	} {
		dial := accesstest.ServeAll(t, accesstest.Script{accesstest.Converse(func(string) (string, bool) { return test.reply, false })}).Dial
		_, err := cso.Client{Dial: dial}.Do(t.Context(), &access.Request{URL: url.MustParse("cso://h/?ada")})
		if !errors.Is(err, test.want) {
			t.Errorf("the reply %q gives %v, want %v", test.reply, err, test.want)
		}
	}
}

func TestConnection(t *testing.T) {
	for _, greeting := range []string{"", "-200:1: name: Ada\r\n"} {
		e := wiretest.Engine{Greeting: greeting, Open: func(ctx context.Context, d wire.Dialer) error {
			c := cso.Client{Dial: d.Dial, Security: d.Security, Idle: d.Idle}
			r, err := c.Do(ctx, &access.Request{URL: url.MustParse("cso://h/?ada")})
			if err != nil {
				return err
			}
			defer r.Body.Close()
			_, err = io.Copy(io.Discard, r.Body)
			return err
		}}
		wiretest.Test(t, e)
		e.Drip = "a"
		wiretest.TestDrip(t, e)
	}
}

func FuzzAnswer(f *testing.F) {
	accesstest.Fuzz(f, newEngine, url.MustParse("cso://h/?ada"), [2]string{twoPeople}, [2]string{"501:No matches.\r\n"})
}
