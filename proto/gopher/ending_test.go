package gopher_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/gopher"
	"locus/url"
)

// replying is a server that replies to each request line.
func replying(reply map[string]string) accesstest.Script {
	return accesstest.Script{func(c *accesstest.Conn) error {
		line, err := bufio.NewReader(c).ReadString('\n')
		if err != nil {
			return err
		}
		_, err = io.WriteString(c, reply[strings.TrimSuffix(line, "\r\n")])
		return err
	}}
}

// fetched reads a URL with the client.
func fetched(t *testing.T, c gopher.Client, text string) (string, error) {
	t.Helper()
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(text)})
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	return string(data), err
}

// A text without its period ends early if the server ends its other texts with a period, or if the
// server's Gopher+ header for the text says so or has a larger size.
func TestTextWithoutPeriod(t *testing.T) {
	const cut = "one\r\ntw"
	for _, test := range []struct {
		name    string
		reply   map[string]string // of the server, by the request line
		urls    []string          // are opened in this order
		isEarly []bool
		dials   int
	}{
		{
			"it ended another text",
			map[string]string{"a": "one\r\n.\r\n", "b": cut},
			[]string{"0a", "0b", "0b"},
			[]bool{false, true, true},
			3,
		},
		{
			"Minnesota gopherd 2.3",
			map[string]string{"b": cut, "b\t+": "+-1\r\none\r\ntwo\r\n.\r\n"},
			[]string{"0b", "0b"},
			[]bool{true, true},
			3,
		},
		{
			"a server that says the size",
			map[string]string{"b": cut, "b\t+": "+8\r\none\r\ntwo"},
			[]string{"0b"},
			[]bool{true},
			2,
		},
		{
			"the size is right",
			map[string]string{"b": cut, "b\t+": "+7\r\none\r\ntw"},
			[]string{"0b"},
			[]bool{false},
			2,
		},
		{
			"a server without Gopher+",
			map[string]string{"b": cut, "b\t+": cut, "c": cut},
			[]string{"0b", "0b", "0c"},
			[]bool{false, false, false},
			4,
		},
		{
			"it says nothing to Gopher+",
			map[string]string{"b": cut},
			[]string{"0b"},
			[]bool{false},
			2,
		},
		{
			"it refuses Gopher+",
			map[string]string{"b": cut, "b\t+": "--1\r\n1 no such item\r\n.\r\n"},
			[]string{"0b"},
			[]bool{false},
			2,
		},
		{
			"a binary file, and a search",
			map[string]string{"a": "one\r\n.\r\n", "b": cut, "b\tx": cut},
			[]string{"0a", "9b", "0b%09x"},
			[]bool{false, false, false},
			3,
		},
	} {
		server := accesstest.ServeAll(t, replying(test.reply))
		c := gopher.Client{Dial: server.Dial, Habits: new(gopher.Habits)}
		for i, u := range test.urls {
			text, err := fetched(t, c, "gopher://h/"+u)
			if errors.Is(err, io.ErrUnexpectedEOF) != test.isEarly[i] || err != nil && !test.isEarly[i] {
				t.Errorf("%s: %s is %q, %v, want an early end: %v", test.name, u, text, err, test.isEarly[i])
			}
			if i > 0 && text != cut {
				t.Errorf("%s: %s is %q, want %q in any case", test.name, u, text, cut)
			}
		}
		if n := len(server.Dialed()); n != test.dials {
			t.Errorf("%s: %d connections, want %d", test.name, n, test.dials)
		}
	}
}

// Without Habits a text without a period is whole, and the client does not ask the server.
func TestNoHabits(t *testing.T) {
	server := accesstest.ServeAll(t, replying(map[string]string{"a": "one\r\n.\r\n", "b": "one", "b\t+": "+-1\r\n"}))
	c := gopher.Client{Dial: server.Dial}
	for _, u := range []string{"0a", "0b"} {
		if _, err := fetched(t, c, "gopher://h/"+u); err != nil {
			t.Errorf("%s: %v", u, err)
		}
	}
	if n := len(server.Dialed()); n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
}

// If the server cannot be asked, its text counts as whole, and Warn is called. The next text is
// asked about again. Each server has its own habit, and Close ends the wait for the answer.
func TestHabitsOfSeveralServers(t *testing.T) {
	server := accesstest.ServeAll(t, replying(map[string]string{"a": "one\r\n.\r\n", "b": "one"}))
	dials := 0
	c := gopher.Client{Habits: new(gopher.Habits)}
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials++; dials == 3 {
			return nil, errors.New("no route to host")
		}
		return server.Dial(ctx, network, address)
	}
	if _, err := fetched(t, c, "gopher://one/0a"); err != nil {
		t.Fatal(err)
	}
	var warned []string
	c.Warn = func(u url.URL, err error) { warned = append(warned, u.String()+": "+err.Error()) }
	if text, err := fetched(t, c, "gopher://two/0b"); err != nil || text != "one" {
		t.Errorf("a text without a period from a server that is gone: %q, %v, want the text", text, err)
	}
	if want := []string{"gopher://two/0b: it has no period at its end, and the server cannot be asked whether it is whole: no route to host"}; !slices.Equal(warned, want) {
		t.Errorf("the warnings are %q, want %q", warned, want)
	}
	if dials != 3 {
		t.Errorf("%d connections, want 3", dials)
	}
	if _, err := fetched(t, c, "gopher://two/0b"); err != nil || dials != 5 {
		t.Errorf("the same text again: %v, %d connections, want 5", err, dials)
	}
	refused := gopher.Client{Habits: new(gopher.Habits)}
	refused.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials++; dials == 6 {
			return nil, fs.ErrPermission
		}
		return server.Dial(ctx, network, address)
	}
	dials = 4
	if _, err := fetched(t, refused, "gopher://one/0b"); err != nil {
		t.Errorf("a server that must not be asked: %v, want the text", err)
	}
	dials = 5
	asked := make(chan struct{})
	silent := gopher.Client{Habits: new(gopher.Habits)}
	silent.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials++; dials%2 == 0 { // dials starts at 5
			return server.Dial(ctx, network, address)
		}
		close(asked)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	r, err := silent.Do(t.Context(), &access.Request{URL: url.MustParse("gopher://one/0b")})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, err := io.ReadAll(r.Body)
		done <- err
	}()
	<-asked
	r.Body.Close()
	if err := <-done; err == nil {
		t.Error("after Close, Read says that the text is whole")
	}
}

// listed opens a URL as a menu and returns the titles.
func listed(t *testing.T, c gopher.Client, text string) (string, error) {
	t.Helper()
	r, err := c.Do(t.Context(), &access.Request{URL: url.MustParse(text)})
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	var titles []string
	err = access.Entries(r.List, func(e access.Entry) error {
		titles = append(titles, e.Title)
		return nil
	})
	if _, again := r.List.Next(); err == nil && !errors.Is(again, io.EOF) {
		t.Errorf("%s: after the end the list has %v", text, again)
	}
	return strings.Join(titles, " "), err
}

// inTurn is a server that sends the replies in turn, and then repeats the last one.
func inTurn(replies ...string) accesstest.Script {
	n := new(atomic.Int64)
	return accesstest.Script{func(c *accesstest.Conn) error {
		if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
			return err
		}
		_, err := io.WriteString(c, replies[min(int(n.Add(1)), len(replies))-1])
		return err
	}}
}

// A menu without its period ends early if the server ends its menus with a period, or if the second
// reply has more of the menu. The client asks a server once. It does not send a search again.
func TestMenuWithoutPeriod(t *testing.T) {
	const a, b = "0a\ta\th\t70\r\n", "0b\tb\th\t70\r\n"
	for _, test := range []struct {
		name    string
		replies []string
		urls    []string // are opened in this order
		isEarly []bool
		dials   int
	}{
		{"pygopherd: never a period", []string{a + b}, []string{"1", "1", "1/x"}, []bool{false, false, false}, 4},
		{"it ended another menu", []string{a + ".\r\n", a}, []string{"1", "1/x", "7/s%09w"}, []bool{false, true, true}, 3},
		{"it ends the second time", []string{a, a + b + ".\r\n", a}, []string{"1", "1"}, []bool{true, true}, 3},
		{"only its period was cut", []string{a + b, a + b + ".\r\n"}, []string{"1"}, []bool{true}, 2},
		{"more the second time, no period", []string{a, a + b}, []string{"1", "1", "1"}, []bool{true, false, false}, 5},
		{"another menu the second time", []string{a, b + a}, []string{"1"}, []bool{false}, 2},
		{"another menu, with a period", []string{a, b + a + ".\r\n", a}, []string{"1", "1"}, []bool{true, true}, 3},
		{"an empty menu", []string{""}, []string{"1", "1"}, []bool{false, false}, 2},
		{"a search", []string{a}, []string{"7/s%09w", "7/s%09w"}, []bool{false, false}, 2},
		{"cut within a line", []string{a + "0b"}, []string{"1"}, []bool{true}, 1},
		{"cut within a line the second time", []string{a, a[:3], a}, []string{"1", "1"}, []bool{false, false}, 4},
		{"doubled periods", []string{a + "..\r\n"}, []string{"1", "1"}, []bool{false, false}, 3},
	} {
		server := accesstest.ServeAll(t, inTurn(test.replies...))
		c := gopher.Client{Dial: server.Dial, Habits: new(gopher.Habits)}
		for i, u := range test.urls {
			titles, err := listed(t, c, "gopher://h/"+u)
			if errors.Is(err, io.ErrUnexpectedEOF) != test.isEarly[i] || err != nil && !test.isEarly[i] {
				t.Errorf("%s: %s is %q, %v, want an early end: %v", test.name, u, titles, err, test.isEarly[i])
			}
		}
		if n := len(server.Dialed()); n != test.dials {
			t.Errorf("%s: %d connections, want %d", test.name, n, test.dials)
		}
	}
}

// The habit of texts does not apply to menus, because gophernicus ends only menus with a period.
func TestHabitsOfFramings(t *testing.T) {
	server := accesstest.ServeAll(t, replying(map[string]string{"": "0a\ta\th\t70\r\n.\r\n", "a": "one", "a\t+": "one", "x": "0a\ta\th\t70\r\n"}))
	c := gopher.Client{Dial: server.Dial, Habits: new(gopher.Habits)}
	if _, err := listed(t, c, "gopher://h/1"); err != nil {
		t.Error(err)
	}
	if text, err := fetched(t, c, "gopher://h/0a"); err != nil || text != "one" {
		t.Errorf("a text is %q, %v", text, err)
	}
	if _, err := listed(t, c, "gopher://h/1x"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a menu without its period: %v, want an early end", err)
	}
}

// If the second reply of a menu never ends, the client reads a limited part of it, and the menu
// counts as whole.
func TestEndlessSecondMenu(t *testing.T) {
	n := 0
	server := accesstest.ServeAll(t, accesstest.Script{func(c *accesstest.Conn) error {
		if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
			return err
		}
		if n++; n == 1 {
			_, err := io.WriteString(c, "0a\ta\th\t70\r\n")
			return err
		}
		for {
			if _, err := io.WriteString(c, strings.Repeat("0b\tb\th\t70\r\n", 100)); err != nil {
				return nil //nolint:nilerr // the client has closed
			}
		}
	}})
	var warned error
	c := gopher.Client{Dial: server.Dial, Habits: new(gopher.Habits), Warn: func(_ url.URL, err error) { warned = err }}
	if titles, err := listed(t, c, "gopher://h/1"); err != nil || titles != "a" || warned == nil {
		t.Errorf("the menu is %q, %v, with the warning %v", titles, err, warned)
	}
}

// The client closes the connection of the text before it asks the server, so that an access has one
// connection at a time.
func TestOneConnection(t *testing.T) {
	server := accesstest.ServeAll(t, replying(map[string]string{"": "0a\ta\th\t70\r\n", "b": "one", "b\t+": "one"}))
	var open, most atomic.Int64
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := server.Dial(ctx, network, address)
		if err == nil {
			most.Store(max(most.Load(), open.Add(1)))
		}
		return &countedConn{Conn: conn, open: &open}, err
	}
	c := gopher.Client{Dial: dial, Habits: new(gopher.Habits)}
	if _, err := fetched(t, c, "gopher://h/0b"); err != nil {
		t.Error(err)
	}
	if _, err := listed(t, c, "gopher://h/1"); err != nil {
		t.Error(err)
	}
	if most.Load() != 1 || open.Load() != 0 || len(server.Dialed()) != 4 {
		t.Errorf("%d connections at once, %d left, %d in all; want 1, 0, 4", most.Load(), open.Load(), len(server.Dialed()))
	}
}

// A countedConn counts when it is closed, once.
type countedConn struct {
	net.Conn
	open   *atomic.Int64
	closed atomic.Bool
}

func (c *countedConn) Close() error {
	if !c.closed.Swap(true) {
		c.open.Add(-1)
	}
	return c.Conn.Close()
}

// The second reply of a menu may be hostile, like the first.
func FuzzSecondMenu(f *testing.F) {
	engine := func(dial proto.Dial) access.Engine {
		return gopher.Client{Dial: dial, Habits: new(gopher.Habits)}
	}
	const line = "0a\ta\th\t70\r\n"
	accesstest.Fuzz(
		f, engine, url.MustParse("gopher://h/1"),
		[2]string{line, line + ".\r\n"},
		[2]string{line, line + line},
		[2]string{line, line[:4]},
		[2]string{line + "..\r\n", line + "..\n."},
		[2]string{"", line},
	)
}
