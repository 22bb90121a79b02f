package rlogin_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/vectors"
	"locus/proto"
	"locus/proto/rlogin"
	"locus/url"
)

var (
	home  = url.MustParse("rlogin://rltest:sesame@h/")
	hello = "\x00me\x00rltest\x00vt100/38400\x00"
)

var refused = []string{
	"rlogin://u%00root@h/", "rlogin://u%0D@h/", "rlogin://u%0A@h/", "rlogin://u:%00@h/", "rlogin://u:p%0Ax@h/",
	"rlogin://u@h%00/", "rlogin://h/x", "rlogin://h:0/", "rlogin:h",
}

func engine(dial proto.Dial) access.Engine { return rlogin.Client{Dial: dial, LocalUser: "me"} }

// req: 1738-6-2
func TestSuite(t *testing.T) {
	hostile := make([]url.URL, len(refused))
	for i, text := range refused {
		hostile[i] = url.MustParse(text)
	}
	accesstest.Test(t, accesstest.Config{
		New:      engine,
		Dial:     accesstest.ServeAll(t, accesstest.Script{accesstest.Expect(hello), accesstest.Send("\x00Hello, \x80world\xff\r\n")}).Dial,
		Object:   url.MustParse("rlogin://rltest@h/"),
		Content:  "Hello, world\xff\r\n",
		Hostile:  hostile,
		NoOffset: true,
	})
	accesstest.Test(t, accesstest.Config{
		New:     engine,
		Dial:    accesstest.ServeAll(t, accesstest.Script{accesstest.Send("\x00$ "), accesstest.Stall()}).Dial,
		Stalled: url.MustParse("rlogin://rltest@h/"),
	})
	accesstest.Test(t, accesstest.Config{
		New:       engine,
		Dial:      accesstest.ServeAll(t, accesstest.Script{accesstest.Expect(hello)}).Dial,
		Truncated: url.MustParse("rlogin://rltest@h/"),
		Secret:    home,
	})
}

// The client sends the user names, but never the password.
//
// req: 1630-inter-1, 1738-3.8-2
func TestHello(t *testing.T) {
	for _, test := range []struct {
		url    string
		client rlogin.Client
		want   string
	}{
		{"rlogin://rltest:sesame@h/", rlogin.Client{LocalUser: "me"}, hello},
		{"rlogin://rltest@h", rlogin.Client{}, "\x00rltest\x00rltest\x00vt100/38400\x00"},
		{"rlogin://h:513/", rlogin.Client{LocalUser: "me", Terminal: "xterm"}, "\x00me\x00me\x00xterm/38400\x00"},
	} {
		server := accesstest.Serve(t, accesstest.Script{accesstest.Expect(test.want), accesstest.Send("\x00")})
		test.client.Dial = server.Dial
		u := url.MustParse(test.url)
		r, err := test.client.Do(t.Context(), &access.Request{URL: u})
		if err != nil {
			t.Errorf("Open(%q) = %v", test.url, err)
			continue
		}
		if login := r.Login; login.User.Present != strings.Contains(test.url, "@") {
			t.Errorf("Open(%q) gives the login %v", test.url, r.Login)
		}
		r.Body.Close()
		server.Wait()
		if got := server.Received(0); got != test.want || !slices.Equal(server.Dialed(), []string{"h:513"}) {
			t.Errorf("Open(%q) dials %q and sends %q, want h:513, %q", test.url, server.Dialed(), got, test.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, test := range []struct {
		url    string
		client rlogin.Client
		want   error
		hint   string
	}{
		{"rlogin://h/", rlogin.Client{}, fs.ErrPermission, "add the user to the URL, as in rlogin://user@host"},
		{"rlogin://u@h/", rlogin.Client{LocalUser: "a\x00b"}, nil, ""},
		{"rlogin://u@h/", rlogin.Client{Terminal: "a\x00b"}, nil, ""},
		{"telnet://u@h/", rlogin.Client{}, errors.ErrUnsupported, ""},
	} {
		test.client.Dial = accesstest.Serve(t).Dial
		_, err := test.client.Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		if _, ok := errors.AsType[*access.Error](err); !ok || test.want != nil && !errors.Is(err, test.want) || access.Hint(err) != test.hint {
			t.Errorf("Open(%q) = %v, hint %q, want %v, %q", test.url, err, access.Hint(err), test.want, test.hint)
		}
	}
}

// A server refuses with a message or without one.
func TestNoConsent(t *testing.T) {
	for _, test := range []struct {
		answer string
		want   string
		hint   string
	}{
		{"\x01Permission denied.\r\n", `open rlogin://rltest:xxxxx@h/: Permission denied`, ""},
		{"SSH-2.0-x\r\n", `open rlogin://rltest:xxxxx@h/: SSH-2.0-x: permission denied`, ""},
		{"", "open rlogin://rltest:xxxxx@h/: the server closed the connection at once (the client port is above 1023)", "below"},
	} {
		c := rlogin.Client{Dial: accesstest.Serve(t, accesstest.Script{accesstest.Expect("\x00rl"), accesstest.Send(test.answer)}).Dial}
		_, err := c.Do(t.Context(), &access.Request{URL: home})
		if err == nil || err.Error() != test.want || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a server that sends %q gives %v, want %s", test.answer, err, test.want)
		}
		if hint := access.Hint(err); (hint != "") != (test.hint != "") {
			t.Errorf("a server that sends %q gives the hint %q", test.answer, hint)
		}
	}
}

// The client dials from a low port first. If that is forbidden, it uses Dial.
func TestDialLow(t *testing.T) {
	for _, test := range []struct {
		name string
		low  error
		want error
	}{
		{"forbidden", &net.OpError{Op: "dial", Err: fs.ErrPermission}, nil},
		{"down", io.ErrUnexpectedEOF, io.ErrUnexpectedEOF},
	} {
		server := accesstest.ServeAll(t, accesstest.Script{accesstest.Expect(hello), accesstest.Send("\x00")})
		c := rlogin.Client{
			Dial: server.Dial, LocalUser: "me",
			DialLow: func(context.Context, string, string) (net.Conn, error) { return nil, test.low },
		}
		r, err := c.Do(t.Context(), &access.Request{URL: home})
		if !errors.Is(err, test.want) {
			t.Errorf("%s: Open = %v, want %v", test.name, err, test.want)
		}
		if err == nil {
			r.Body.Close()
		}
	}
}

// The size is sent when the server requests it, and after every change. A byte 80 within a
// character is not a request.
func TestWindow(t *testing.T) {
	server := accesstest.Serve(t, accesstest.Script{
		accesstest.Send("\x00\u00c0\xe4\xb8\x80\xf0\x9f\x98\x80a\x80"), accesstest.Expect(hello),
		accesstest.Expect("\xff\xffss\x00\x28\x00\x64\x00\x00\x00\x00"),
		accesstest.Send("b"),
		accesstest.Expect("\xff\xffss\x00\x32\xff\xff\x00\x00\x00\x00"),
		accesstest.Expect("\r\xff"),
	})
	r, err := rlogin.Client{Dial: server.Dial, LocalUser: "me"}.Do(t.Context(), &access.Request{URL: home})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	s := r.Session
	if err := s.Resize(100, 40); err != nil { // not requested yet
		t.Error(err)
	}
	const want = "\u00c0\u4e00\U0001f600ab"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(r.Body, got); err != nil || string(got) != want {
		t.Errorf("Read = %q, %v, want %q", got, err, want)
	}
	if err := s.Resize(1<<20, 50); err != nil {
		t.Error(err)
	}
	if _, err := io.WriteString(s, "\r\xff"); err != nil {
		t.Error(err)
	}
	server.Wait()
	screen := s.Screen()
	if got := screen.Lines[0]; got != want || !s.Echoes() {
		t.Errorf("the screen is %q, want %q", got, want)
	}
}

// Captures of recorded servers are shown, and the client sends the recorded data.
func TestCaptures(t *testing.T) {
	for _, test := range []struct {
		file  string
		url   string
		local string
		shown string // "" if the server refuses
	}{
		{"rlogin-rhosts.jsonl", "rlogin://rltest@h", "me", "\nrltest\r\n"},
		{"rlogin-password.jsonl", "rlogin://rltest@h", "me", "\nrltest\r\n"},
		{"rlogin-priv.jsonl", "rlogin://guest@h", "localuser", "Authentication failure\n"},
		{"rlogin-unpriv.jsonl", "rlogin://guest@h", "localuser", ""},
	} {
		recorded := vectors.Read(t, "../protocols/other/captures/"+test.file)
		var script accesstest.Script
		for line := range strings.Lines(string(recorded)) {
			if strings.Contains(line, `"s2c`) {
				script = append(script, accesstest.Transcript(t, []byte(line))[0]...)
			}
		}
		server := accesstest.Serve(t, script)
		r, err := rlogin.Client{Dial: server.Dial, LocalUser: test.local}.Do(t.Context(), &access.Request{URL: url.MustParse(test.url)})
		if err != nil {
			if test.shown != "" {
				t.Errorf("%s: %v", test.file, err)
			}
			continue
		}
		got, err := io.ReadAll(r.Body)
		if err != nil || !strings.Contains(string(got), test.shown) || strings.Contains(string(got), "\x80") {
			t.Errorf("%s gives %q, %v, want %q", test.file, got, err, test.shown)
		}
		r.Body.Close()
		server.Wait()
		if !strings.HasPrefix(server.Received(0), "\x00"+test.local+"\x00") {
			t.Errorf("%s: the server was sent %q", test.file, server.Received(0))
		}
		const size = "\xff\xffss\x00\x18\x00\x50\x00\x00\x00\x00"
		if requests := strings.Count(string(recorded), "s2c-oob"); strings.Count(server.Received(0), size) != requests {
			t.Errorf("%s: the server was sent %q, want the size %d times", test.file, server.Received(0), requests)
		}
	}
}

func FuzzServer(f *testing.F) {
	accesstest.Fuzz(f, engine, home,
		[2]string{"\x00$ \x80\x80"}, [2]string{"\x01no\n"}, [2]string{"\x00\xe4\x80\x80\x80\x1b[2J"},
	)
}
