package gopher_test

import (
	"context"
	"io"
	"net"
	"runtime"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/gopher"
	"locus/url"
)

// breaking returns a Dial whose connections fail with err after their first
// read.
func breaking(dial proto.Dial, err error) proto.Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, failed := dial(ctx, network, address)
		return &breakingConn{Conn: conn, err: err}, failed
	}
}

type breakingConn struct {
	net.Conn
	hasRead bool
	err     error
}

func (c *breakingConn) Read(p []byte) (int, error) {
	if c.hasRead {
		return 0, c.err
	}
	c.hasRead = true
	return c.Conn.Read(p)
}

// answer is the server of TestSuite. It keeps the connection open if stall is
// true.
func answer(request string) (reply string, stall bool) {
	switch request {
	case "/object\t+":
		return "+12\r\nhello, world", false
	case "/truncated\t+":
		return "+12\r\nhello", false
	case "/stalled\t+":
		return "+12\r\nhello", true
	case "/object\t!":
		return "+-1\r\n+INFO: 0An object\t/object\th\t70\t+\r\n+ADMIN:\r\n Mod-Date: now <20261121015355>\r\n.\r\n", false
	case "/menu":
		return "1One\t/1\th\t70\r\niTwo\t\t\t\r\n7Three\t/7\th\t7070\t+\r\n.\r\n", false
	}
	return "--1\r\n1 nobody <a@h>\r\nThat does not exist.\r\n.\r\n", false
}

func TestSuite(t *testing.T) {
	hostile := make([]url.URL, len(refused))
	for i, text := range refused {
		hostile[i] = url.MustParse(text)
	}
	accesstest.Test(t, accesstest.Config{
		Ops:  []access.Op{access.Stat, access.Ask},
		New:  func(dial proto.Dial) access.Engine { return gopher.Client{Dial: dial} },
		Dial: accesstest.ServeAll(t, accesstest.Script{accesstest.Converse(answer)}).Dial,

		Object:    url.MustParse("gopher://h/0/object%09%09+"),
		Content:   "hello, world",
		Missing:   url.MustParse("gopher://h/0/missing%09%09+"),
		Listing:   url.MustParse("gopher://h/1/menu"),
		Titles:    []string{"One", "Two", "Three"},
		Truncated: url.MustParse("gopher://h/0/truncated%09%09+"),
		Stalled:   url.MustParse("gopher://h/0/stalled%09%09+"),
		Hostile:   hostile,
		Secret:    url.MustParse("gopher://u:sesame@h/0/x"),
		NoOffset:  true,
	})
}

// Get returns the whole item, because Gopher has no offsets.
func TestOffset(t *testing.T) {
	dial := accesstest.ServeAll(t, accesstest.Script{accesstest.Converse(answer)}).Dial
	req := &access.Request{URL: url.MustParse("gopher://h/0/object%09%09+"), Offset: 7}
	r, err := gopher.Client{Dial: dial}.Do(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if got, err := io.ReadAll(r.Body); string(got) != "hello, world" || err != nil || r.Offset != 0 {
		t.Errorf("a request for offset 7 gives %q, %v from offset %d, want everything from 0", got, err, r.Offset)
	}
}

// If a search without words fails, the hint says how to add words.
func TestSearchHint(t *testing.T) {
	for _, test := range []struct {
		url  string
		hint bool
	}{
		{"gopher://h/7/missing", true},
		{"gopher://h/7/missing%09%09+", true},
		{"gopher://h/7/missing%09words%09+", false},
		{"gopher://h/1/missing%09%09+", false},
	} {
		dial := accesstest.ServeAll(t, accesstest.Script{firstLine, accesstest.Send("3no words\t\terror.host\t1\r\n")}).Dial
		_, err := gopher.Client{Dial: dial}.Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		if hint := access.Hint(err); err == nil || (hint != "") != test.hint {
			t.Errorf("Open(%q) = %v with the hint %q, want a hint: %v", test.url, err, hint, test.hint)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	engine := func(dial proto.Dial) access.Engine { return gopher.Client{Dial: dial} }
	accesstest.Fuzz(f, engine, url.MustParse("gopher://h/1/x%09%09+"),
		[2]string{"+-1\r\n1One\t/1\th\t70\r\n.\r\n"},
		[2]string{"+-2\r\n+INFO: 1One\t/1\th\t70\t+\r\n+VIEWS:\r\n a/b C: <1k>\r\n"},
		[2]string{"+INFO: 1One\t/1\th\t70\t+\r\n.\r\n"},
		[2]string{"--1\r\n1 x <y>\r\nz\r\n.\r\n"},
		[2]string{"+-1\r\n--1\r\n1 x <y>\r\nz\r\n.\r\n"},
		[2]string{"3x\t\terror.host\t1\r\n.\r\n"},
		[2]string{"+12\r\n1a\tb\tc\t1\r\n"},
	)
}

// A menu of any length is read in constant memory.
func TestLongMenu(t *testing.T) {
	const lines = 100_000
	script := accesstest.Script{firstLine, func(c *accesstest.Conn) error {
		for range lines / 100 {
			if _, err := io.WriteString(c, hundredLines); err != nil {
				return err
			}
		}
		_, err := io.WriteString(c, ".\r\n")
		return err
	}}
	c := gopher.Client{Dial: accesstest.ServeAll(t, script).Dial}
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("gopher://h/1")})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	l := r.List
	n, before := 0, heap()
	err = access.Entries(l, func(e access.Entry) error {
		if e.URL.String() != "gopher://example.org/0/some/file.txt" {
			t.Fatalf("entry %d is %v", n, e)
		}
		n++
		if n%(lines/4) != 0 {
			return nil
		}
		if now := heap(); now > before+1<<20 {
			t.Errorf("after %d entries the heap is %d KiB larger", n, (now-before)>>10)
		}
		return nil
	})
	if n != lines || err != nil {
		t.Errorf("the menu has %d entries, %v, want %d", n, err, lines)
	}
}

// heap returns the size of the heap in bytes.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

var hundredLines = func() string {
	var text string
	for range 100 {
		text += "0A file\t/some/file.txt\texample.org\t70\r\n"
	}
	return text
}()
