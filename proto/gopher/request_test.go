package gopher_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto/gopher"
	"locus/proto/internal/wire"
	"locus/url"
)

// open opens the URL on a server that sends answer. It returns the bytes that the client sent, the
// bytes that it read, and the error of Do or Read.
func open(t *testing.T, text, answer string) (sent, got string, err error) {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	server := accesstest.ServeAll(t, accesstest.Script{accesstest.Expect(""), firstLine, accesstest.Send(answer)})
	r, err := gopher.Client{Dial: server.Dial}.Do(t.Context(), &access.Request{URL: u})
	if err != nil {
		server.Wait()
		return server.Received(0), "", err
	}
	data, err := io.ReadAll(r.Body)
	r.Body.Close()
	server.Wait()
	return server.Received(0), string(data), err
}

// firstLine is a step of the server: it reads one line.
func firstLine(c *accesstest.Conn) error {
	p := make([]byte, 1)
	for p[0] != '\n' {
		if _, err := io.ReadFull(c, p); err != nil {
			return err
		}
	}
	return nil
}

// req: 1738-3.4-4 1738-3.4-6 1738-3.4-8 1738-3.4-9
func TestRequest(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"gopher://h", "\r\n"},
		{"gopher://h/", "\r\n"},
		{"gopher://h/1", "\r\n"},
		{"gopher://h/1/docs", "/docs\r\n"},
		{"gopher://h/11/docs", "1/docs\r\n"}, // a selector that repeats the type
		{"gopher://h/0a%20b%E9?c", "a b\xe9?c\r\n"},
		{"gopher://h/0a%3Fb#fragment", "a?b\r\n"},
		{"gopher://h/7/find", "/find\r\n"},
		{"gopher://h/7/find%09foo%20bar", "/find\tfoo bar\r\n"},
		{"gopher://h/7/find%09", "/find\t\r\n"},
		{"gopher://h/0/x%09words", "/x\twords\r\n"},
		{"gopher://h/0/x%09", "/x\t\r\n"},

		// Gopher+: only search items send an empty search.
		{"gopher://h/0/x%09%09+", "/x\t+\r\n"},
		{"gopher://h/0/x%09%09", "/x\t+\r\n"},
		{"gopher://h/1%09%09$", "\t$\r\n"},
		{"gopher://h/0/x%09%09!", "/x\t!\r\n"},
		{"gopher://h/7/find%09foo%09+", "/find\tfoo\t+\r\n"},
		{"gopher://h/7/find%09%09!", "/find\t\t!\r\n"},
		{"gopher://h/0/x%09+", "/x\t+\r\n"}, // as RFC 1630 writes it
		{"gopher://h/0/x%09%09!+ABSTRACT%20+SMELL", "/x\t!+ABSTRACT+SMELL\r\n"},
		{"gopher://h/0/x%09%09!+ABSTRACT+SMELL", "/x\t!+ABSTRACT+SMELL\r\n"},
		{"gopher://h/1/x%09%09$+VIEWS%20+ABSTRACT", "/x\t$+VIEWS+ABSTRACT\r\n"},
		{"gopher://h/0/x%09%09+application/postscript%20Es_ES", "/x\t+application/postscript Es_ES\r\n"},
		{"gopher://h/0/x%09%09+%090", "/x\t+\t0\r\n"},

		// Only forms may have CR LF. No bytes follow the block.
		{"gopher://h/0/x%09%09+%091%0D%0A+-1%0D%0Aa%0D%0Ab%0D%0A.%0D%0A", "/x\t+\t1\r\n+-1\r\na\r\nb\r\n.\r\n"},
		{"gopher://h/0/x%09%09+%091%0D%0A+4%0D%0Aa%0Db%0A", "/x\t+\t1\r\n+4\r\na\rb\n"},
		{"gopher://h/0/x%09%09+Text/plain%20De%091%0D%0A+-1%0D%0A.%0D%0A", "/x\t+Text/plain De\t1\r\n+-1\r\n.\r\n"},
		{"gopher://h/7/x%09w%09+%091%0D%0A+-1%0D%0A.%0D%0A", "/x\tw\t+\t1\r\n+-1\r\n.\r\n"},

		{"gopher://h/2%09john%20smith", "query john smith\r\nquit\r\n"},
	} {
		if sent, _, _ := open(t, test.url, "+-1\r\n.\r\n"); sent != test.want {
			t.Errorf("opening %q sends %q, want %q", test.url, sent, test.want)
		}
	}
}

var refused = []string{
	"gopher://h/0/x%0D%0ADELE%20y",
	"gopher://h/0/x%0A",
	"gopher://h/0/x%0D",
	"gopher://h/0/x%00",
	"gopher://h/%0D",
	"gopher://h/%00",
	"gopher://h/7/x%09a%0D%0Ab",
	"gopher://h/7/x%09a%0Ab",
	"gopher://h/7/x%09a%00b",
	"gopher://h/0/x%09%09+%0D%0Aquit",
	"gopher://h/0/x%09%09!%0D%0Aquit",
	"gopher://h/0/x%09%09$+A%0Aquit",
	"gopher://h/0/x%09%09+view%00",
	"gopher://h/0/x%09%09?%0D%0A",
	"gopher://h/0/x%09a%0Db%09+",
	// Blocks that are not well-formed forms.
	"gopher://h/0/x%09%09+%091%0D%0Aquit%0D%0A",
	"gopher://h/0/x%09%09+%091%0D%0A+-1%0D%0Aa",
	"gopher://h/0/x%09%09+%091%0D%0A+-1%0D%0Aa%0D%0A",
	"gopher://h/0/x%09%09+%091%0D%0A+-1%0D%0Aa%0Ab%0D%0A.%0D%0A",
	"gopher://h/0/x%09%09+%091%0D%0A+-1%0D%0Aa%0Db%0D%0A.%0D%0A",
	"gopher://h/0/x%09%09+%091%0D%0A+-1%0D%0Aa%00%0D%0A.%0D%0A",
	"gopher://h/0/x%09%09+%091%0D%0A+-1%0D%0A.%0D%0Aquit%0D%0A",
	"gopher://h/0/x%09%09+%091%0D%0A+-2%0D%0Aa",
	"gopher://h/0/x%09%09+%091%0D%0A+2%0D%0Aabc",
	"gopher://h/0/x%09%09+%091%0D%0A+4%0D%0Aabc",
	"gopher://h/0/x%09%09+%09foo%091%0D%0A+-1%0D%0A.%0D%0A",
	"gopher://h/0/x%09%09!%091%0D%0A+-1%0D%0A.%0D%0A",
	"gopher://h/0/x%09%09%091%0D%0A+-1%0D%0A.%0D%0A",
	"gopher://h/0/x%09%09+%090%0D%0A+-1%0D%0A.%0D%0A",
}

// req: 1738-6-2
func TestRefused(t *testing.T) {
	unused := gopher.Client{Dial: accesstest.Serve(t).Dial} // a dial fails the test
	for _, text := range refused {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		req := &access.Request{URL: u}
		if _, err := unused.Do(t.Context(), req); !isRefusal(err) {
			t.Errorf("Open(%q) = %v, want an error about a byte that ends the command", text, err)
		}
		if _, err := unused.Do(t.Context(), req.WithOp(access.Stat)); !isRefusal(err) {
			t.Errorf("Stat(%q) = %v, want an error about a byte that ends the command", text, err)
		}
		if _, err := unused.Do(t.Context(), req.WithOp(access.Ask)); !isRefusal(err) {
			t.Errorf("Ask(%q) = %v, want an error about a byte that ends the command", text, err)
		}
		if _, err := unused.Do(t.Context(), &access.Request{URL: u, Answers: []access.Answer{}}); !isRefusal(err) {
			t.Errorf("Answer(%q) = %v, want an error about a byte that ends the command", text, err)
		}
	}
}

// isRefusal reports whether err is about a byte that would end a command. The
// error may come from the engine or from parsing the URL.
func isRefusal(err error) bool {
	_, byEngine := errors.AsType[*wire.ArgumentError](err)
	_, byParser := errors.AsType[*url.SyntaxError](err)
	return byEngine || byParser
}

func TestNotOpened(t *testing.T) {
	unused := gopher.Client{Dial: accesstest.Serve(t).Dial}
	for _, test := range []struct {
		url  string
		want error
	}{
		{url: "http://h/", want: errors.ErrUnsupported},
		{url: "gopher://h/0/x%09%09%3F", want: access.ErrForm},
		{url: "gopher://h/0/x%09%09?", want: access.ErrForm},
	} {
		_, err := unused.Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		if e, ok := errors.AsType[*access.Error](err); !errors.Is(err, test.want) || !ok || e.Op != "open" {
			t.Errorf("Open(%q) = %v, want %v", test.url, err, test.want)
		}
	}
	_, err := gopher.Client{}.Do(t.Context(), &access.Request{URL: url.MustParse("gopher://h/0/x")})
	if !errors.Is(err, access.ErrNoDial) {
		t.Errorf("Open without Dial = %v, want access.ErrNoDial", err)
	}
}

func TestTelnetItemMoved(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"gopher://h:23/8guest", "telnet://guest@h"},
		{"gopher://h:2323/8", "telnet://h:2323"},
		{"gopher://h/8guest", "telnet://guest@h:70"},
		{"gopher://h:23/Ta%40b", "tn3270://a%40b@h"},
	} {
		_, err := gopher.Client{}.Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		if moved, ok := errors.AsType[*access.Moved](err); !ok || moved.To.String() != test.want {
			t.Errorf("Open(%q) = %v, want moved to %s", test.url, err, test.want)
		}
	}
}

func TestDialled(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"gopher://example.org/0/x", "example.org:70"},
		{"gopher://example.org:7070/0/x", "example.org:7070"},
		{"gopher://[::1]/0/x", "[::1]:70"},
	} {
		server := accesstest.ServeAll(t, accesstest.Script{firstLine})
		r, err := gopher.Client{Dial: server.Dial}.Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		if err != nil {
			t.Fatalf("%q: %v", test.url, err)
		}
		r.Body.Close()
		if got := server.Dialed(); len(got) != 1 || got[0] != test.want {
			t.Errorf("Open(%q) dials %q, want %q", test.url, got, test.want)
		}
	}
}

func TestPhoneBook(t *testing.T) {
	const answer = "102:There were 2 matches to your request.\r\n" +
		"-200:1:     name: Smith John\r\n-200:1:    email: john@example.org\r\n-200:2:     name: Smith Jane\r\n200:Ok.\r\n200:Bye!\r\n"
	for _, test := range []struct {
		answer, want string
		err          error
	}{
		{answer, "name: Smith John\nemail: john@example.org\n\nname: Smith Jane\n", nil},
		{"200:Ok.\r\n", "", nil},
		{"501:No matches to your query.\r\n", "", errNotExist},
		{answer[:100], "name: Smith John\n", io.ErrUnexpectedEOF},
		{"", "", io.ErrUnexpectedEOF},
		{"220 h.example ESMTP\r\n", "", access.ErrProtocol},
		{"-200:1:" + strings.Repeat("x", 70<<10) + "\r\n", "", access.ErrTooLong},
	} {
		_, got, err := open(t, "gopher://h:105/2%09smith", test.answer)
		if got != test.want || !errors.Is(err, test.err) {
			t.Errorf("a phone book that replies %.60q gives %q, %v, want %q, %v", test.answer, got, err, test.want, test.err)
		}
	}
	_, _, err := open(t, "gopher://h:105/2%09smith", "502:Too many matches to request.\r\n")
	if e, ok := errors.AsType[*access.Error](err); !ok || e.Reply == nil || e.Reply.Code != 502 || errors.Is(err, errNotExist) {
		t.Errorf("a phone book with too many matches gives %v, want its reply, and not fs.ErrNotExist", err)
	}
}

// A phone book without a search is a listing: an entry to search it, and its fields.
func TestPhoneBookFields(t *testing.T) {
	for _, test := range []struct {
		answer string
		want   []string
		err    error
	}{
		{"-200:1:name:Full name\r\n-200:2:email:Address\r\n200:Ok.\r\n", []string{"Search h", "name:Full name", "", "email:Address"}, nil},
		{"500:Command not known\r\n", []string{"Search h"}, nil},
		{"-200:1:name:Full name\r\n", []string{"Search h", "name:Full name"}, io.ErrUnexpectedEOF},
	} {
		server := accesstest.ServeAll(t, accesstest.Script{accesstest.Expect("fields\r\nquit\r\n"), accesstest.Send(test.answer)})
		r, err := gopher.Client{Dial: server.Dial}.Do(t.Context(), &access.Request{URL: url.MustParse("gopher://h:105/2")})
		if err != nil {
			t.Errorf("a phone book that replies %q: %v", test.answer, err)
			continue
		}
		var titles []string
		var e access.Entry
		for e, err = r.List.Next(); err == nil; e, err = r.List.Next() {
			titles = append(titles, e.Title)
		}
		r.Body.Close()
		if access.IsEnd(err) {
			err = nil
		}
		if !slices.Equal(titles, test.want) || !errors.Is(err, test.err) {
			t.Errorf("a phone book that replies %q has %q, %v, want %q, %v", test.answer, titles, err, test.want, test.err)
		}
	}
	for _, answer := range []string{"475:Busy\r\n", "", "220 h ESMTP\r\n"} {
		if _, _, err := open(t, "gopher://h:105/2", answer); err == nil {
			t.Errorf("a phone book that replies %q gives no error", answer)
		}
	}
}
