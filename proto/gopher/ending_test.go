package gopher_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
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

// A text without its period is an early end if the server ends its other texts with one.
// It is also one if the server's reply in Gopher+ says so, or names a larger size.
func TestTextWithoutPeriod(t *testing.T) {
	const cut = "one\r\ntw"
	for _, tt := range []struct {
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
		server := accesstest.ServeAll(t, replying(tt.reply))
		c := gopher.Client{Dial: server.Dial, Habits: new(gopher.Habits)}
		for i, u := range tt.urls {
			text, err := fetched(t, c, "gopher://h/"+u)
			if errors.Is(err, io.ErrUnexpectedEOF) != tt.isEarly[i] || err != nil && !tt.isEarly[i] {
				t.Errorf("%s: %s is %q, %v, want an early end: %v", tt.name, u, text, err, tt.isEarly[i])
			}
			if i > 0 && text != cut {
				t.Errorf("%s: %s is %q, want %q in any case", tt.name, u, text, cut)
			}
		}
		if n := len(server.Dialed()); n != tt.dials {
			t.Errorf("%s: %d connections, want %d", tt.name, n, tt.dials)
		}
	}
}

// Without Habits a text without a period is whole, and nothing is asked.
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

// If the server cannot be asked, its text is not taken for whole. Each server has its own
// habit, and Close ends the wait for the answer.
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
	if _, err := fetched(t, c, "gopher://two/0b"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a text without a period from a server that is gone: %v, want an early end", err)
	}
	if _, err := fetched(t, c, "gopher://two/0b"); err != nil {
		t.Errorf("the text of another server: %v", err)
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
		if dials++; dials%2 == 0 { // dials was 5
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
