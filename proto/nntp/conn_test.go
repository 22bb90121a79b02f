package nntp_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/certtest"
	"locus/proto/internal/wire"
	"locus/proto/nntp"
	"locus/url"
)

// parseDialogue returns the script of a dialogue. "> " begins a line that the
// client sends, and "< " an action of the server.
func parseDialogue(text string) accesstest.Script {
	var script accesstest.Script
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, ">"):
			script = append(script, accesstest.Expect(strings.TrimPrefix(line[1:], " ")+"\r\n"))
		case strings.HasPrefix(line, "< "):
			script = append(script, accesstest.Send(line[2:]+"\r\n"))
		}
	}
	return script
}

// The client sends these commands around an article, and ends the request in these ways.
func TestDialogues(t *testing.T) {
	ask := func(context.Context, access.Challenge) (access.Credentials, error) {
		return access.Credentials{Password: "sesame"}, nil
	}
	const refused = "error: open news:a@b: "
	for _, test := range []struct {
		name   string
		script string
		user   string
		ask    access.Login
		want   string
	}{
		{"RFC 3977", `< 200 hi
			> CAPABILITIES
			< 101 these
			< VERSION 2
			< READER
			< .
			> ARTICLE <a@b>
			< 220 0 <a@b>
			< x
			< .
			> QUIT`, "", nil, "x\r\n"},
		{"no posting", `< 201 hi
			> CAPABILITIES
			< 101 these
			< reader
			< .
			> ARTICLE <a@b>
			< 220 0 <a@b>
			< .
			> QUIT`, "", nil, ""},
		{"transit mode", `< 200 news.example InterNetNews server ready (transit mode)
			> CAPABILITIES
			< 101 these
			< VERSION 2
			< IHAVE
			< MODE-READER
			< .
			> MODE READER
			< 200 reading
			> CAPABILITIES
			< 101 these
			< VERSION 2
			< READER
			< .
			> ARTICLE <a@b>
			< 220 0 <a@b>
			< x
			< .
			> QUIT`, "", nil, "x\r\n"},
		{"RFC 977", `< 200 hi
			> CAPABILITIES
			< 500 what
			> MODE READER
			< 500 what
			> ARTICLE <a@b>
			< 220 0 <a@b>
			< x
			< .
			> QUIT`, "", nil, "x\r\n"},
		{"no reading", `< 200 hi
			> CAPABILITIES
			< 500 what
			> MODE READER
			< 502 not you`, "", nil, refused + "502 not you: permission denied [permission denied]"},
		{"closed greeting", `< 400 too busy`, "", nil, refused + "400 too busy: the server cannot do it now"},
		{"refusing greeting", `< 502 not you`, "", nil, refused + "502 not you: permission denied [permission denied]"},
		{"another protocol", `< SSH-2.0-OpenSSH_9.2`, "", nil, refused + `the server broke the protocol: found "SSH-2.0-OpenSSH_9.2", want a three-digit reply [the server broke the protocol]`},
		{"no greeting", ``, "", nil, refused + "unexpected EOF [unexpected EOF]"},
		{"going away", `< 200 hi
			> CAPABILITIES
			< 400 bye`, "", nil, refused + "400 bye: the server cannot do it now"},
		{"gone", `< 200 hi
			> CAPABILITIES
			< 101 these
			< READER`, "", nil, refused + "unexpected EOF [unexpected EOF]"},
		{"temporary", `< 200 hi
			> CAPABILITIES
			< 101 these
			< READER
			< .
			> ARTICLE <a@b>
			< 403 disk on fire`, "", nil, refused + "403 disk on fire: the server cannot do it now"},
		{"cut", `< 200 hi
			> CAPABILITIES
			< 101 these
			< READER
			< .
			> ARTICLE <a@b>
			< 220 0 <a@b>
			< Subject: x
			<  `, "", nil, "error: read news:a@b: unexpected EOF [unexpected EOF]"},
		{"login unknown", `< 200 hi
			> CAPABILITIES
			< 101 these
			< READER
			< .
			> ARTICLE <a@b>
			< 480 who are you`, "", ask, refused + "480 who are you: permission denied [permission denied]"},
		{"login", `< 200 hi
			> CAPABILITIES
			< 101 these
			< READER
			< AUTHINFO USER
			< .
			> ARTICLE <a@b>
			< 480 who are you
			> AUTHINFO USER ada
			< 381 and
			> AUTHINFO PASS sesame
			< 281 hello
			> CAPABILITIES
			< 101 these
			< READER
			< .
			> ARTICLE <a@b>
			< 220 0 <a@b>
			< x
			< .
			> QUIT`, "ada", ask, "x\r\n"},
		{"login without a password", `< 200 hi
			> CAPABILITIES
			< 500 what
			> MODE READER
			< 480 who are you
			> AUTHINFO USER ada
			< 281 hello
			> MODE READER
			< 200 hi
			> ARTICLE <a@b>
			< 220 0 <a@b>
			< .
			> QUIT`, "ada", nil, ""},
		{"no password to ask for", `< 200 hi
			> CAPABILITIES
			< 101 these
			< READER
			< .
			> ARTICLE <a@b>
			< 480 who are you
			> AUTHINFO USER ada
			< 381 and`, "ada", nil, refused + "a password is needed [a password is needed]"},
		{"login refused", `< 200 hi
			> CAPABILITIES
			< 101 these
			< READER
			< .
			> ARTICLE <a@b>
			< 480 who are you
			> AUTHINFO USER ada
			< 381 and
			> AUTHINFO PASS sesame
			< 481 sesame is wrong`, "ada", ask, refused + "481 xxxxx is wrong: the server does not accept the user name or the password [permission denied]"},
		{"login out of order", `< 200 hi
			> CAPABILITIES
			< 101 these
			< READER
			< .
			> ARTICLE <a@b>
			< 480 who are you
			> AUTHINFO USER ada
			< 482 not now`, "ada", ask, refused + "482 not now: permission denied [permission denied]"},
		{"login twice", `< 200 hi
			> CAPABILITIES
			< 101 these
			< READER
			< .
			> ARTICLE <a@b>
			< 480 who are you
			> AUTHINFO USER ada
			< 281 hello
			> CAPABILITIES
			< 101 these
			< READER
			< .
			> ARTICLE <a@b>
			< 480 who are you`, "ada", ask, refused + "480 who are you: permission denied [permission denied]"},
		{"user name with the end of a line", `< 200 hi
			> CAPABILITIES
			< 101 these
			< READER
			< .
			> ARTICLE <a@b>
			< 480 who are you`, "ada\r\nQUIT", ask, refused + "user name has CR at offset 3, which would end the command"},
		{"TLS required but not offered", `< 200 hi
			> CAPABILITIES
			< 101 these
			< READER
			< .
			> ARTICLE <a@b>
			< 483 not in the clear`, "", nil, refused + "483 not in the clear: permission denied [permission denied]"},
		{"TLS offered but refused", `< 200 hi
			> CAPABILITIES
			< 101 these
			< READER
			< STARTTLS
			< .
			> ARTICLE <a@b>
			< 483 not in the clear
			> STARTTLS
			< 580 no`, "", nil, refused + "580 no: unsupported operation [unsupported operation]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newClient(accesstest.Serve(t, parseDialogue(test.script)))
			if c.User = test.user; test.user != "" {
				c.Security = access.NeverTLS
			}
			o := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
				asks := *req
				asks.Login = test.ask
				return c.Do(ctx, &asks)
			})
			if got := describe(t, o, "news:a@b"); got != test.want {
				t.Errorf("it ends with\n%q\nwant\n%q", got, test.want)
			}
		})
	}
}

func TestPasswordIsFitToSend(t *testing.T) {
	s := accesstest.ServeAll(t, modern.with(answers{"ARTICLE": "480 who\r\n", "AUTHINFO": "381 and\r\n"}).script())
	c := newClient(s)
	c.User, c.Security = "ada", access.NeverTLS
	ask := func(context.Context, access.Challenge) (access.Credentials, error) {
		return access.Credentials{Password: "sesame\r\nQUIT"}, nil
	}
	_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("news:a@b"), Login: ask})
	if err == nil || strings.Contains(err.Error(), "sesame") || strings.Contains(s.Received(0), "sesame") {
		t.Errorf("Open = %v after %q, want an error before it is sent", err, s.Received(0))
	}
}

func TestHints(t *testing.T) {
	for reply, hint := range map[string]string{
		"480 who\r\n": "give your user name", "483 no\r\n": "nntps:", "430 none\r\n": "",
	} {
		s := accesstest.ServeAll(t, modern.with(answers{"ARTICLE": reply}).script())
		_, err := newClient(s).Do(t.Context(), &access.Request{URL: url.MustParse("news:a@b")})
		if got := access.Hint(err); !strings.Contains(got, hint) || (got == "") != (hint == "") {
			t.Errorf("after %q the hint is %q, want %q in it", reply, got, hint)
		}
	}
}

// A hostile server gives an error soon, or a correct result.
func TestHostile(t *testing.T) {
	const long = 1 << 20
	for _, test := range []struct {
		name, url string
		more      answers
		want      string // part of the result
	}{
		{"endless greeting", "news:*", answers{"": "200 " + strings.Repeat("x", long)}, "[the server sent too much data"},
		{"endless capabilities", "news:*", answers{"CAPABILITIES": "101 x\r\n" + strings.Repeat("X\r\n", 2000)}, "[the server sent too much data"},
		{"endless capability", "news:*", answers{"CAPABILITIES": "101 x\r\n" + strings.Repeat("X", long)}, "[the server sent too much data"},
		{"endless reply", "news:*", answers{"LIST": "215 " + strings.Repeat("x", long)}, "[the server sent too much data"},
		{"endless line of a list", "news:*", answers{"LIST": "215 x\r\nmisc.test 1 1 y\r\n" + strings.Repeat("x", long)}, "misc.test"},
		{"endless line of a list, its error", "news:*", answers{"LIST": "215 x\r\n" + strings.Repeat("x", long)}, "[the server sent too much data"},
		{"endless overview", "news:misc.test", answers{"OVER 1-3": "224 x\r\n" + strings.Repeat("2\tx\t\t\t\t\t\t\r\n", long/10)}, "[the server broke the protocol]"},
		{"line of an overview that breaks off", "news:misc.test", answers{"OVER 1-3": "224 x\r\n1\t" + strings.Repeat("x", long)}, "[unexpected EOF]"},
		{
			"a line of an overview that is too long", "news:misc.test",
			answers{"OVER 1-3": "224 x\r\n1\tFirst\t\t\t\t\t\t\r\n2\t" + strings.Repeat("x", long) + "\t\t\r\n3\tLast\t\t\t\t\t\t\r\n.\r\n"},
			`object "Last" <nntp:misc.test/3>` + "\n" + `object "article 2, whose header has more than 32768 bytes" <nntp:misc.test/2>` + "\n" + `object "First" <nntp:misc.test/1>`,
		},
		{
			"a line of an overview that is too long, and has no number", "news:misc.test",
			answers{"OVER 1-3": "224 x\r\n" + strings.Repeat("x", long) + "\r\n3\tLast\t\t\t\t\t\t\r\n.\r\n"},
			`object "Last" <nntp:misc.test/3>` + "\n",
		},
		{
			"an overview that is nothing but a long line", "news:misc.test",
			answers{"OVER 1-3": "224 x\r\n1\t" + strings.Repeat("x", 17<<20) + "\r\n.\r\n"},
			"[the server sent too much data",
		},
		{
			"a header that is too long", "news:misc.test",
			answers{
				"OVER 1-3": "500 what\r\n",
				"HEAD 3":   "221 3 <a@b>\r\nSubject: Last\r\n.\r\n", "HEAD 1": "221 1 <c@d>\r\nSubject: First\r\n.\r\n",
				"HEAD 2": "221 2 <e@f>\r\n" + strings.Repeat("X: "+strings.Repeat("x", 1000)+"\r\n", 1000) + ".\r\n",
			},
			`object "Last" <nntp:misc.test/3>` + "\n" + `object "article 2, whose header has more than 262144 bytes" <nntp:misc.test/2>` + "\n" + `object "First" <nntp:misc.test/1>`,
		},
		{"list without its end", "news:*", answers{"LIST": "215 x\r\nmisc.test 1 1 y\r\n", "QUIT": ""}, ""},
		{"group without numbers", "news:misc.test", answers{"GROUP misc.test": "211 welcome\r\n"}, "[the server broke the protocol]"},
		{"group with negative numbers", "news:misc.test", answers{"GROUP misc.test": "211 -1 -1 -1\r\n"}, "[the server broke the protocol]"},
		{"group of nothing", "news:misc.test", answers{"GROUP misc.test": "211 0 0 0 misc.test\r\n"}, ""},
		{"group that is empty", "news:misc.test", answers{"GROUP misc.test": "211 0 4 3 misc.test\r\n"}, ""},
		{"group that counts wrong", "news:misc.test", answers{"GROUP misc.test": "211 99999999 1 3 misc.test\r\n"}, `object "First"`},
		{
			"group that promises everything", "news:misc.test",
			answers{"GROUP misc.test": "211 1 0 18446744073709551615 x\r\n", "OVER": "224 x\r\n.\r\n"},
			"",
		},
		{"numbers outside", "news:misc.test", answers{"OVER 1-3": "224 x\r\n0\ta\r\n4\tb\r\n2\td\r\n.\r\n"}, `"d" <nntp:misc.test/2>`},
		{"overview without fields", "news:misc.test", answers{"OVER 1-3": "224 x\r\n2\r\n\r\n.\r\n"}, `object "" <nntp:misc.test/2>`},
		{"a message-id that is none", "news:misc.test", answers{"OVER 1-3": "224 x\r\n2\td\t\t\t<a b@\x00>\t<>\r\n.\r\n"}, `"d" <nntp:misc.test/2>`},
		{"overview refused", "news:misc.test", answers{"OVER 1-3": "503 none\r\n", "XOVER 1-3": "224 x\r\n2\td\r\n.\r\n"}, `"d"`},
		{"none in the window", "news:misc.test", answers{"OVER 1-3": "423 none\r\n"}, ""},
		{"no article in the window", "news:misc.test", answers{"OVER 1-3": "420 none\r\n"}, ""},
		{"another code", "news:a@b", answers{"ARTICLE": "222 0 <a@b>\r\n.\r\n"}, "error: open news:a@b: 222 0 <a@b>: the server refuses"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := accesstest.ServeAll(t, modern.with(test.more).script())
			if test.name == "list without its end" {
				s = accesstest.ServeAll(t, accesstest.Script{
					accesstest.Send("200 x\r\n"), accesstest.Expect("CAPABILITIES\r\n"), accesstest.Send(modern["CAPABILITIES"]),
					accesstest.Expect("LIST\r\n"), accesstest.Send(test.more["LIST"]),
				})
				test.want = "directory \"misc.test\" <news:misc.test>\nerror: read news:*: unexpected EOF [unexpected EOF]"
			}
			got := describe(t, newClient(s), test.url)
			if !strings.Contains(got, test.want) || test.want == "" && got != "" {
				t.Errorf("Open finds %.400s, want %q", got, test.want)
			}
			if len(got) > 1000 && strings.HasPrefix(got, "error") {
				t.Errorf("the error has %d bytes", len(got))
			}
		})
	}
}

// The client ends a reply that has no end.
func TestEndless(t *testing.T) {
	for _, unit := range []string{"x", "x\r\n", "101 x\r\n"} {
		s := accesstest.ServeAll(t, accesstest.Script{accesstest.Send("200 x\r\n"), accesstest.Expect("CAPABILITIES\r\n"), accesstest.Send("101 x\r\n"), accesstest.SendForever(unit)})
		if got := describe(t, newClient(s), "news:*"); !strings.Contains(got, "[the server sent too much data") {
			t.Errorf("endless %q gives %s", unit, got)
		}
	}
}

// A secureServer is a server that uses TLS from the start, or after STARTTLS.
type secureServer struct {
	config *tls.Config
	start  bool
	early  string // sent unencrypted after the reply to STARTTLS
	secure answers
	clear  answers
}

func (s secureServer) Dial(context.Context, string, string) (net.Conn, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // in a pipe both sides could block while they report an error
	if err != nil {
		return nil, err
	}
	go func() {
		defer l.Close()
		if conn, err := l.Accept(); err == nil {
			s.serve(conn)
		}
	}()
	return net.Dial("tcp", l.Addr().String())
}

func (s secureServer) serve(conn net.Conn) {
	defer conn.Close()
	if s.start {
		if !s.converse(conn, s.clear, true) {
			return
		}
	}
	secure := tls.Server(conn, s.config)
	defer secure.Close()
	s.converse(secure, s.secure, !s.start)
}

// converse answers until the client disconnects or starts TLS.
func (s secureServer) converse(conn net.Conn, a answers, greets bool) (wantsTLS bool) {
	if greets {
		if _, err := io.WriteString(conn, "200 hi\r\n"); err != nil {
			return false
		}
	}
	in := make([]byte, 1000)
	for {
		n, err := conn.Read(in)
		if err != nil {
			return false
		}
		command := strings.TrimRight(string(in[:n]), "\r\n")
		if command == "STARTTLS" && s.start && greets {
			io.WriteString(conn, "382 go on\r\n"+s.early)
			return true
		}
		text, more := a.answer(command)
		if io.WriteString(conn, text); !more {
			return false
		}
	}
}

func TestTLS(t *testing.T) {
	config, trusts := certtest.Configs(t, "own.example")
	const article = "ARTICLE <one@example.org>"
	offers := modern.with(answers{"CAPABILITIES": "101 these\r\n" + block("VERSION 2", "READER", "STARTTLS")})
	wantsTLS := offers.with(answers{article: "483 not in the clear\r\n"})
	wantsLogin := offers.with(answers{article: "480 who are you\r\n", "AUTHINFO": "502 not in the clear\r\n"})
	login := answers{"AUTHINFO USER ada": "381 and\r\n", "AUTHINFO PASS sesame": "281 hello\r\n", article: modern[article]}
	ask := func(context.Context, access.Challenge) (access.Credentials, error) {
		return access.Credentials{Password: "sesame"}, nil
	}
	for _, test := range []struct {
		name     string
		url      string
		server   secureServer
		security access.Security
		user     string
		config   *tls.Config
		want     string
	}{
		{"snews", "snews:one@example.org", secureServer{secure: modern}, access.OpportunisticTLS, "", trusts, text},
		{"snews, an unknown authority", "snews:one@example.org", secureServer{secure: modern}, access.OpportunisticTLS, "", nil, "certificate signed by unknown authority"},
		{"nntps, another name", "nntps://h/misc.test/3", secureServer{secure: modern}, access.OpportunisticTLS, "", trusts, "certificate is valid for own.example, not h"},
		{"nntps", "nntps://own.example/misc.test/3", secureServer{secure: modern}, access.OpportunisticTLS, "", trusts, text},
		{"offered, not needed", "news:one@example.org", secureServer{start: true, clear: offers}, access.OpportunisticTLS, "", trusts, text},
		{"demanded by the server", "news:one@example.org", secureServer{start: true, clear: wantsTLS, secure: modern}, access.OpportunisticTLS, "", trusts, text},
		{"demanded by the user", "news:one@example.org", secureServer{start: true, clear: wantsTLS, secure: modern}, access.RequireTLS, "", trusts, text},
		{"demanded by the user, not there", "news:one@example.org", secureServer{start: false, clear: modern, secure: modern}, access.RequireTLS, "", trusts, "error"},
		{"before a login", "news:one@example.org", secureServer{start: true, clear: wantsLogin, secure: modern.with(login)}, access.OpportunisticTLS, "ada", trusts, text},
		{"before a login, an unknown authority", "news:one@example.org", secureServer{start: true, clear: wantsLogin, secure: modern.with(login)}, access.OpportunisticTLS, "ada", nil, "certificate signed by unknown authority"},
		{"bytes put before TLS", "news:one@example.org", secureServer{start: true, early: "200 trust me\r\n", clear: wantsTLS, secure: modern}, access.OpportunisticTLS, "", trusts, "the server sent unencrypted bytes after agreeing to TLS"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.server.config = config
			c := nntp.Client{Dial: test.server.Dial, Server: "own.example", User: test.user, TLS: test.config, Security: test.security}
			if test.name == "demanded by the user, not there" {
				c.Dial = accesstest.ServeAll(t, modern.script()).Dial
			}
			o := access.GetFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
				asks := *req
				asks.Login = ask
				return c.Do(ctx, &asks)
			})
			if got := describe(t, o, test.url); !strings.Contains(got, test.want) || test.want == text && got != text {
				t.Errorf("Open(%q) finds %s, want %q", test.url, got, test.want)
			}
		})
	}
}

// Capabilities that were sent before TLS do not count over TLS.
func TestTLSForgets(t *testing.T) {
	config, trusts := certtest.Configs(t, "own.example")
	clear := modern.with(answers{
		"CAPABILITIES": "101 these\r\n" + block("READER", "OVER", "STARTTLS"), "GROUP": "483 not in the clear\r\n", "GROUP misc.test": "483 not in the clear\r\n",
	})
	secure := modern.with(answers{"CAPABILITIES": "101 these\r\n" + block("READER"), "XOVER 1-3": "224 x\r\n2\told\r\n.\r\n"})
	s := secureServer{config: config, start: true, clear: clear, secure: secure}
	c := nntp.Client{Dial: s.Dial, Server: "own.example", TLS: trusts}
	if got := describe(t, c, "news:misc.test"); !strings.Contains(got, `"old"`) {
		t.Errorf("Open = %s, want the articles of XOVER", got)
	}
}

// A password is not sent unencrypted to another machine unless the user allows
// it. A server that hides STARTTLS does not get it either.
func TestPasswordInTheClear(t *testing.T) {
	wants := modern.with(answers{"ARTICLE": "480 who\r\n", "AUTHINFO USER ada": "381 and\r\n", "AUTHINFO PASS sesame": "481 no\r\n"})
	ask := func(context.Context, access.Challenge) (access.Credentials, error) {
		return access.Credentials{Password: "sesame"}, nil
	}
	for _, test := range []struct {
		address  string
		security access.Security
		answers  answers
		sent     bool
	}{
		{"192.0.2.1:119", access.OpportunisticTLS, wants, false},
		{"[2001:db8::1]:119", access.OpportunisticTLS, wants.with(answers{"CAPABILITIES": "500 what\r\n"}), false},
		{"192.0.2.1:119", access.NeverTLS, wants, true},
		{"192.0.2.1:119", access.NeverTLS, wants.with(answers{"CAPABILITIES": "101 x\r\nREADER\r\nSTARTTLS\r\n.\r\n"}), true},
		{"127.0.0.1:119", access.OpportunisticTLS, wants, true},
		{"[::1]:119", access.OpportunisticTLS, wants, true},
	} {
		s := accesstest.ServeAll(t, test.answers.script())
		c := nntp.Client{Server: "own.example", User: "ada", Security: test.security}
		c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := s.Dial(ctx, network, address)
			return addressedConn{conn, test.address}, err
		}
		_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("news:a@b"), Login: ask})
		if sent := strings.Contains(s.Received(0), "AUTHINFO"); sent != test.sent || err == nil {
			t.Errorf("to %s, TLS %v: %v after %q, want a login %v", test.address, test.security, err, s.Received(0), test.sent)
		}
		if refused := errors.Is(err, wire.ErrCleartext); refused == test.sent || refused && !strings.Contains(access.Hint(err), "nntps://") {
			t.Errorf("to %s, TLS %v: %v, hint %q", test.address, test.security, err, access.Hint(err))
		}
	}
}

// An addressedConn reports a remote address.
type addressedConn struct {
	net.Conn
	address string
}

func (f addressedConn) RemoteAddr() net.Addr { return f }
func (f addressedConn) Network() string      { return "tcp" }
func (f addressedConn) String() string       { return f.address }

// The user, and the password, may be known before the server requires a login.
func TestLoginIsKnown(t *testing.T) {
	server := modern.with(answers{
		"ARTICLE": "480 who\r\n", "AUTHINFO USER ada": "381 and\r\n", "AUTHINFO PASS sesame": "502 known\r\n", "AUTHINFO PASS asked": "502 prompt\r\n",
	})
	for _, test := range []struct {
		user string // of the Client
		give access.Credentials
		err  error
		want string
	}{
		{"", access.Credentials{User: "ada", Password: "sesame"}, nil, "502 known"},
		{"ada", access.Credentials{Password: "sesame"}, nil, "502 known"},
		{"ada", access.Credentials{User: "ada", Password: "asked"}, nil, "502 prompt"},
		{"", access.Credentials{}, nil, "480 who"},
		{"", access.Credentials{User: "ada"}, errors.New("everybody may read it"), "everybody may read it"},
	} {
		c := newClient(accesstest.ServeAll(t, server.script()))
		c.User, c.Security = test.user, access.NeverTLS
		ask := func(_ context.Context, ch access.Challenge) (access.Credentials, error) {
			if ch.Host != "own.example" || ch.User != test.user || ch.Optional != (test.user == "") {
				t.Errorf("Login is called with %+v, want the user %q", ch, test.user)
			}
			return test.give, test.err
		}
		_, err := c.Do(t.Context(), &access.Request{URL: url.MustParse("news:a@b"), Login: ask})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("with the login %+v: %v, want %s", test.give, err, test.want)
		}
	}
}
