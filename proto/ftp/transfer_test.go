package ftp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/ftp"
	"locus/url"
)

// Every kind of early end is an error.
func TestEarlyEnd(t *testing.T) {
	// attack: A server breaks off, so that a part looks like the whole file | an early end is an error, and
	// no file gets its final name
	const whole = "0123456789"
	tests := []struct {
		name        string
		size        string // reply to SIZE; "" for 502
		retr        answer
		want        string
		is          error // nil if everything arrives
		failsOnOpen bool  // Do fails, not Read
	}{
		{name: "complete", size: "213 10", retr: send(whole, "226 done\r\n"), want: whole},
		{name: "complete, 250", size: "213 10", retr: send(whole, "250 done\r\n"), want: whole},
		{name: "complete, in many lines", retr: send(whole, "226-a\r\n226-b\r\n226 done\r\n"), want: whole},
		{name: "complete, size unknown", retr: send(whole, "226 done\r\n"), want: whole},
		{name: "complete, size nonsense", size: "213 ten", retr: send(whole, "226 done\r\n"), want: whole},
		{name: "complete, size negative", size: "213 -1", retr: send(whole, "226 done\r\n"), want: whole},
		{name: "complete, size huge", size: "213 99999999999999999999", retr: send(whole, "226 done\r\n"), want: whole},
		{name: "complete, marks on the way", retr: send(whole, "110 mark\r\n110 mark\r\n226 done\r\n"), want: whole},
		{name: "complete, empty", size: "213 0", retr: send("", "226 done\r\n")},
		{name: "226 before the data", retr: func(c *control) { c.transfer("150 now\r\n226 done\r\n", whole, "") }, want: whole},
		{name: "226 and no 150", retr: func(c *control) { c.transfer("226 done\r\n", whole, "") }, want: whole},

		{name: "no 226", retr: send(whole[:4], ""), want: whole[:4], is: io.ErrUnexpectedEOF},
		{name: "no 226, all there", size: "213 10", retr: func(c *control) { send(whole, "")(c); c.hungUp = true }, want: whole, is: io.ErrUnexpectedEOF},
		{name: "426", retr: send(whole[:4], "426 connection closed\r\n"), want: whole[:4], is: io.ErrUnexpectedEOF},
		{name: "451", retr: send(whole[:4], "451 local error\r\n"), want: whole[:4], is: io.ErrUnexpectedEOF},
		{name: "550", retr: send(whole[:4], "550 disk error\r\n"), want: whole[:4], is: io.ErrUnexpectedEOF},
		{name: "fewer than SIZE, and 226", size: "213 10", retr: send(whole[:4], "226 done\r\n"), want: whole[:4], is: io.ErrUnexpectedEOF},
		{name: "none, and 226", size: "213 10", retr: send("", "226 done\r\n"), is: io.ErrUnexpectedEOF},
		{name: "more than SIZE", size: "213 4", retr: send(whole, "226 done\r\n"), want: whole[:4], is: access.ErrProtocol},
		{name: "not a reply", retr: send(whole, "thank you\r\n"), want: whole, is: access.ErrProtocol},
		{name: "marks for ever", retr: send(whole, strings.Repeat("110 mark\r\n", 100)), want: whole, is: access.ErrProtocol},
		{name: "a line for ever", retr: send(whole, "226 "+strings.Repeat("x", 1<<20)), want: whole, is: access.ErrTooLong},
		{name: "lines for ever", retr: send(whole, strings.Repeat("226-x\r\n", 1<<17)), want: whole, is: access.ErrTooLong},
		{name: "425", retr: say("425 no data connection\r\n"), is: errAny, failsOnOpen: true},
		{name: "3yz", retr: say("350 what\r\n"), is: errAny, failsOnOpen: true},
		{name: "hangs up", retr: hangUp, is: io.ErrUnexpectedEOF, failsOnOpen: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t)
			s.script["RETR"] = func(c *control) { test.retr(c); c.hungUp = c.hungUp || !strings.HasPrefix(test.name, "complete") }
			s.script["SIZE"] = say(test.size + "\r\n")
			if test.size == "" {
				s.script["SIZE"] = say("502 what\r\n")
			}
			r, err := s.client().Do(t.Context(), &access.Request{URL: url.MustParse("ftp://h/f")})
			if test.failsOnOpen || err != nil {
				if !test.failsOnOpen || err == nil || test.is != errAny && !errors.Is(err, test.is) {
					t.Errorf("Open = %v, want %v (from Open: %v)", err, test.is, test.failsOnOpen)
				}
				return
			}
			defer r.Body.Close()
			got, err := io.ReadAll(r.Body)
			if string(got) != test.want || (err == nil) != (test.is == nil) || !errors.Is(err, test.is) {
				t.Errorf("reading = %q, %v, want %q, %v", got, err, test.want, test.is)
			}
			if _, again := r.Body.Read(make([]byte, 1)); again == nil || err != nil && again != err {
				t.Errorf("reading again = %v, want %v", again, err)
			}
		})
	}
}

func TestPassive(t *testing.T) {
	// attack: An FTP server names another host for the data connection
	tests := []struct {
		name   string
		script map[string]answer
		dials  string // address dialed for data; "" if the client refuses it
	}{
		{name: "EPSV", dials: "h:40001"},
		{name: "EPSV with another delimiter", script: map[string]answer{"EPSV": func(c *control) { c.listenForData(); c.reply("229 ok (!!!40001!)\r\n") }}, dials: "h:40001"},
		{name: "EPSV with an address", script: map[string]answer{"EPSV": func(c *control) { c.listenForData(); c.reply("229 ok (|1|10.9.8.7|40001|)\r\n") }}, dials: "h:40001"},
		{name: "PASV", script: map[string]answer{"EPSV": say("500 what\r\n")}, dials: "h:40001"},
		{name: "PASV after 522", script: map[string]answer{"EPSV": say("522 no\r\n")}, dials: "h:40001"},
		{
			name: "PASV without parentheses", dials: "h:40001",
			script: map[string]answer{"EPSV": say("502 what\r\n"), "PASV": func(c *control) { c.listenForData(); c.reply("227 127,0,0,1,156,65\r\n") }},
		},
		{
			name: "PASV after a number", dials: "h:40001",
			script: map[string]answer{"EPSV": say("502 what\r\n"), "PASV": func(c *control) { c.listenForData(); c.reply("227 Mode 2 =127,0,0,1,156,65\r\n") }},
		},
		{name: "neither", script: map[string]answer{"EPSV": say("502 what\r\n"), "PASV": say("502 what\r\n")}},
		{name: "EPSV to smtp", script: map[string]answer{"EPSV": say("229 ok (|||25|)\r\n")}},
		{name: "EPSV to smtp, sent early", script: map[string]answer{"greeting": say("220 (vsFTPd 3.0.3)\r\n"), "EPSV": say("229 ok (|||25|)\r\n")}},
		{name: "EPSV to nowhere", script: map[string]answer{"EPSV": say("229 ok (|||0|)\r\n")}},
		{name: "EPSV too far", script: map[string]answer{"EPSV": say("229 ok (|||65536|)\r\n")}},
		{name: "EPSV without a port", script: map[string]answer{"EPSV": say("229 ok\r\n")}},
		{name: "EPSV that ends", script: map[string]answer{"EPSV": say("229 ok (\r\n")}},
		{name: "EPSV in short", script: map[string]answer{"EPSV": say("229 ok (|||\r\n")}},
		{name: "PASV to smtp", script: map[string]answer{"EPSV": say("502 what\r\n"), "PASV": say("227 (127,0,0,1,0,25)\r\n")}},
		{name: "PASV in short", script: map[string]answer{"EPSV": say("502 what\r\n"), "PASV": say("227 (127,0,0,1,200)\r\n")}},
		{name: "PASV too large", script: map[string]answer{"EPSV": say("502 what\r\n"), "PASV": say("227 (127,0,0,1,300,1)\r\n")}},
		{name: "PASV with a sign", script: map[string]answer{"EPSV": say("502 what\r\n"), "PASV": say("227 (127,0,0,1,+200,1)\r\n")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t)
			s.files["f"] = "content"
			if test.script != nil {
				s.script = test.script
			}
			got, err := get(t, s.client(), "ftp://h/f")
			want := []string{"h:21"}
			if test.dials != "" {
				want = append(want, test.dials)
			}
			if !slices.Equal(s.dialed, want) || (err == nil) != (test.dials != "") || err == nil && got != "content" {
				t.Errorf("get = %q, %v after dialling %q, want %q", got, err, s.dialed, want)
			}
		})
	}
}

// A reply full of digits has no port. internal/work checks that it is read in linear time.
func TestPassiveDigits(t *testing.T) {
	s := serve(t)
	s.script["EPSV"] = say("502 what\r\n")
	s.script["PASV"] = say(strings.Repeat("227-"+strings.Repeat("1", 8000)+"\r\n", 8) + "227 that is all\r\n")
	if _, err := get(t, s.client(), "ftp://h/f"); !errors.Is(err, access.ErrProtocol) {
		t.Errorf("get = %v, want access.ErrProtocol", err)
	}
}

// The client connects for data to the exact address of the control connection. A changed DNS entry,
// or another address in the reply, has no effect.
func TestDataAddress(t *testing.T) {
	// attack: An FTP server names another host for the data connection | the data connection goes to the address
	// of the control connection
	tests := []struct{ remote, want string }{
		{"192.0.2.7:21", "192.0.2.7:40001"},
		{"[2001:db8::7]:21", "[2001:db8::7]:40001"},
		{"[fe80::7%eth0]:21", "[fe80::7%eth0]:40001"},
		{"pipe", "h:40001"},
	}
	for _, test := range tests {
		for _, epsv := range []bool{true, false} {
			s := serve(t)
			s.files["f"] = "content"
			if !epsv {
				s.script["EPSV"] = say("502 what\r\n")
			}
			c := s.client()
			c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := s.Dial(ctx, network, address)
				return remoteConn{conn, test.remote}, err
			}
			_, err := get(t, c, "ftp://h/f")
			if want := []string{"h:21", test.want}; err != nil || !slices.Equal(s.dialed, want) {
				t.Errorf("from %s, EPSV %v: dials %q (%v), want %q", test.remote, epsv, s.dialed, err, want)
			}
		}
	}
}

// A remoteConn reports a remote address.
type remoteConn struct {
	net.Conn
	remote string
}

func (a remoteConn) RemoteAddr() net.Addr { return address(a.remote) }

type address string

func (address) Network() string  { return "tcp" }
func (n address) String() string { return string(n) }

func TestOffset(t *testing.T) {
	const content = "0123456789"
	tests := []struct {
		name   string
		url    string
		offset int64
		script map[string]answer
		want   string
		start  int64 // Resource.Offset
		size   int64
		is     error
		rest   string // expected REST command; "" for none
	}{
		{name: "start", url: "ftp://h/f", want: content, size: 10},
		{name: "middle", url: "ftp://h/f", offset: 4, want: content[4:], start: 4, size: 10, rest: "REST 4"},
		{name: "last", url: "ftp://h/f", offset: 9, want: content[9:], start: 9, size: 10, rest: "REST 9"},
		{name: "end", url: "ftp://h/f", offset: 10, is: access.ErrRange},
		{name: "past the end", url: "ftp://h/f", offset: 1 << 40, is: access.ErrRange},
		{name: "text", url: "ftp://h/f;type=a", offset: 4, want: content, size: -1},
		{
			name: "size unknown", url: "ftp://h/f", offset: 4, script: map[string]answer{"SIZE": say("502 what\r\n")},
			want: content[4:], start: 4, size: -1, rest: "REST 4",
		},
		{name: "no REST", url: "ftp://h/f", offset: 4, script: map[string]answer{"REST": say("502 what\r\n")}, is: errors.ErrUnsupported, rest: "REST 4"},
		{name: "REST refused", url: "ftp://h/f", offset: 4, script: map[string]answer{"REST": say("550 no\r\n")}, is: errors.ErrUnsupported, rest: "REST 4"},
		{
			name: "REST too far", url: "ftp://h/f", offset: 40,
			script: map[string]answer{"SIZE": say("502 what\r\n"), "RETR": say("554 too far\r\n")}, is: access.ErrRange, rest: "REST 40",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t)
			s.files["f"] = content
			if test.script != nil {
				s.script = test.script
			}
			r, err := s.client().Do(t.Context(), &access.Request{URL: url.MustParse(test.url), Offset: test.offset})
			if !errors.Is(err, test.is) || (err == nil) != (test.is == nil) {
				t.Fatalf("Open = %v, want %v", err, test.is)
			}
			if i := slices.IndexFunc(s.sentCommands(), func(c string) bool { return strings.HasPrefix(c, "REST") }); i >= 0 {
				if s.sentCommands()[i] != test.rest {
					t.Errorf("sends %q, want %q", s.sentCommands(), test.rest)
				}
			} else if test.rest != "" {
				t.Errorf("sends %q, want %q among them", s.sentCommands(), test.rest)
			}
			if err != nil {
				return
			}
			defer r.Body.Close()
			got, err := io.ReadAll(r.Body)
			if err != nil || string(got) != test.want || r.Offset != test.start || r.Size != test.size {
				t.Errorf("%q from %d of %d, %v; want %q from %d of %d", got, r.Offset, r.Size, err, test.want, test.start, test.size)
			}
		})
	}
}

func TestVersions(t *testing.T) {
	changed := time.Date(2026, 11, 21, 2, 2, 8, 0, time.UTC) // what the server reports
	tests := []struct {
		name string
		req  access.Request
		is   error
	}{
		{name: "no question"},
		{name: "same", req: access.Request{IfChanged: access.Validator{ModTime: changed}}, is: access.ErrNotModified},
		{name: "same, elsewhere", req: access.Request{IfChanged: access.Validator{ModTime: changed.In(time.FixedZone("", 3600))}}, is: access.ErrNotModified},
		{name: "changed", req: access.Request{IfChanged: access.Validator{ModTime: changed.Add(-time.Second)}}},
		{name: "unknown tag", req: access.Request{IfChanged: access.Validator{ETag: `"x"`}}},
		{name: "rest of the same", req: access.Request{Offset: 3, IfMatch: access.Validator{ModTime: changed}}},
		{name: "rest of another", req: access.Request{Offset: 3, IfMatch: access.Validator{ModTime: changed.Add(time.Second)}}, is: access.ErrChanged},
		{name: "rest of a tag", req: access.Request{Offset: 3, IfMatch: access.Validator{ETag: `"x"`}}, is: access.ErrChanged},
		{name: "all of another", req: access.Request{IfMatch: access.Validator{ModTime: changed.Add(time.Second)}}},
	}
	for _, test := range tests {
		s := serve(t)
		s.files["f"] = "content"
		test.req.URL = url.MustParse("ftp://h/f")
		r, err := s.client().Do(t.Context(), &test.req)
		if !errors.Is(err, test.is) || (err == nil) != (test.is == nil) {
			t.Errorf("%s: Open = %v, want %v", test.name, err, test.is)
		}
		if err != nil {
			continue
		}
		r.Body.Close()
		if !r.ModTime.Equal(changed) {
			t.Errorf("%s: ModTime = %v, want %v", test.name, r.ModTime, changed)
		}
	}
}

// A context deadline ends a request in every state. So does the idle limit, and the error has its
// duration.
func TestDeadline(t *testing.T) {
	stall := func(c *control) { io.Copy(io.Discard, c.conn); c.hungUp = true }
	for _, verb := range []string{"greeting", "USER", "PASS", "CWD", "TYPE", "SIZE", "MDTM", "EPSV", "RETR", "data", "226"} {
		for _, test := range []struct {
			idle, took time.Duration
			want       error
		}{
			{time.Hour, time.Minute, context.DeadlineExceeded},
			{7 * time.Second, 7 * time.Second, access.ErrTemporary},
		} {
			synctest.Test(t, func(t *testing.T) {
				s := serve(t)
				s.files["f"] = "content"
				s.script[verb] = stall
				switch verb {
				case "226":
					s.script["RETR"] = func(c *control) { send("content", "")(c); stall(c) }
				case "data":
					s.script["RETR"] = func(c *control) {
						conn, _ := c.accept()
						defer conn.Close()
						c.reply("150 go on\r\n")
						io.WriteString(conn, "cont")
						stall(c)
					}
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				c := s.client()
				c.Idle = test.idle
				start := time.Now()
				r, err := c.Do(ctx, &access.Request{URL: url.MustParse("ftp://h/a/f")})
				if err == nil {
					_, err = io.ReadAll(r.Body)
					r.Body.Close()
				}
				if !errors.Is(err, test.want) || time.Since(start) != test.took {
					t.Errorf("with a server that stalls at %s: %v after %v, want %v after %v", verb, err, time.Since(start), test.want, test.took)
				}
				if test.want == access.ErrTemporary && !strings.HasSuffix(err.Error(), "the server sent nothing for 7s") {
					t.Errorf("with a server that stalls at %s: %v", verb, err)
				}
				if _, ok := errors.AsType[*access.Error](err); !ok {
					t.Errorf("with a server that stalls at %s: %#v, want an *access.Error", verb, err)
				}
			})
		}
	}
}

// In active mode the idle limit applies to a server that never connects.
func TestIdleActive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t)
		s.script["EPRT"], s.script["RETR"] = say("200 done\r\n"), say("150 go on\r\n")
		c := s.client()
		c.Idle = 7 * time.Second
		c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := s.Dial(ctx, network, address)
			return addressedConn{remoteConn{conn, "192.0.2.7:21"}, "127.0.0.1:50000"}, err
		}
		c.Listen = func(context.Context, string, string) (net.Listener, error) {
			return silentListener{address("127.0.0.1:40000"), make(chan struct{})}, nil
		}
		if _, err := get(t, c, "ftp://h/f"); err == nil || !strings.HasSuffix(err.Error(), "the server opened no data connection for 7s") {
			t.Errorf("get = %v", err)
		}
	})
}

// A silentListener gets no connection.
type silentListener struct {
	addr   net.Addr
	closed chan struct{}
}

func (f silentListener) Accept() (net.Conn, error) { <-f.closed; return nil, net.ErrClosed }
func (f silentListener) Addr() net.Addr            { return f.addr }

func (f silentListener) Close() error {
	select {
	case <-f.closed:
	default:
		close(f.closed)
	}
	return nil
}

// The idle limit applies to a server that sends no 226 and keeps the connection open.
func TestForgotten226(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t)
		s.script["RETR"] = func(c *control) {
			send("content", "")(c)
			io.Copy(io.Discard, c.conn)
			c.hungUp = true
		}
		got, err := get(t, s.client(), "ftp://h/f")
		if got != "content" || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasSuffix(err.Error(), "the server sent nothing for 1m0s") {
			t.Errorf("get = %q, %v, want the content and io.ErrUnexpectedEOF", got, err)
		}
	})
}

// FuzzServer sends random bytes on both connections.
func FuzzServer(f *testing.F) {
	ok := "220 a\r\n230 b\r\n200 c\r\n213 7\r\n213 20261121020208\r\n229 (|||40001|)\r\n150 d\r\n226 e\r\n"
	accesstest.Fuzz(f, func(dial proto.Dial) access.Engine { return ftp.Client{Dial: dial} }, url.MustParse("ftp://h/f"),
		[2]string{ok, "content"},
		[2]string{ok, "conten"},
		[2]string{strings.Replace(ok, "229 (|||40001|)", "500\r\n227 1,2,3,4,5,6", 1), "content"},
		[2]string{"220-a\r\n220 b\r\n331 c\r\n332 d\r\n", ""},
		[2]string{"220", ""},
	)
}

// FuzzListing is FuzzServer for a directory.
func FuzzListing(f *testing.F) {
	list := "220 a\r\n230 b\r\n500 c\r\n229 (|||40001|)\r\n150 d\r\n226 e\r\n"
	mlsd := "220 a\r\n230 b\r\n211-c\r\n MLST *\r\n211 d\r\n229 (|||40001|)\r\n150 d\r\n226 e\r\n"
	accesstest.Fuzz(f, func(dial proto.Dial) access.Engine { return ftp.Client{Dial: dial} }, url.MustParse("ftp://h/"),
		[2]string{list, "total 3\r\n-rw-r--r-- 1 a b 3000 Nov 21 02:02 blob.bin\r\n"},
		[2]string{list, "LONG.TXT;1\r\n   1/3 27-MAY-2003 13:19\r\n"},
		[2]string{mlsd, "type=file;size=3; a b\r\n"},
	)
}
