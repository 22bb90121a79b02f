package gemini_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/certtest"
	"locus/proto"
	"locus/proto/gemini"
	"locus/proto/internal/wire"
	"locus/proto/internal/wire/wiretest"
	"locus/proto/pin"
	"locus/url"
)

// A server answers requests over TLS on pipes.
type server struct {
	config *tls.Config
	answer func(request string) (reply string, end ending)
}

// An ending says what the server does after its reply.
type ending int

const (
	closes ending = iota
	breaks        // it closes the connection without close_notify
	stalls        // it keeps the connection open
)

func (s server) Dial(context.Context, string, string) (net.Conn, error) {
	client, conn := net.Pipe()
	go s.serve(conn)
	return client, nil
}

func (s server) serve(conn net.Conn) {
	defer conn.Close()
	secure := tls.Server(conn, s.config)
	line, err := bufio.NewReader(secure).ReadString('\n')
	if err != nil {
		return
	}
	reply, end := s.answer(strings.TrimSuffix(line, "\r\n"))
	io.WriteString(secure, reply)
	switch end {
	case closes:
		secure.CloseWrite()
	case stalls:
		_, _ = conn.Read(make([]byte, 1)) // until the client closes
	}
}

// newServer returns a server with a new certificate.
func newServer(t testing.TB, answer func(string) (string, ending)) server {
	config, _ := certtest.Configs(t, "h")
	return server{config, answer}
}

// say returns the answer that sends a reply to every request.
func say(reply string) func(string) (string, ending) {
	return func(string) (string, ending) { return reply, closes }
}

func newEngine(dial proto.Dial) access.Engine {
	return gemini.Client{Dial: dial, Pins: new(pin.Pins)}
}

func do(t *testing.T, c gemini.Client, req *access.Request) (content string, r *access.Resource, err error) {
	t.Helper()
	if r, err = c.Do(t.Context(), req); err != nil {
		return "", nil, err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return string(b), r, err
}

func TestSuite(t *testing.T) {
	s := newServer(t, func(request string) (string, ending) {
		switch request {
		case "gemini://h/object":
			return "20 text/plain\r\nhello, world", closes
		case "gemini://h/truncated":
			return "20 text/plain\r\nhello", breaks
		case "gemini://h/stalled":
			return "20 text/plain\r\nhello", stalls
		}
		return "51 no such page\r\n", closes
	})
	accesstest.Test(t, accesstest.Config{
		Ops:       []access.Op{access.Stat, access.Ask},
		New:       newEngine,
		Dial:      s.Dial,
		Object:    url.MustParse("gemini://h/object"),
		Content:   "hello, world",
		Missing:   url.MustParse("gemini://h/missing"),
		Truncated: url.MustParse("gemini://h/truncated"),
		Stalled:   url.MustParse("gemini://h/stalled"),
		Hostile:   []url.URL{url.MustParse("gemini://h/" + strings.Repeat("x", 1100))},
		Secret:    url.MustParse("gemini://u:sesame@h/"),
		NoOffset:  true,
	})
}

// The request is the URL without its fragment, with the default port left out as the user wrote it.
func TestRequest(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"gemini://h", "gemini://h/"},
		{"gemini://h/a%2Fb?c+d#f", "gemini://h/a%2Fb?c%2Bd"},
		{"gemini://h:1965/", "gemini://h:1965/"},
		{"gemini://h/%0D%0Ax", "gemini://h/%0D%0Ax"},
	} {
		var got string
		s := newServer(t, func(request string) (string, ending) { got = request; return "20 text/plain\r\n", closes })
		_, _, err := do(t, gemini.Client{Dial: s.Dial, Pins: new(pin.Pins)}, &access.Request{URL: url.MustParse(test.url)})
		if got != test.want || err != nil {
			t.Errorf("Do(%q) sends %q, %v, want %q", test.url, got, err, test.want)
		}
	}
}

func TestStatus(t *testing.T) {
	for _, test := range []struct {
		reply, wantType string
		want            error
		retry           time.Duration
	}{
		{reply: "20 text/plain; charset=utf-8\r\nx", wantType: "text/plain; charset=utf-8"},
		{reply: "20 \r\nx", wantType: "text/gemini;charset=utf-8"},
		{reply: "20\r\nx", wantType: "text/gemini;charset=utf-8"},
		{reply: "10 Your name\r\n", want: access.ErrForm},
		{reply: "11 Your password\r\n", want: access.ErrForm},
		{reply: "40 busy\r\n", want: access.ErrTemporary},
		{reply: "44 7\r\n", want: access.ErrTemporary, retry: 7 * time.Second},
		{reply: "44 99999999999999999999\r\n", want: access.ErrTemporary},
		{reply: "50 broken\r\n", want: nil},
		{reply: "51 no\r\n", want: fs.ErrNotExist},
		{reply: "52 gone\r\n", want: fs.ErrNotExist},
		{reply: "60 a certificate\r\n", want: fs.ErrPermission},
		{reply: "30 https://h/\r\n", want: access.ErrRedirect},
		{reply: "30 //[\r\n", want: access.ErrProtocol},
		{reply: "70 x\r\n", want: access.ErrProtocol},
		{reply: "HTTP/1.1 200 OK\r\n", want: access.ErrProtocol},
		{reply: "20", want: io.ErrUnexpectedEOF},
		{reply: "", want: io.ErrUnexpectedEOF},
		{reply: "20 " + strings.Repeat("x", 2000) + "\r\n", want: access.ErrTooLong},
		{reply: "51 " + strings.Repeat("x", 1024) + "\r\n", want: fs.ErrNotExist},
		{reply: "51 " + strings.Repeat("x", 1025) + "\r\n", want: access.ErrTooLong},
		{reply: strings.Repeat("2", 1<<20), want: access.ErrTooLong},
	} {
		s := newServer(t, say(test.reply))
		got, r, err := do(t, gemini.Client{Dial: s.Dial, Pins: new(pin.Pins)}, &access.Request{URL: url.MustParse("gemini://h/")})
		if test.wantType != "" {
			if err != nil || got != "x" || r.Type != test.wantType {
				t.Errorf("the reply %q gives %q, %v, want the type %q", test.reply, got, err, test.wantType)
			}
			continue
		}
		failed, _ := errors.AsType[*access.Error](err)
		if err == nil || test.want != nil && !errors.Is(err, test.want) || failed == nil || failed.RetryAfter != test.retry {
			t.Errorf("the reply %.60q gives %v, want %v after %v", test.reply, err, test.want, test.retry)
		}
	}
}

// An error of 6x says what to do, which depends on the status.
func TestCertificateRemedy(t *testing.T) {
	remedies := map[string]string{}
	for _, reply := range []string{"60 x\r\n", "61 x\r\n", "62 x\r\n", "69 x\r\n"} {
		s := newServer(t, say(reply))
		_, _, err := do(t, gemini.Client{Dial: s.Dial, Pins: new(pin.Pins)}, &access.Request{URL: url.MustParse("gemini://h/")})
		remedy := access.RemedyFor(err)
		if remedy == nil || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("the reply %q gives %v without a remedy", reply, err)
			continue
		}
		remedies[remedy.String()] = reply
	}
	if len(remedies) != 3 || remedies[access.NeedCertificate.String()] != "69 x\r\n" {
		t.Errorf("the remedies are %q, want one for 60 and 69, and one for each of 61 and 62", remedies)
	}
}

func TestRedirect(t *testing.T) {
	for _, test := range []struct {
		reply, want string
		permanent   bool
	}{
		{"30 /b?x\r\n", "gemini://h/b?x", false},
		{"31 gemini://other:7/c\r\n", "gemini://other:7/c", true},
		{"30 b\r\n", "gemini://h/a/b", false},
	} {
		s := newServer(t, say(test.reply))
		_, _, err := do(t, gemini.Client{Dial: s.Dial, Pins: new(pin.Pins)}, &access.Request{URL: url.MustParse("gemini://h/a/")})
		moved, ok := errors.AsType[*access.Moved](err)
		if !ok || moved.To.String() != test.want || moved.Permanent != test.permanent {
			t.Errorf("the reply %q gives %v, want a move to %s", test.reply, err, test.want)
		}
	}
}

// A form has one question. The answer is the query of the request.
func TestForm(t *testing.T) {
	s := newServer(t, func(request string) (string, ending) {
		switch request {
		case "gemini://h/search":
			return "10 Words to look for\r\n", closes
		case "gemini://h/login":
			return "11 Password\r\n", closes
		case "gemini://h/search?green%20&%20%2B":
			return "20 text/plain\r\nfound", closes
		}
		return "20 text/plain\r\nno form", closes
	})
	c := gemini.Client{Dial: s.Dial, Pins: new(pin.Pins)}
	for _, test := range []struct {
		url, prompt string
		kind        access.QuestionKind
	}{
		{"gemini://h/search", "Words to look for", access.AskLine},
		{"gemini://h/login", "Password", access.AskPassword},
	} {
		r, err := c.Do(t.Context(), &access.Request{Op: access.Ask, URL: url.MustParse(test.url)})
		if err != nil || len(r.Questions.Items) != 1 || r.Questions.Items[0].Prompt != test.prompt || r.Questions.Items[0].Kind != test.kind {
			t.Errorf("Ask(%q) = %+v, %v, want the question %q", test.url, r, err, test.prompt)
		}
	}
	if _, err := c.Do(t.Context(), &access.Request{Op: access.Ask, URL: url.MustParse("gemini://h/x")}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Ask of a page = %v, want errors.ErrUnsupported", err)
	}
	got, r, err := do(t, c, &access.Request{URL: url.MustParse("gemini://h/search"), Answers: []access.Answer{{Text: "green & +"}}})
	if got != "found" || err != nil || r.URL.String() != "gemini://h/search" {
		t.Errorf("the answer gets %q, %v at %v, want the result", got, err, r)
	}
	for _, answers := range [][]access.Answer{{}, {{Text: "a"}, {Text: "b"}}, {{File: strings.NewReader("x")}}} {
		if _, _, err := do(t, c, &access.Request{URL: url.MustParse("gemini://h/search"), Answers: answers}); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%d answers give %v, want errors.ErrUnsupported", len(answers), err)
		}
	}
}

// A changed certificate is refused before the request is sent.
func TestPins(t *testing.T) {
	requests := 0
	answer := func(string) (string, ending) { requests++; return "20 text/plain\r\nx", closes }
	pins := new(pin.Pins)
	first, second := newServer(t, answer), newServer(t, answer)
	for _, test := range []struct {
		name string
		s    server
		url  string
		want bool
	}{
		{"the first connection", first, "gemini://h/", true},
		{"the same certificate", first, "gemini://H:1965/", true},
		{"another certificate", second, "gemini://h/", false},
		{"another port", second, "gemini://h:7/", true},
	} {
		before := requests
		_, _, err := do(t, gemini.Client{Dial: test.s.Dial, Pins: pins}, &access.Request{URL: url.MustParse(test.url)})
		changed, isChanged := errors.AsType[*pin.ChangedError](err)
		if (err == nil) != test.want || isChanged == test.want || (requests > before) != test.want {
			t.Errorf("%s: %v after %d requests, want success: %v", test.name, err, requests-before, test.want)
		}
		if isChanged && (changed.Pinned.Fingerprint == changed.Seen.Fingerprint || !strings.Contains(err.Error(), changed.Pinned.Fingerprint) || !errors.Is(err, fs.ErrPermission)) {
			t.Errorf("%s: the error %v does not name both fingerprints", test.name, err)
		}
	}
	if _, _, err := do(t, gemini.Client{Dial: first.Dial}, &access.Request{URL: url.MustParse("gemini://h/")}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a Client without Pins gives %v, want errors.ErrUnsupported", err)
	}
}

// The client certificate is sent only for the URLs that it is for.
func TestCertificate(t *testing.T) {
	var sent int
	config, _ := certtest.Configs(t, "h")
	config.ClientAuth = tls.RequestClientCert
	config.VerifyConnection = func(state tls.ConnectionState) error { sent = len(state.PeerCertificates); return nil }
	own, _ := certtest.Configs(t, "me")
	s := server{config, say("20 text/plain\r\n")}
	c := gemini.Client{Dial: s.Dial, Pins: new(pin.Pins), Certificate: func(u url.URL) *tls.Certificate {
		if u.Path() == "/mine" {
			return &own.Certificates[0]
		}
		return nil
	}}
	for _, test := range []struct {
		url  string
		want int
	}{{"gemini://h/mine", 1}, {"gemini://h/other", 0}} {
		if _, _, err := do(t, c, &access.Request{URL: url.MustParse(test.url)}); sent != test.want || err != nil {
			t.Errorf("Do(%q) sends %d certificates, %v, want %d", test.url, sent, err, test.want)
		}
	}
}

func TestConnection(t *testing.T) {
	wiretest.Test(t, wiretest.Engine{HasTLS: true, Open: func(ctx context.Context, d wire.Dialer) error {
		_, err := gemini.Client{Dial: d.Dial, Pins: new(pin.Pins), Idle: d.Idle}.Do(ctx, &access.Request{URL: url.MustParse("gemini://h/")})
		return err
	}})
}

// Any answer gives a resource or an error, and a resource never has more bytes than the answer.
func FuzzAnswer(f *testing.F) {
	for _, reply := range []string{"20 text/gemini\r\n# Tea\r\n", "10 Words\r\n", "31 gemini://h/x\r\n", "44 5\r\n", "62 old\r\n", "2", "20\n"} {
		f.Add(reply)
	}
	config, _ := certtest.Configs(f, "h")
	f.Fuzz(func(t *testing.T, reply string) {
		c := gemini.Client{Dial: server{config, say(reply)}.Dial, Pins: new(pin.Pins)}
		got, r, err := do(t, c, &access.Request{URL: url.MustParse("gemini://h/")})
		if err == nil && (len(got) > len(reply) || r.Type == "") {
			t.Errorf("the answer %q gives %q of type %q", reply, got, r.Type)
		}
	})
}

// A server may answer, and close the connection, before it has read the request. The answer then counts, unless it says
// that the server has changed the page.
func TestAnsweredBeforeRequest(t *testing.T) {
	config, _ := certtest.Configs(t, "h")
	for _, test := range []struct {
		op     access.Op
		url    string
		answer string
		want   string // the end of the error
	}{
		{access.Get, "gemini://h/", "44 7\r\n", "44 7: the server cannot do it now"},
		{access.Get, "gemini://h/", "", "unexpected EOF"},
		{access.Ask, "gemini://h/", "53 no proxy\r\n", "53 no proxy: the server refuses"},
		{access.Delete, "titan://h/", "50 full\r\n", "50 full: the server refuses"},
		{access.Delete, "titan://h/", "20 text/plain\r\n", "connection reset by peer"},
	} {
		s := server{config, nil}
		dial := func(context.Context, string, string) (net.Conn, error) {
			client, conn := net.Pipe()
			go func() {
				defer conn.Close()
				secure := tls.Server(conn, s.config)
				_ = secure.Handshake()
				io.WriteString(secure, test.answer)
			}()
			return &deafConn{Conn: client}, nil
		}
		_, err := newEngine(dial).Do(t.Context(), &access.Request{Op: test.op, URL: url.MustParse(test.url)})
		if err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%v of %s answered %q too early = %v, want %q", test.op, test.url, test.answer, err, test.want)
		}
	}
}

// A deafConn is a connection that breaks at the first Write after the handshake. Read still works.
type deafConn struct {
	net.Conn
	writes int
}

// Write sends the two messages of the client in a handshake of TLS 1.3.
func (c *deafConn) Write(p []byte) (int, error) {
	if c.writes++; c.writes > 2 {
		return 0, syscall.ECONNRESET
	}
	return c.Conn.Write(p)
}
