package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
)

func start(t *testing.T, cfg Config) *Demo {
	t.Helper()
	cfg.Listen, cfg.ListenPacket = net.Listen, net.ListenPacket
	d, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return d
}

// ask sends text to a server and gives all that comes back.
func ask(t *testing.T, addr, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestStartServesEveryScheme(t *testing.T) {
	d := start(t, Config{})
	if got := len(d.Services()); got != len(Schemes()) {
		t.Fatalf("%d services, want %d", got, len(Schemes()))
	}
	for _, test := range []struct{ scheme, request, want string }{
		{"http", "GET /etc/motd HTTP/1.0\r\n\r\n", "read the manual.\n"},
		{"http", "GET / HTTP/1.0\r\n\r\n", d.Service("ftp").URL},
		{"http", "GET / HTTP/1.0\r\n\r\n", d.Service("gopher").URL},
		{"ftp", "USER ftp\r\nPASS x\r\nMLST etc/motd\r\nQUIT\r\n", "size=63;modify=19941220093015;"},
		{"gopher", "/etc/motd\r\n", "read the manual.\r\n.\r\n"},
		{"gopher", "\r\n", "URL:" + d.Service("http").URL},
		{"news", "GROUP library.etc\r\nBODY 1\r\nQUIT\r\n", "read the manual.\r\n.\r\n"},
		{"gopher", "/search\twais score documents\r\n", "/texts/wais.txt"},
		{"cso", "query carl\r\nquit\r\n", "carl@demo.example"},
		{"imap", "a LOGIN reader x\r\nb EXAMINE INBOX\r\nc SEARCH SUBJECT lens\r\nd LOGOUT\r\n", "* SEARCH 1 2\r\n"},
	} {
		if got := ask(t, d.Service(test.scheme).Addr, test.request); !strings.Contains(got, test.want) {
			t.Errorf("%s: %q is answered %q, want %q in it", test.scheme, test.request, got, test.want)
		}
	}
	if got := d.Service("nothing"); got.Addr != "" {
		t.Errorf("Service(nothing) = %v, want none", got)
	}
}

func TestStartServesOtherFiles(t *testing.T) {
	d := start(t, Config{Files: fstest.MapFS{"x.txt": {Data: []byte("mine\n")}}})
	if got := ask(t, d.Service("gopher").Addr, "/x.txt\r\n"); got != "mine\r\n.\r\n" {
		t.Errorf("/x.txt = %q", got)
	}
	for _, s := range d.Services() {
		if s.Try != nil {
			t.Errorf("%s: %v is to be tried on files of the caller", s.Scheme, s.Try)
		}
	}
}

func TestLogNamesTheScheme(t *testing.T) {
	var mu sync.Mutex
	var logged []string
	d := start(t, Config{Log: func(scheme, line string) {
		mu.Lock()
		defer mu.Unlock()
		logged = append(logged, scheme+": "+line)
	}})
	ask(t, d.Service("gopher").Addr, "/nothing\r\n")
	ask(t, d.Service("http").Addr, "GET /x HTTP/1.0\r\n\r\n")
	ask(t, d.Service("ftp").Addr, "USER demo\r\nPASS demo\r\nQUIT\r\n")
	mu.Lock()
	defer mu.Unlock()
	want := []string{"gopher: /nothing", "http: GET /x", "ftp: USER demo", "ftp: PASS xxxxx", "ftp: QUIT"}
	if !slices.Equal(logged, want) {
		t.Errorf("log %q, want %q", logged, want)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	var listeners []net.Listener
	d, err := Start(t.Context(), Config{Listen: func(network, address string) (net.Listener, error) { // nothing over UDP
		l, err := net.Listen(network, address)
		listeners = append(listeners, l)
		return l, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	var open []net.Conn
	for _, s := range d.Services() {
		c, err := net.Dial("tcp", s.Addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		open = append(open, c)
	}
	resp, err := http.Get(d.Service("http").URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if err := d.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	for _, c := range open {
		if _, err := io.Copy(io.Discard, c); errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v is still open", c.RemoteAddr())
		}
	}
	for _, l := range listeners { // a port that is free again may be another's by now
		if err := l.(*net.TCPListener).SetDeadline(time.Time{}); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%v is still open", l.Addr())
		}
	}
	if err := d.Close(); err != nil {
		t.Errorf("the second Close = %v", err)
	}
}

func TestWaitEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d, err := Start(ctx, Config{Listen: net.Listen})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := d.Wait(); err != nil {
		t.Errorf("Wait = %v, want nil", err)
	}
}

func TestPorts(t *testing.T) {
	errTaken := errors.New("taken")
	for _, test := range []struct {
		name  string
		cfg   Config
		taken string
		want  []string // as asked for, in the order of Schemes
		fails bool
	}{
		{"any", Config{}, "", []string{"127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"}, false},
		{"usual", Config{Usual: true}, "", []string{"127.0.0.1:17380", "127.0.0.1:17021", "127.0.0.1:17070", "127.0.0.1:17119", "127.0.0.1:17210", "127.0.0.1:17211", "127.0.0.1:17049", "127.0.0.1:17022", "127.0.0.1:17965", "127.0.0.1:17525", "127.0.0.1:17079", "127.0.0.1:17628", "127.0.0.1:17105", "127.0.0.1:17143", "127.0.0.1:17270", "127.0.0.1:17023", "127.0.0.1:17513"}, false},
		{
			"usual, one taken",
			Config{Usual: true},
			"127.0.0.1:17021",
			[]string{"127.0.0.1:17380", "127.0.0.1:17021", "127.0.0.1:0", "127.0.0.1:17070", "127.0.0.1:17119", "127.0.0.1:17210", "127.0.0.1:17211", "127.0.0.1:17049", "127.0.0.1:17022", "127.0.0.1:17965", "127.0.0.1:17525", "127.0.0.1:17079", "127.0.0.1:17628", "127.0.0.1:17105", "127.0.0.1:17143", "127.0.0.1:17270", "127.0.0.1:17023", "127.0.0.1:17513"},
			false,
		},
		{"one chosen", Config{Usual: true, Ports: map[string]uint16{"ftp": 2121}}, "", []string{"127.0.0.1:17380", "127.0.0.1:2121", "127.0.0.1:17070", "127.0.0.1:17119", "127.0.0.1:17210", "127.0.0.1:17211", "127.0.0.1:17049", "127.0.0.1:17022", "127.0.0.1:17965", "127.0.0.1:17525", "127.0.0.1:17079", "127.0.0.1:17628", "127.0.0.1:17105", "127.0.0.1:17143", "127.0.0.1:17270", "127.0.0.1:17023", "127.0.0.1:17513"}, false},
		{"one chosen, taken", Config{Usual: true, Ports: map[string]uint16{"ftp": 2121}}, "127.0.0.1:2121", []string{"127.0.0.1:17380", "127.0.0.1:2121"}, true},
		{"host", Config{Host: "::1"}, "", []string{"[::1]:0", "[::1]:0", "[::1]:0", "[::1]:0", "[::1]:0", "[::1]:0", "[::1]:0", "[::1]:0", "[::1]:0", "[::1]:0", "[::1]:0", "[::1]:0", "[::1]:0", "[::1]:0", "[::1]:0", "[::1]:0", "[::1]:0"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var asked []string
			var opened []*fakeListener
			test.cfg.Listen = func(_, address string) (net.Listener, error) {
				asked = append(asked, address)
				if address == test.taken {
					return nil, errTaken
				}
				l := &fakeListener{closed: make(chan struct{})}
				opened = append(opened, l)
				return l, nil
			}
			test.cfg.ListenPacket = func(_, address string) (net.PacketConn, error) {
				asked = append(asked, address)
				return &fakePackets{closed: make(chan struct{})}, nil
			}
			d, err := Start(t.Context(), test.cfg)
			if test.fails {
				if !errors.Is(err, errTaken) {
					t.Errorf("Start: %v, want %v", err, errTaken)
				}
				for _, l := range opened {
					<-l.closed
				}
			} else if err != nil {
				t.Errorf("Start: %v", err)
			} else if err := d.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			if !slices.Equal(asked, test.want) {
				t.Errorf("listens at %q, want %q", asked, test.want)
			}
		})
	}
}

// A fakePackets never receives a datagram.
type fakePackets struct {
	net.PacketConn
	once   sync.Once
	closed chan struct{}
}

func (p *fakePackets) LocalAddr() net.Addr { return &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (p *fakePackets) ReadFrom([]byte) (int, net.Addr, error) {
	<-p.closed
	return 0, nil, net.ErrClosed
}

func (p *fakePackets) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// A fakeListener never accepts a connection.
type fakeListener struct {
	once   sync.Once
	closed chan struct{}
	err    error  // what Accept gives at once; nil: it waits for Close
	ip     net.IP // at which it listens; nil: every address
}

func (l *fakeListener) Accept() (net.Conn, error) {
	if l.err != nil {
		return nil, l.err
	}
	<-l.closed
	return nil, net.ErrClosed
}

func (l *fakeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *fakeListener) Addr() net.Addr {
	if l.ip != nil {
		return &net.TCPAddr{IP: l.ip, Port: 4000}
	}
	return &net.TCPAddr{IP: net.IPv4zero, Port: 4000}
}

func TestAFailedServerEndsAll(t *testing.T) {
	errBroken := errors.New("broken")
	n := 0
	d, err := Start(t.Context(), Config{Listen: func(string, string) (net.Listener, error) {
		l := &fakeListener{closed: make(chan struct{})}
		if n++; n == 2 {
			l.err = errBroken
		}
		return l, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Wait(); !errors.Is(err, errBroken) || !strings.HasPrefix(err.Error(), "serve ftp: ") {
		t.Errorf("Wait = %v, want that ftp is %v", err, errBroken)
	}
	if got, want := d.Service("ftp").URL, "ftp://127.0.0.1:4000/"; got != want {
		t.Errorf("listening everywhere gives %s, want %s", got, want)
	}
}

func TestStartNeedsListen(t *testing.T) {
	if _, err := Start(t.Context(), Config{}); err == nil {
		t.Error("Start without Listen = nil, want an error")
	}
}

func TestUsualPort(t *testing.T) {
	for _, test := range []struct {
		scheme string
		want   uint16
	}{{"http", 17380}, {"ftp", 17021}, {"gopher", 17070}, {"news", 17119}, {"tn3270", 17270}, {"telnet", 17023}, {"x", 0}} {
		if got := UsualPort(test.scheme); got != test.want {
			t.Errorf("UsualPort(%q) = %d, want %d", test.scheme, got, test.want)
		}
	}
}

func TestList(t *testing.T) {
	d := start(t, Config{})
	var b strings.Builder
	if err := d.List(&b, "127.0.0.1:1738"); err != nil {
		t.Fatal(err)
	}
	for _, s := range d.Services() {
		if !strings.Contains(b.String(), "\n  "+s.URL+"\n") {
			t.Errorf("List does not name %s", s.URL)
		}
		if len(s.Try) == 0 {
			t.Errorf("%s has nothing to try", s.Scheme)
		}
		for _, try := range s.Try {
			if !strings.Contains(b.String(), "\n  # "+try.About+"\n  "+try.String()+"\n") {
				t.Errorf("List does not say %s", try)
			}
		}
	}
}

// Help says in ten lines, which fit a terminal, what to open first.
func TestHelp(t *testing.T) {
	d := start(t, Config{})
	var b strings.Builder
	if err := d.Help(&b, "127.0.0.1:1738"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 10 || lines[2] != "  http://127.0.0.1:1738/" {
		t.Errorf("Help writes %q, want ten lines, the third with the URL of the gateway", lines)
	}
	for _, line := range lines {
		if len(line) > 80 {
			t.Errorf("Help writes a line of %d bytes: %q", len(line), line)
		}
	}
	for _, want := range []string{"Ctrl-C", "locus demo --list", "http://127.0.0.1:1738/" + d.Service("gopher").URL} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("Help does not have %q:\n%s", want, b.String())
		}
	}
}

func TestTryQuotesForTheShell(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"get", "http://h/a%20b"}, "locus get http://h/a%20b"},
		{[]string{"get", "ftp://h/a;type=i"}, "locus get 'ftp://h/a;type=i'"},
		{[]string{"get", "http://h/?q"}, "locus get 'http://h/?q'"},
		{[]string{"get", "it's", ""}, `locus get 'it'\''s' ''`},
	} {
		if got := (Try{Args: test.args}).String(); got != test.want {
			t.Errorf("%q is typed %s, want %s", test.args, got, test.want)
		}
	}
}

// UsualPorts names each scheme once, with its port.
func TestUsualPorts(t *testing.T) {
	text := UsualPorts()
	var fields []string
	for line := range strings.SplitSeq(text, ",\n") {
		ports := strings.Split(line, ", ")
		if len(ports) > 7 {
			t.Errorf("the line %q has %d ports, want at most 7", line, len(ports))
		}
		fields = append(fields, ports...)
	}
	var want []string
	for _, scheme := range Schemes() {
		want = append(want, fmt.Sprint(scheme, " ", UsualPort(scheme)))
	}
	if !slices.Equal(fields, want) {
		t.Errorf("UsualPorts() = %q, want %q", text, want)
	}
}

// The texts for people end with the error of their Writer.
func TestTextsFail(t *testing.T) {
	d := start(t, Config{})
	errFull := errors.New("the disk is full")
	for name, write := range map[string]func(io.Writer, string) error{"Help": d.Help, "List": d.List} {
		if err := write(fullWriter{errFull}, "127.0.0.1:1738"); !errors.Is(err, errFull) {
			t.Errorf("%s to a Writer that fails = %v, want %v", name, err, errFull)
		}
	}
}

// A fullWriter fails with err.
type fullWriter struct{ err error }

func (w fullWriter) Write([]byte) (int, error) { return 0, w.err }
