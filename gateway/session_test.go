package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"locus/access"
	"locus/access/engine"
	"locus/gateway"
	"locus/terminal"
	"locus/url"
)

// A fake is a session whose other end is the test.
type fake struct {
	mu     sync.Mutex
	screen terminal.Screen
	typed  strings.Builder
	size   string
	lines  bool

	reads  chan error // the result of each Read
	closed chan struct{}
	close  sync.Once
}

func newFake() *fake {
	return &fake{screen: screenOf("ready"), reads: make(chan error, 8), closed: make(chan struct{})}
}

func screenOf(lines ...string) terminal.Screen {
	s := terminal.Screen{Lines: lines}
	for _, l := range lines {
		row := make([]terminal.Cell, 20)
		for i := range row {
			row[i].Text = " "
			if i < len(l) {
				row[i].Text = l[i : i+1]
			}
		}
		s.Cells = append(s.Cells, row)
	}
	return s
}

func (f *fake) show(s terminal.Screen) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.screen = s
}

func (f *fake) Read(p []byte) (int, error) {
	select {
	case err := <-f.reads:
		if errors.Is(err, errPanic) {
			panic(err)
		}
		return 0, err
	case <-f.closed:
		return 0, net.ErrClosed
	}
}

var errPanic = errors.New("a fault")

func (f *fake) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.typed.Write(p)
	f.screen = screenOf("typed " + fmt.Sprintf("%.10q", f.typed.String()))
	return len(p), nil
}

func (f *fake) Resize(columns, rows int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.size = fmt.Sprint(columns, "x", rows)
	f.screen = screenOf("size " + f.size)
	return nil
}

func (f *fake) Echoes() bool { f.mu.Lock(); defer f.mu.Unlock(); return !f.lines }

func (f *fake) Screen() terminal.Screen { f.mu.Lock(); defer f.mu.Unlock(); return f.screen }

func (f *fake) Close() error { f.close.Do(func() { close(f.closed) }); return nil }

// wait waits until the gateway has closed the session.
func (f *fake) wait(t *testing.T) {
	t.Helper()
	select {
	case <-f.closed:
	case <-time.After(time.Minute):
		t.Error("the session is not closed")
	}
}

func (f *fake) open(req *access.Request) (*access.Resource, error) {
	advice := access.LoginAdvice{User: url.Part{Text: "ada", Present: true}}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: f, Session: f, Login: advice}, nil
}

// A page has the frames that the script of a session's page has received.
type page struct {
	*websocket.Conn
	t      *testing.T
	rows   []string
	advice string
	keys   []string
	status string
	lines  bool
	end    string
	frames int
}

// openPage opens a session as the script of its page does.
func openPage(t *testing.T, server *httptest.Server, u string) *page {
	t.Helper()
	conn, resp, err := websocket.Dial(t.Context(), server.URL+"/-/session?url="+u, nil)
	if err != nil {
		t.Fatalf("no WebSocket: %v, %v", err, resp)
	}
	t.Cleanup(func() { conn.CloseNow() })
	conn.SetReadLimit(1 << 20)
	return &page{Conn: conn, t: t}
}

func (p *page) send(message string) {
	p.t.Helper()
	if err := p.Write(p.t.Context(), websocket.MessageText, []byte(message)); err != nil {
		p.t.Fatal(err)
	}
}

func (p *page) press(keys string) {
	p.t.Helper()
	text, _ := json.Marshal(map[string]string{"keys": keys})
	p.send(string(text))
}

// next receives a frame.
func (p *page) next() error {
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	_, text, err := p.Read(ctx)
	if err != nil {
		return err
	}
	p.frames++
	var f struct {
		Start *struct {
			Advice string
			Keys   []struct{ Name string }
		}
		Size []int
		Rows []struct {
			Row  int
			Runs []struct{ T string }
		}
		State *struct {
			Lines  bool
			Status string
		}
		End *struct{ Text string }
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return err
	}
	if f.Start != nil {
		p.advice = f.Start.Advice
		for _, k := range f.Start.Keys {
			p.keys = append(p.keys, k.Name)
		}
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
	if f.End != nil {
		p.end = f.End.Text
	}
	return nil
}

// await receives frames until the screen has text.
func (p *page) await(text string) {
	p.t.Helper()
	for !strings.Contains(p.screen(), text) {
		if err := p.next(); err != nil || p.end != "" {
			p.t.Fatalf("waiting for %q: %v, end %q; the screen is\n%s", text, err, p.end, p.screen())
		}
	}
}

// awaitEnd receives frames until the session has ended.
func (p *page) awaitEnd(text string) {
	p.t.Helper()
	for {
		if err := p.next(); err != nil {
			if status := websocket.CloseStatus(err); !strings.Contains(p.end, text) || p.end == "" || status != websocket.StatusNormalClosure {
				p.t.Errorf("the session ends with %q and %v, want %q", p.end, err, text)
			}
			return
		}
	}
}

func (p *page) screen() string { return strings.Join(p.rows, "\n") }

func gatewayFor(t *testing.T, g *gateway.Gateway) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	return server
}

const fakeURL = "telnet://h/"

func TestSession(t *testing.T) {
	f := newFake()
	p := openPage(t, gatewayFor(t, &gateway.Gateway{Engine: resources{fakeURL: f.open}}), fakeURL)
	p.await("ready")
	if want := `Log in as "ada".`; p.advice != want {
		t.Errorf("the advice is %q, want %q", p.advice, want)
	}
	p.send(`{"size":[100,40]}`)
	p.await("size 100x40")
	p.send(`{"size":[1000000,-4]}`)
	p.await("size 400x1")
	p.press("x\r\x1b[Aé")
	p.await(`typed "x\r\x1b[A`)
	if got := f.typed.String(); got != "x\r\x1b[Aé" {
		t.Errorf("typed %q", got)
	}
	f.mu.Lock()
	f.lines = true
	f.mu.Unlock()
	f.show(screenOf("the last", "words"))
	f.reads <- nil
	p.await("the last\nwords")
	if !p.lines {
		t.Error("the page does not know that it is to send lines")
	}
	f.show(screenOf("bye"))
	f.reads <- io.EOF
	p.awaitEnd("the server ended the session")
	if p.screen() != "bye" {
		t.Errorf("the last screen is %q", p.screen())
	}
	f.wait(t)
}

// The server learns the size of the page when the session opens, before the first screen.
func TestSessionStartsWithSize(t *testing.T) {
	for query, want := range map[string]string{
		"&columns=46&rows=30": "46x30", "&columns=100000&rows=-1": "400x1", "": "", "&columns=46": "", "&columns=x&rows=y": "",
	} {
		f := newFake()
		p := openPage(t, gatewayFor(t, &gateway.Gateway{Engine: resources{fakeURL: f.open}}), fakeURL+query)
		if err := p.next(); err != nil { // the first frame: the session is open
			t.Fatalf("the first frame of a session with %q: %v", query, err)
		}
		f.mu.Lock()
		if f.size != want {
			t.Errorf("a page with %q has the size %q, want %q", query, f.size, want)
		}
		f.mu.Unlock()
	}
}

func TestSessionEnds(t *testing.T) {
	for _, test := range []struct {
		name  string
		g     *gateway.Gateway
		do    func(*fake, *page)
		want  string
		stays bool // the session was never opened
	}{
		{"idle", &gateway.Gateway{Sessions: gateway.Sessions{Idle: 20 * time.Millisecond}}, nil, "no key was pressed for too long", false},
		{"long", &gateway.Gateway{Sessions: gateway.Sessions{Total: 20 * time.Millisecond}}, nil, "reached its time limit", false},
		{"read fails", &gateway.Gateway{}, func(f *fake, _ *page) { f.reads <- errors.New("broken <off>") }, "broken <off>", false},
		{"read panics", &gateway.Gateway{}, func(f *fake, _ *page) { f.reads <- errPanic }, "because of a bug", false},
		{"no JSON", &gateway.Gateway{}, func(_ *fake, p *page) { p.send(`{"keys":7}`) }, "an invalid message", false},
		{"garbage", &gateway.Gateway{}, func(_ *fake, p *page) { p.send("\x00\xff{{") }, "an invalid message", false},
		{"binary", &gateway.Gateway{}, func(_ *fake, p *page) {
			p.Write(t.Context(), websocket.MessageBinary, []byte(`{"keys":"x"}`))
		}, "an invalid message", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake()
			test.g.Engine = resources{fakeURL: f.open}
			p := openPage(t, gatewayFor(t, test.g), fakeURL)
			if test.do != nil {
				p.await("ready")
				test.do(f, p)
			}
			p.awaitEnd(test.want)
			f.wait(t)
		})
	}
}

// If the screen is empty after some seconds, the status line says that the server has not sent a
// text, beside the status of the terminal.
func TestSessionSilent(t *testing.T) {
	f := newFake()
	f.show(screenOf(""))
	p := openPage(t, gatewayFor(t, &gateway.Gateway{Engine: resources{fakeURL: f.open}}), fakeURL)
	awaitStatus := func(want string) {
		t.Helper()
		for p.status != want {
			if err := p.next(); err != nil || p.end != "" {
				t.Fatalf("waiting for the status %q: %v, end %q; it is %q", want, err, p.end, p.status)
			}
		}
	}
	awaitStatus("the server has sent no text yet")
	empty := screenOf("")
	empty.Status = "X SYSTEM"
	f.show(empty)
	f.reads <- nil
	awaitStatus("X SYSTEM\nthe server has sent no text yet")
	f.show(screenOf("login:"))
	f.reads <- nil
	awaitStatus("")
	f.show(empty) // erased
	f.reads <- nil
	awaitStatus("X SYSTEM")
}

// If a session cannot be opened, the page says why.
func TestSessionRefused(t *testing.T) {
	stalls := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	open := doFunc(func(ctx context.Context, req *access.Request) (*access.Resource, error) {
		switch host, _ := req.URL.Host(); host {
		case "stalls":
			return nil, stalls(ctx)
		case "text":
			return content("text/plain", "no session")(req)
		case "panics":
			panic("a fault")
		case "closed":
			return nil, engine.Fail("open", req.URL, &net.OpError{Op: "dial", Err: errors.New("connection refused")})
		}
		return nil, &access.Error{Op: "open", URL: req.URL, Err: errors.New("nobody there")}
	})
	g := &gateway.Gateway{Engine: open}
	server, impatient := gatewayFor(t, g), gatewayFor(t, &gateway.Gateway{Engine: open, Timeout: 20 * time.Millisecond})
	for u, want := range map[string]string{
		"telnet://u:secret@none/": "nobody there", "telnet://closed/": "closed does not accept connections. The server may be down, or may listen on another port.", "telnet://stalls/": "does not answer", "telnet://text/": "not name an interactive session", "telnet://panics/": "because of a bug",
	} {
		at := server
		if strings.Contains(u, "stalls") {
			at = impatient
		}
		p := openPage(t, at, u)
		p.awaitEnd(want)
		if strings.Contains(p.end, "secret") {
			t.Errorf("the page of %s shows the password at its end: %q", u, p.end)
		}
	}
	get := serve(t, g)
	for _, test := range []struct {
		path   string
		fields string
		status int
	}{
		{"/-/session?url=telnet://h/", "", 426},
		{"/-/session?url=ftp://h/", "", 404},
		{"/-/session?url=%zz", "", 404},
		{"/-/session?url=telnet://h/", "Upgrade: websocket\nOrigin: http://evil.example", 403},
		{"/-/session?url=telnet://h/", "Upgrade: websocket\nOrigin: null", 403},
		{"/-/session?url=telnet://h/", "Upgrade: websocket\nSec-Fetch-Site: cross-site\nSec-Fetch-Mode: websocket", 403},
		{"/-/session?url=telnet://h/", "Upgrade: websocket\nHost: evil.example", 421},
		{"/telnet://h/", "", 200},
	} {
		if resp, _, err := get("GET", test.path, strings.Split(test.fields, "\n")...); err != nil || resp.StatusCode != test.status {
			t.Errorf("GET %s (%s) = %d, %v, want %d", test.path, test.fields, resp.StatusCode, err, test.status)
		}
	}
}

// A doFunc is an Engine of every Op.
type doFunc func(context.Context, *access.Request) (*access.Resource, error)

func (do doFunc) Do(ctx context.Context, req *access.Request) (*access.Resource, error) {
	return do(ctx, req)
}

// A message that is too large ends the session before it is read.
func TestSessionHugeMessage(t *testing.T) {
	f := newFake()
	p := openPage(t, gatewayFor(t, &gateway.Gateway{Engine: resources{fakeURL: f.open}}), fakeURL)
	p.await("ready")
	p.Write(t.Context(), websocket.MessageText, []byte(`{"keys":"`+strings.Repeat("x", 1<<20)+`"}`))
	for p.next() == nil {
	}
	f.wait(t)
	if f.typed.Len() > 0 {
		t.Error("the message was typed")
	}
}

// A client has at most PerClient sessions at once, and all clients together have at most Max.
func TestSessionsAtOnce(t *testing.T) {
	// attack: A client opens very many sessions, also from many networks | the page of one too many says so; a client
	// has at most 8, and all clients have at most 1024
	for _, test := range []struct {
		sessions gateway.Sessions
		end      string
	}{
		{gateway.Sessions{PerClient: 1}, "you have too many sessions at once"},
		{gateway.Sessions{Max: 1}, "the gateway is busy"},
		{gateway.Sessions{Max: 1, PerClient: 1}, "the gateway is busy"},
	} {
		t.Run(test.end, func(t *testing.T) {
			f := newFake()
			server := gatewayFor(t, &gateway.Gateway{Engine: resources{fakeURL: f.open, "telnet://g/": newFake().open}, Sessions: test.sessions})
			first := openPage(t, server, fakeURL)
			first.await("ready")
			openPage(t, server, "telnet://g/").awaitEnd(test.end)
			first.CloseNow()
			f.wait(t)
			for { // a moment later there is room again
				p := openPage(t, server, "telnet://g/")
				if err := p.next(); err == nil && p.end == "" {
					p.await("ready")
					return
				}
			}
		})
	}
}

// When the gateway stops, sessions end and say so.
func TestSessionStop(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	f := newFake()
	server := httptest.NewUnstartedServer(&gateway.Gateway{Engine: resources{fakeURL: f.open}})
	server.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	server.Start()
	defer server.Close()
	p := openPage(t, server, fakeURL)
	p.await("ready")
	stop()
	p.awaitEnd("the gateway is stopping")
	f.wait(t)
}

// A server that never stops sending fills neither memory nor the connection: the page
// gets only the latest screen, and a slow page slows the server down.
func TestSessionFlood(t *testing.T) {
	f := &flood{fake: newFake()}
	p := openPage(t, gatewayFor(t, &gateway.Gateway{Engine: resources{fakeURL: f.open}}), fakeURL)
	for p.frames < 8 {
		if err := p.next(); err != nil {
			t.Fatal(err)
		}
	}
	f.mu.Lock()
	ahead := f.ahead
	f.mu.Unlock()
	if most := 256 << 10; ahead > most {
		t.Errorf("%d bytes were read for one look at the screen, want at most %d", ahead, most)
	}
	// A page that does not read stops the server.
	p.CloseNow()
	f.wait(t)
}

// A flood is a session that is never silent.
type flood struct {
	*fake
	reads int // bytes
	looks int // at the screen
	ahead int // the most bytes for each look so far and the next
}

func (f *flood) open(req *access.Request) (*access.Resource, error) {
	return &access.Resource{Entry: access.Entry{URL: req.URL, Size: -1}, Body: f, Session: f}, nil
}

func (f *flood) Read(p []byte) (int, error) {
	select {
	case <-f.closed:
		return 0, net.ErrClosed
	default:
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads += len(p)
	f.ahead = max(f.ahead, f.reads/(f.looks+1))
	f.screen = screenOf(fmt.Sprint(f.reads))
	return len(p), nil
}

func (f *flood) Screen() terminal.Screen {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looks++
	return f.screen
}

// req: 1738-3.8-1
func TestSessionPage(t *testing.T) {
	_, body, err := serve(t, &gateway.Gateway{})("GET", "/telnet://ada:sesame@h:2323/'x")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`src="/-/terminal.js"`, `data-session="telnet://ada:sesame@h:2323/&#39;x"`, `href="/-/terminal.css"`, "<noscript>", `href="telnet://ada:sesame@h:2323/&#39;x"`,
		`<code>locus open &#39;telnet://ada@h:2323/&#39;\&#39;&#39;x&#39;</code>`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s:\n%s", want, body)
		}
	}
	get := serve(t, &gateway.Gateway{})
	for path, mediaType := range map[string]string{"/-/terminal.js": "text/javascript; charset=utf-8", "/-/terminal.css": "text/css; charset=utf-8"} {
		resp, body, _ := get("GET", path)
		if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != mediaType || body == "" {
			t.Errorf("GET %s = %d, %s", path, resp.StatusCode, resp.Header.Get("Content-Type"))
		}
	}
	if _, script, _ := get("GET", "/-/terminal.js"); strings.Contains(script, "innerHTML") || strings.Contains(script, "eval(") {
		t.Error("the script makes markup of text")
	}
}
