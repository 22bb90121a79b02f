package dict_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/dict"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/url"
)

func newEngine(dial proto.Dial) access.Engine { return dict.Client{Dial: dial} }

// serve returns the Dial of a server that sends a greeting, and replies to the command before QUIT.
func serve(t testing.TB, reply func(command string) string) proto.Dial {
	return accesstest.ServeAll(t, accesstest.Script{
		accesstest.Send("220 dict.example <auth.mime> <1@h>\r\n"),
		func(c *accesstest.Conn) error {
			line, err := c.ReadString('\n')
			if err != nil {
				return err
			}
			_, err = io.WriteString(c, reply(strings.TrimSuffix(line, "\r\n")))
			return err
		},
	}).Dial
}

// say returns a reply to every command.
func say(text string) func(string) string { return func(string) string { return text } }

func open(t *testing.T, dial proto.Dial, text string) (*access.Resource, error) {
	t.Helper()
	return dict.Client{Dial: dial}.Do(t.Context(), &access.Request{URL: url.MustParse(text)})
}

// read opens and reads a URL.
func read(t *testing.T, dial proto.Dial, text string) (string, error) {
	t.Helper()
	r, err := open(t, dial, text)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	content, err := io.ReadAll(r.Body)
	return string(content), err
}

const (
	oneDefinition  = "150 1 definitions retrieved\r\n151 \"tea\" wn \"WordNet\"\r\ntea\r\n..a drink\r\n.\r\n250 ok\r\n"
	twoDefinitions = "150 2 definitions retrieved\r\n151 \"tea\" wn \"WordNet\"\r\none\r\n.\r\n151 tea x 'A \"B\"'\r\ntwo\r\n.\r\n250 ok\r\n"
	twoMatches     = "152 2 matches found\r\nwn \"tea\"\r\nwn \"tea \\\"party\\\"\"\r\n.\r\n250 ok\r\n221 bye\r\n"
)

func TestSuite(t *testing.T) {
	accesstest.Test(t, accesstest.Config{
		Ops: []access.Op{access.Stat},
		New: newEngine,
		Dial: serve(t, func(command string) string {
			switch command {
			case `DEFINE ! "tea"`:
				return oneDefinition
			case `DEFINE ! "cut"`:
				return "150 1 definitions retrieved\r\n151 \"cut\" wn \"WordNet\"\r\ncut\r\n"
			case `SHOW DB`:
				return "110 2 databases present\r\nwn \"WordNet\"\r\nx \"A B\"\r\n.\r\n250 ok\r\n"
			}
			return "552 no match\r\n"
		}),
		Object:    url.MustParse("dict://h/d:tea"),
		Content:   "From WordNet [wn]:\r\n\r\ntea\r\n.a drink\r\n",
		Missing:   url.MustParse("dict://h/d:nothing"),
		Listing:   url.MustParse("dict://h/"),
		Titles:    []string{"WordNet", "A B"},
		Truncated: url.MustParse("dict://h/d:cut"),
		Hostile: []url.URL{
			url.MustParse("dict://h/d:a%0D%0Ab"), url.MustParse("dict://h/d:a:b%0A"), url.MustParse("dict://h/m:a:b:%00"),
			url.MustParse("dict://h/d:" + strings.Repeat("x", 1100)),
		},
		Secret:   url.MustParse("dict://u:sesame@h/"),
		NoOffset: true,
	})
}

func TestCommand(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"dict://h", "SHOW DB"},
		{"dict://h/d:tea", `DEFINE ! "tea"`},
		{"dict://h/d:tea:*:2", `DEFINE * "tea"`},
		{"dict://h/d:tea%20%22%5C:wn", `DEFINE "wn" "tea \"\\"`},
		{"dict://h/d:*:a%20b", `DEFINE "a b" *`},
		{"dict://h/m:tea", `MATCH ! . "tea"`},
		{"dict://h/m:tea:wn:prefix", `MATCH "wn" "prefix" "tea"`},
	} {
		var got string
		_, err := read(t, serve(t, func(command string) string { got = command; return "552 no match\r\n" }), test.url)
		if got != test.want || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Do(%q) sends %q and returns %v, want %q and fs.ErrNotExist", test.url, got, err, test.want)
		}
	}
}

func TestDefinitions(t *testing.T) {
	const one, two = "From WordNet [wn]:\r\n\r\none\r\n", "From A \"B\" [x]:\r\n\r\ntwo\r\n"
	for _, test := range []struct {
		url, reply, want string
		err              error
	}{
		{"dict://h/d:tea", twoDefinitions, one + "\r\n" + two, nil},
		{"dict://h/d:tea:*:1", twoDefinitions, one, nil},
		{"dict://h/d:tea:*:2", twoDefinitions, two, nil},
		{"dict://h/d:tea:*:3", twoDefinitions, "", fs.ErrNotExist},
		{"dict://h/d:tea", "150 1\r\n151 tea wn \"W\"\r\nx\r\n.\r\n", "From W [wn]:\r\n\r\nx\r\n", io.ErrUnexpectedEOF},
		{"dict://h/d:tea", "150 1\r\n151 tea wn \"W\"\r\nx\r\n.\r\n420 down\r\n", "From W [wn]:\r\n\r\nx\r\n", access.ErrTemporary},
		{"dict://h/d:tea", "150 1\r\n", "", io.ErrUnexpectedEOF},
		{"dict://h/d:tea", "550 invalid database\r\n", "", fs.ErrNotExist},
		{"dict://h/d:tea", "530 access denied\r\n", "", fs.ErrPermission},
		{"dict://h/d:tea", "250 ok\r\n", "", access.ErrProtocol},
		{"dict://h/d:tea", "tea\r\n", "", access.ErrProtocol},
		{"dict://h/d:tea", "150 1\r\n151 tea wn \"W\"\r\n" + strings.Repeat("x", 1<<20), "From W [wn]:\r\n\r\n", access.ErrTooLong},
	} {
		got, err := read(t, serve(t, say(test.reply)), test.url)
		if got != test.want || !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
			t.Errorf("Do(%q) with the reply %.60q = %q, %v, want %q, %v", test.url, test.reply, got, err, test.want, test.err)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		url, reply string
		want       []string
		err        error
	}{
		{"dict://h:7/m:tea", twoMatches, []string{"tea dict://h:7/d:tea:wn", `tea "party" dict://h:7/d:tea%20%22party%22:wn`}, nil},
		{"dict://h/m:tea:::2", twoMatches, []string{`tea "party" dict://h/d:tea%20%22party%22:wn`}, nil},
		{"dict://h/m:tea:::3", twoMatches, nil, fs.ErrNotExist},
		{"dict://h/m:tea", "152 1\r\nwn \"tea\"\r\n", []string{"tea dict://h/d:tea:wn"}, io.ErrUnexpectedEOF},
		{"dict://h/m:tea", "152 1\r\nwn \"tea\"\r\n.\r\n", []string{"tea dict://h/d:tea:wn"}, io.ErrUnexpectedEOF},
		{"dict://h/m:tea:::", "551 no strategy\r\n", nil, fs.ErrNotExist},
		{"dict://h/", "110 1\r\nwn \"WordNet\"\r\n.\r\n250 ok\r\n", []string{"WordNet dict://h/d::wn"}, nil},
	} {
		var got []string
		r, err := open(t, serve(t, say(test.reply)), test.url)
		if err == nil {
			err = access.Entries(r.List, func(e access.Entry) error {
				got = append(got, e.Title+" "+e.URL.String())
				return nil
			})
			r.Body.Close()
		}
		if !slices.Equal(got, test.want) || !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
			t.Errorf("Do(%q) with the reply %q lists %q, %v, want %q, %v", test.url, test.reply, got, err, test.want, test.err)
		}
	}
}

// A URL without a word lists a search, and the description of its database or all databases.
func TestNoWord(t *testing.T) {
	server := serve(t, func(command string) string {
		switch command {
		case `SHOW INFO "wn"`:
			return "112 info follows\r\nWordNet 3.0\r\n..\r\n.\r\n250 ok\r\n"
		case "SHOW DB":
			return "110 1 databases present\r\nwn \"WordNet\"\r\n.\r\n250 ok\r\n"
		}
		return "550 no such database\r\n"
	})
	for _, test := range []struct {
		url  string
		want []string
		err  error
	}{
		{"dict://h/d::wn", []string{"search Search wn dict://h/d::wn", "info WordNet 3.0 ", "info . "}, nil},
		{"dict://h/m::wn:prefix", []string{"search Search wn dict://h/m::wn:prefix", "info WordNet 3.0 ", "info . "}, nil},
		{"dict://h/d:", []string{"search Search the databases dict://h/d:", "search WordNet dict://h/d::wn"}, nil},
		{"dict://h/m::*", []string{"search Search the databases dict://h/m::*", "search WordNet dict://h/d::wn"}, nil},
		{"dict://h/d::other", nil, fs.ErrNotExist},
	} {
		var got []string
		r, err := open(t, server, test.url)
		if err == nil {
			err = access.Entries(r.List, func(e access.Entry) error {
				got = append(got, e.Kind.String()+" "+e.Title+" "+e.URL.String())
				return nil
			})
			r.Body.Close()
		}
		if !slices.Equal(got, test.want) || !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
			t.Errorf("Do(%q) lists %q, %v, want %q, %v", test.url, got, err, test.want, test.err)
		}
		if r, err := (dict.Client{}).Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse(test.url)}); err != nil || r.Kind != access.Search {
			t.Errorf("Stat(%q) = %+v, %v, want a search", test.url, r, err)
		}
	}
}

func TestGreeting(t *testing.T) {
	for _, test := range []struct {
		greeting string
		want     error
	}{
		{"420 too busy\r\n", access.ErrTemporary},
		{"530 access denied\r\n", fs.ErrPermission},
		{"SSH-2.0-x\r\n", access.ErrProtocol},
		{"", io.ErrUnexpectedEOF},
	} {
		_, err := open(t, accesstest.ServeAll(t, accesstest.Script{accesstest.Send(test.greeting)}).Dial, "dict://h/d:tea")
		if !errors.Is(err, test.want) {
			t.Errorf("the greeting %q gives %v, want %v", test.greeting, err, test.want)
		}
	}
}

func TestConnection(t *testing.T) {
	for _, greeting := range []string{"220 hello\r\n", "220 hello\r\n150 1\r\n151 tea wn \"W\"\r\ntea\r\n"} {
		e := wiretest.Engine{Greeting: greeting, Open: func(ctx context.Context, d wire.Dialer) error {
			c := dict.Client{Dial: d.Dial, Security: d.Security, Idle: d.Idle}
			r, err := c.Do(ctx, &access.Request{URL: url.MustParse("dict://h/d:tea")})
			if err != nil {
				return err
			}
			defer r.Body.Close()
			_, err = io.Copy(io.Discard, r.Body)
			return err
		}}
		wiretest.Test(t, e)
		e.Drip = "x"
		wiretest.TestDrip(t, e)
	}
}

func FuzzAnswer(f *testing.F) {
	const hello = "220 hi\r\n"
	seeds := [][2]string{{hello + oneDefinition}, {hello + twoDefinitions}, {hello + twoMatches}, {hello + "552 no match\r\n"}}
	accesstest.Fuzz(f, newEngine, url.MustParse("dict://h/d:tea"), seeds...)
}
