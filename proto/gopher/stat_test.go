package gopher_test

import (
	"errors"
	"io"
	"reflect"
	"testing"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/gopher"
	"locus/url"
)

// req: 1738-3.4-6
func TestStat(t *testing.T) {
	const item = "+-1\r\n+INFO: 0A title\t/x\th\t70\t+\r\n+ADMIN:\r\n Mod-Date: x <20261121015355>\r\n+VIEWS:\r\n Text/plain De_DE: <1k>\r\n application/postscript: <9k>\r\n.\r\n"
	const form = "+-2\r\n+INFO: 0A title\t/x\th\t70\t+\r\n+ASK:\r\n Ask: x\r\n"
	date := time.Date(2026, 11, 21, 1, 53, 55, 0, time.UTC)
	for _, test := range []struct {
		url, answer, sent string
		want              access.Entry
	}{
		{"gopher://h/0/x%09%09+", item, "/x\t!\r\n", access.Entry{Title: "A title", Kind: access.Object, Type: "text/plain", ModTime: date}},
		{"gopher://h/0/x%09%09+application/postscript", item, "/x\t!\r\n", access.Entry{Title: "A title", Kind: access.Object, Type: "application/postscript", ModTime: date}},
		{"gopher://h/0/x%09%09+", form, "/x\t!\r\n", access.Entry{Title: "A title", Kind: access.Form, Type: "text/plain"}},
		{"gopher://h/0/x%09%09%3F", form, "/x\t!\r\n", access.Entry{Title: "A title", Kind: access.Form, Type: "text/plain"}},
		{"gopher://h/7/x%09%09+", "+-1\r\n+INFO: 7Find\t/x\th\t70\t+\r\n.\r\n", "/x\t\t!\r\n", access.Entry{Title: "Find", Kind: access.Search, Type: "application/gopher-menu"}},
		{"gopher://h/1/x%09%09$", "+-1\r\n+INFO: 1A title\t/x\th\t70\t+\r\n.\r\n", "/x\t!\r\n", access.Entry{Title: "A title", Kind: access.Directory, Type: "application/gopher+-menu"}},
		// Servers that do not speak Gopher+.
		{"gopher://h/0/x%09%09+", "some text\r\n", "/x\t!\r\n", access.Entry{Title: "/x", Kind: access.Object, Type: "text/plain"}},
		{"gopher://h/1/x%09%09+", "1One\tx\th\t70\r\n", "/x\t!\r\n", access.Entry{Title: "/x", Kind: access.Directory, Type: "application/gopher-menu"}},
		{"gopher://h/0/x%09%09+image/gif", "some text\r\n", "/x\t!\r\n", access.Entry{Title: "/x", Kind: access.Object, Type: "image/gif"}},
		{"gopher://h/1/x%09%09+application/gopher+-menu", "x\r\n", "/x\t!\r\n", access.Entry{Title: "/x", Kind: access.Directory, Type: "application/gopher+-menu"}},
		{"gopher://h/1/x%09%09$", "x\r\n", "/x\t!\r\n", access.Entry{Title: "/x", Kind: access.Directory, Type: "application/gopher+-menu"}},
		// Plain Gopher: Stat can only check that the item exists.
		{"gopher://h/0/x", "some text\r\n", "/x\r\n", access.Entry{Title: "/x", Kind: access.Object, Type: "text/plain"}},
		{"gopher://h/9/x", "", "/x\r\n", access.Entry{Title: "/x", Kind: access.Object, Type: "application/octet-stream"}},
		{"gopher://h/7/x%09words", "", "/x\twords\r\n", access.Entry{Title: "/x", Kind: access.Directory, Type: "application/gopher-menu"}},
		// No request is sent.
		{"gopher://h/7/x", "", "", access.Entry{Title: "/x", Kind: access.Search, Type: "application/gopher-menu"}},
		{"gopher://h:105/2", "", "", access.Entry{Kind: access.Search, Type: "text/plain"}},
		{"gopher://h/8user", "", "", access.Entry{Title: "user", Kind: access.Terminal}},
	} {
		server := accesstest.ServeAll(t, accesstest.Script{firstLine, accesstest.Send(test.answer)})
		u := url.MustParse(test.url)
		test.want.URL, test.want.Size = u, -1
		r, err := gopher.Client{Dial: server.Dial}.Do(t.Context(), &access.Request{Op: access.Stat, URL: u})
		if err != nil {
			t.Fatalf("Stat(%q) = %v, want %+v", test.url, err, test.want)
		}
		got := r.Entry
		got.Sys, got.Header = nil, nil
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("Stat(%q) = %+v, want %+v", test.url, got, test.want)
		}
		server.Wait()
		if sent := server.Received(0); sent != test.sent {
			t.Errorf("Stat(%q) sends %q, want %q", test.url, sent, test.sent)
		}
	}
}

func TestStatFails(t *testing.T) {
	for _, test := range []struct {
		url, answer string
		want        error
	}{
		{"gopher://h/0/x%09%09+", "--1\r\n1 x\r\ndoes not exist\r\n.\r\n", errNotExist},
		{"gopher://h/0/x%09%09+", "3not found\t\terror.host\t1\r\n", errNotExist},
		{"gopher://h/0/x", "3not found\t\terror.host\t1\r\n", errNotExist},
		{"gopher://h/0/x%09%09+", "", io.ErrUnexpectedEOF},
		{"gopher://h/0/x%09%09+", "+-1\r\n+INFO: 0x\tx\th\t70\r\n+AD", io.ErrUnexpectedEOF},
	} {
		server := accesstest.ServeAll(t, accesstest.Script{firstLine, accesstest.Send(test.answer)})
		_, err := gopher.Client{Dial: server.Dial}.Do(t.Context(), &access.Request{Op: access.Stat, URL: url.MustParse(test.url)})
		if e, ok := errors.AsType[*access.Error](err); !ok || !errors.Is(err, test.want) || e.URL.String() != test.url {
			t.Errorf("Stat(%q) answered %q = %v, want %v", test.url, test.answer, err, test.want)
		}
	}
}
