package main

import (
	"context"
	"encoding/json"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/demo"
	"locus/gateway"
	"locus/internal/peers"
	"locus/proto/rlogin"
	"locus/proto/telnet"
	"locus/proto/tn3270"
)

// A sessionPage has the state of the script on a session's page in the gateway.
type sessionPage struct {
	*websocket.Conn
	t      *testing.T
	rows   []string
	keys   int // the number of keys that the terminal has in addition to a keyboard's
	lines  bool
	status string
	end    string
}

// visitSession begins a session as such a page does.
func visitSession(t *testing.T, server *httptest.Server, u string) *sessionPage {
	t.Helper()
	conn, resp, err := websocket.Dial(t.Context(), server.URL+"/-/session?url="+u, nil)
	if err != nil {
		t.Fatalf("opening the WebSocket of %s = %v, %v", u, err, resp)
	}
	t.Cleanup(func() { conn.CloseNow() })
	conn.SetReadLimit(1 << 20)
	return &sessionPage{Conn: conn, t: t}
}

func (p *sessionPage) say(message any) {
	p.t.Helper()
	text, err := json.Marshal(message)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.Write(p.t.Context(), websocket.MessageText, text); err != nil {
		p.t.Fatal(err)
	}
}

func (p *sessionPage) press(keys string) { p.t.Helper(); p.say(map[string]string{"keys": keys}) }

func (p *sessionPage) resize(columns, rows int) {
	p.t.Helper()
	p.say(map[string][2]int{"size": {columns, rows}})
}
func (p *sessionPage) screen() string { return strings.Join(p.rows, "\n") }

// next processes the next message of the gateway.
func (p *sessionPage) next() error {
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	_, text, err := p.Read(ctx)
	if err != nil {
		return err
	}
	var f struct {
		Start struct{ Keys []struct{ Name string } }
		Size  []int
		Rows  []struct {
			Row  int
			Runs []struct{ T string }
		}
		State *struct {
			Lines  bool
			Status string
		}
		End struct{ Text string }
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return err
	}
	if f.Size != nil {
		p.rows = make([]string, f.Size[1])
	}
	for _, r := range f.Rows {
		p.rows[r.Row] = ""
		for _, run := range r.Runs {
			p.rows[r.Row] += run.T
		}
	}
	if f.State != nil {
		p.lines, p.status = f.State.Lines, f.State.Status
	}
	p.keys += len(f.Start.Keys)
	p.end += f.End.Text
	return nil
}

// await waits until the screen shows text.
func (p *sessionPage) await(text string) {
	p.t.Helper()
	for !strings.Contains(p.screen(), text) {
		if err := p.next(); err != nil || p.end != "" {
			p.t.Fatalf("waiting for %q: %v, end %q; the screen is\n%s", text, err, p.end, p.screen())
		}
	}
}

// awaitEnd waits until the server has ended the session.
func (p *sessionPage) awaitEnd() {
	p.t.Helper()
	for p.end == "" {
		if err := p.next(); err != nil {
			p.t.Fatalf("waiting for the end: %v; the screen is\n%s", err, p.screen())
		}
	}
	if want := "the server ended the session"; p.end != want {
		p.t.Errorf("the session ends with %q, want %q", p.end, want)
	}
}

func sessionGateway(t *testing.T) *httptest.Server {
	t.Helper()
	var dialer net.Dialer
	server := httptest.NewServer(&gateway.Gateway{Engine: access.Table{
		"telnet": telnet.Client{Dial: dialer.DialContext},
		"rlogin": rlogin.Client{Dial: dialer.DialContext, DialLow: cli.DialLow, LocalUser: "me"},
		"tn3270": tn3270.Client{Dial: dialer.DialContext},
	}})
	t.Cleanup(server.Close)
	return server
}

// The demo's sessions work in the gateway's pages, from the greeting to the end.
func TestPageSessions(t *testing.T) {
	d, err := demo.Start(context.Background(), demo.Config{Listen: net.Listen, ListenPacket: net.ListenPacket})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	at := map[string]string{}
	for _, s := range d.Services() {
		at[s.Scheme] = s.Addr
	}
	server := sessionGateway(t)

	p := visitSession(t, server, "telnet://"+at["telnet"]+"/")
	p.resize(60, 12)
	p.await("login:")
	p.press("reader\r")
	p.await("assword")
	p.press("secret\r")
	p.await("arrows or j, k: choose")
	if len(p.rows) != 12 || p.lines || strings.Contains(p.screen(), "secret") {
		t.Errorf("the menu session has %d rows, lines %v:\n%s", len(p.rows), p.lines, p.screen())
	}
	p.press("\x1b[B")
	p.press("q")
	p.awaitEnd()

	p = visitSession(t, server, "tn3270://"+at["tn3270"]+"/")
	p.await("Option ===>")
	if len(p.rows) != 24 || p.keys == 0 {
		t.Errorf("the 3270 session has %d rows and %d keys", len(p.rows), p.keys)
	}
	p.press("7\r")
	p.await(`There is no option "7".`)
	for !strings.Contains(p.status, "3270") {
		if err := p.next(); err != nil {
			t.Fatalf("waiting for the status of the 3270: %v", err)
		}
	}
	p.press("\x1bOR") // PF3
	p.awaitEnd()
}

// Sessions with real servers work in the gateway's pages.
func TestPageSessionsLive(t *testing.T) {
	server := sessionGateway(t)
	t.Run("telnetd", func(t *testing.T) {
		s := peers.Telnetd(t, "#!/bin/sh\nread x\nstty size\nread x\necho \"you said $x\"\nread x\n")
		p := visitSession(t, server, "telnet://"+s.Addr+"/")
		p.resize(77, 33)
		p.press("\r") // after the size was sent
		p.await("33 77")
		p.press("something\r")
		p.await("you said something") // telnetd drops unsent output when its program ends
		p.press("\r")
		p.awaitEnd()
	})
	t.Run("rlogind", func(t *testing.T) {
		s := peers.Rlogind(t)
		p := visitSession(t, server, "rlogin://rltest@"+s.Addr+"/")
		p.resize(77, 33)
		// A server that ends before it has read the size resets the connection.
		p.press("until stty size | grep -q '33 77'; do sleep 0.1; done; echo $((6*7)); exit\r")
		p.await("42")
		p.awaitEnd()
	})
	t.Run("hercules", func(t *testing.T) {
		s := peers.Hercules(t)
		p := visitSession(t, server, "tn3270://"+s.Addr+"/")
		p.await("Hercules")
		if len(p.rows) != 24 {
			t.Errorf("the screen of hercules has %d rows", len(p.rows))
		}
	})
}
