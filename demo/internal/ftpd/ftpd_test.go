package ftpd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"locus/demo/internal/serve"
)

var when = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func files() fstest.MapFS {
	old := time.Date(1994, time.December, 20, 9, 30, 15, 0, time.UTC)
	return fstest.MapFS{
		"a.txt":              {Data: []byte("one\ntwo\r\nthree\n"), ModTime: when},
		"b.bin":              {Data: []byte("0123456789\n"), ModTime: when},
		"sub/semi;colon.txt": {Data: []byte("x"), ModTime: when},
		"sub/two words":      {Data: []byte("y"), ModTime: when},
		`q"q/z`:              {Data: []byte("z"), ModTime: when},
		"etc/motd":           {Data: []byte("root\n"), ModTime: old},
		"home/demo/etc/motd": {Data: []byte("demo\n"), ModTime: old},
		"empty/.keep":        {ModTime: when},
		"big":                {Data: make([]byte, 32<<20), ModTime: when},
	}
}

// A log records the lines that a server logs.
type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

func (l *log) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// A client speaks FTP line by line.
type client struct {
	t    *testing.T
	conn net.Conn
	r    *bufio.Reader
	log  *log
}

// start returns a client of a server of files. The server ends with the test.
func start(t *testing.T) *client {
	t.Helper()
	return startServer(t, &Server{Files: files(), Listen: net.Listen})
}

// startServer starts s, whose Log and Now it sets, and returns a client. The server ends with the test.
func startServer(t *testing.T, s *Server) *client {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := &log{}
	s.Log, s.Now = log.add, func() time.Time { return when.Add(time.Hour) }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- serve.Run(ctx, l, 4, s.Serve) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	c := &client{t: t, conn: conn, r: bufio.NewReader(conn), log: log}
	c.expect("220 The locus demo: a little library, to be read only.")
	return c
}

// login returns a client of start that is logged in.
func login(t *testing.T, user, password string) *client {
	t.Helper()
	c := start(t)
	c.login(user, password)
	return c
}

func (c *client) login(user, password string) {
	c.t.Helper()
	c.do("USER "+user, "331 ")
	c.do("PASS "+password, "230-")
}

func (c *client) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, text); err != nil {
		c.t.Fatal(err)
	}
}

// expect reads a reply, checks that it begins with want, and returns it.
func (c *client) expect(want string) string {
	c.t.Helper()
	reply := c.reply()
	if !strings.HasPrefix(reply, want) {
		c.t.Fatalf("reply %q, want %q", reply, want)
	}
	return reply
}

// reply reads a reply, up to a line with the code of the first line and a space.
func (c *client) reply() string {
	c.t.Helper()
	var all strings.Builder
	for {
		line, err := c.r.ReadString('\n')
		if err != nil {
			c.t.Fatalf("reply %q ends with %v", all.String()+line, err)
		}
		all.WriteString(line)
		if len(line) > 3 && line[3] == ' ' && strings.HasPrefix(all.String(), line[:3]) {
			return strings.TrimSuffix(all.String(), "\r\n")
		}
	}
}

func (c *client) do(line, want string) string {
	c.t.Helper()
	c.send(line + "\r\n")
	return c.expect(want)
}

func (c *client) dialData() net.Conn {
	c.t.Helper()
	reply := c.do("EPSV", "229 ")
	var port int
	if _, err := fmt.Sscanf(reply[strings.Index(reply, "("):], "(|||%d|)", &port); err != nil {
		c.t.Fatalf("%q: %v", reply, err)
	}
	d, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { d.Close() })
	return d
}

// data sends a command and returns the data that the server sends over a data connection.
func (c *client) data(line string) string {
	c.t.Helper()
	d := c.dialData()
	c.do(line, "150 ")
	b, err := io.ReadAll(d)
	if err != nil {
		c.t.Fatal(err)
	}
	c.expect("226 ")
	return string(b)
}

func TestRepliesBeforeLogin(t *testing.T) {
	c := start(t)
	for _, test := range []struct{ line, want string }{
		{"NOOP", "200 "},
		{"noop", "200 "},
		{"SYST", "215 UNIX Type: L8"},
		{"PWD", "530 "},
		{"RETR a.txt", "530 "},
		{"EPSV", "530 "},
		{"PASS x", "503 "},
		{"USER", "501 "},
		{"XYZZY", "500 "},
		{"", "500 "},
		{"AUTH TLS", "502 "},
		{"USER nobody", "331 "},
		{"PASS nothing", "530 "},
		{"PASS nothing", "503 "},
		{"USER demo", "331 "},
		{"PASS wrong", "530 "},
		{"FEAT", "211-Features:\r\n EPSV\r\n MDTM\r\n MLST type*;size*;modify*;perm*;\r\n REST STREAM\r\n SIZE\r\n TVFS\r\n UTF8\r\n211 End"},
		{"OPTS UTF8 ON", "200 "},
		{"OPTS NONE", "501 "},
		{"QUIT", "221 "},
	} {
		c.do(test.line, test.want)
	}
	if _, err := c.r.ReadByte(); err != io.EOF {
		t.Errorf("after QUIT: %v, want EOF", err)
	}
}

func TestThreeWrongPasswordsAreEnough(t *testing.T) {
	c := start(t)
	for i := range mostTries {
		c.do("USER demo", "331 ")
		want := "530 "
		if i == mostTries-1 {
			want = "421 "
		}
		c.do("PASS wrong", want)
	}
	if _, err := c.r.ReadByte(); err != io.EOF {
		t.Errorf("after the last try: %v, want EOF", err)
	}
}

func TestReplies(t *testing.T) {
	c := login(t, "anonymous", "someone@example.org")
	for _, test := range []struct{ line, want string }{
		{"PWD", `257 "/" is the directory.`},
		{"CWD sub", "250 The directory is /sub."},
		{"CWD nowhere", "550 "},
		{"CWD ../a.txt", "550 "},
		{"CWD ../../../sub", "250 The directory is /sub."},
		{"CWD /home/demo", "250 The directory is /home/demo."},
		{"CDUP", "250 The directory is /home."},
		{"CWD ", "250 The directory is /."},
		{"CDUP", "250 The directory is /."},
		{`CWD q"q`, "250 "},
		{"PWD", `257 "/q""q" is the directory.`},
		{"CWD /", "250 "},
		{"TYPE I", "200 "},
		{"SIZE a.txt", "213 15"},
		{"TYPE A", "200 "},
		{"SIZE a.txt", "213 17"},
		{"SIZE sub", "550 "},
		{"SIZE none", "550 "},
		{"TYPE A N", "200 "},
		{"type l 8", "200 "},
		{"TYPE E", "504 "},
		{"TYPE", "501 "},
		{"MDTM etc/motd", "213 19941220093015"},
		{"MDTM sub", "550 "},
		{"MODE S", "200 "},
		{"MODE Z", "504 "},
		{"STRU f", "200 "},
		{"STRU R", "504 "},
		{"MLST /etc/motd", "250-The facts:\r\n type=file;size=5;modify=19941220093015;perm=r; /etc/motd\r\n250 End"},
		{"MLST", "250-The facts:\r\n type=dir;"},
		{"MLST none", "550 "},
		{"OPTS MLST size;nonsense;Type;", "200 MLST OPTS type;size;"},
		{"MLST /etc/motd", "250-The facts:\r\n type=file;size=5; /etc/motd\r\n250 End"},
		{"FEAT", "211-Features:\r\n EPSV\r\n MDTM\r\n MLST type*;size*;modify;perm;\r\n"},
		{"OPTS MLST", "200 MLST OPTS"},
		{"MLST /etc/motd", "250-The facts:\r\n  /etc/motd\r\n250 End"},
		{"REST x", "501 "},
		{"REST -1", "501 "},
		{"STAT", "211-"},
		{"STAT a.txt", "504 "},
		{"HELP", "214-These commands are known:\r\n ABOR CDUP CWD EPSV FEAT HELP LIST MDTM MLSD MLST MODE NLST NOOP OPTS PASS PASV PWD QUIT REST RETR SIZE STAT STRU SYST TYPE USER\r\n"},
		{"STOR x", "550 "},
		{"DELE a.txt", "550 "},
		{"PORT 127,0,0,1,4,1", "502 "},
		{"EPRT |1|127.0.0.1|1025|", "502 "},
		{"RETR a.txt", "425 "},
		{"RETR none", "550 "},
		{"RETR sub", "550 "},
		{"RETR", "501 "},
		{"RETR a\x00.txt", "501 "},
		{"RETR a\r.txt", "501 "},
		{"RETR \xff\xffinvalid", "550 "},
		{"LIST none", "550 "},
		{"MLSD a.txt", "501 "},
		{"PASS again", "503 "},
		{"ABOR", "226 "},
		{"\xff\xf4\xff\xf2ABOR", "226 "},
		{"\xff\xfb\x01NOOP", "200 "},
		{"EPSV 2", "522 Network protocol not supported, use (1)"},
		{"EPSV 1", "229 Entering Extended Passive Mode (|||"},
		{"PASV", "227 Entering Passive Mode (127,0,0,1,"},
		{"EPSV ALL", "200 "},
		{"PASV", "501 "},
	} {
		c.do(test.line, test.want)
	}
}

func TestRetr(t *testing.T) {
	c := login(t, "ftp", "")
	for _, test := range []struct {
		before []string
		line   string
		want   string
	}{
		{nil, "RETR a.txt", "one\r\ntwo\r\nthree\r\n"},
		{[]string{"REST 4"}, "RETR a.txt", "\ntwo\r\nthree\r\n"},
		{[]string{"TYPE I"}, "RETR a.txt", "one\ntwo\r\nthree\n"},
		{[]string{"REST 4"}, "RETR a.txt", "two\r\nthree\n"},
		{[]string{"REST 4", "NOOP"}, "RETR a.txt", "one\ntwo\r\nthree\n"},
		{[]string{"REST 15"}, "RETR a.txt", ""},
		{nil, "RETR sub/semi;colon.txt", "x"},
		{[]string{"CWD sub"}, "RETR two words", "y"},
		{nil, "RETR /etc/motd", "root\n"},
	} {
		for _, line := range test.before {
			if strings.HasPrefix(line, "REST") {
				continue
			}
			c.do(line, "2")
		}
		d := c.dialData()
		for _, line := range test.before {
			if strings.HasPrefix(line, "REST") || line == "NOOP" {
				c.do(line, "")
			}
		}
		c.do(test.line, "150 ")
		got, err := io.ReadAll(d)
		if err != nil || string(got) != test.want {
			t.Errorf("%q %q = %q, %v, want %q", test.before, test.line, got, err, test.want)
		}
		c.expect("226 ")
	}
	c.dialData()
	c.do("REST 16", "350 ")
	c.do("RETR /a.txt", "554 ")
}

// RFC 1738 §3.2.2: /etc/motd and /%2Fetc/motd are two files.
func TestTheUsersHomeIsNotTheRoot(t *testing.T) {
	c := login(t, "demo", "demo")
	for _, test := range []struct{ before, line, want string }{
		{"CWD etc", "RETR motd", "demo\r\n"},
		{"CWD ", "RETR etc/motd", "demo\r\n"},
		{"CWD /etc", "RETR motd", "root\r\n"},
	} {
		c.do(test.before, "250 ")
		if got := c.data(test.line); got != test.want {
			t.Errorf("%s, %s = %q, want %q", test.before, test.line, got, test.want)
		}
	}
}

func TestListings(t *testing.T) {
	c := login(t, "anonymous", "")
	for _, test := range []struct{ line, want string }{
		{"NLST sub", "sub/semi;colon.txt\r\nsub/two words\r\n"},
		{"NLST a.txt", "a.txt\r\n"},
		{"LIST sub", "-r--r--r--   1 demo     demo            1 Nov 20 12:00 semi;colon.txt\r\n-r--r--r--   1 demo     demo            1 Nov 20 12:00 two words\r\n"},
		{"LIST -la etc", "-r--r--r--   1 demo     demo            5 Dec 20  1994 motd\r\n"},
		{"LIST a.txt", "-r--r--r--   1 demo     demo           15 Nov 20 12:00 a.txt\r\n"},
		{"MLSD etc", "type=cdir;modify=00010101000000;perm=el; .\r\ntype=file;size=5;modify=19941220093015;perm=r; motd\r\n"},
	} {
		if got := c.data(test.line); got != test.want {
			t.Errorf("%s = %q, want %q", test.line, got, test.want)
		}
	}
	c.do("CWD sub", "250 ")
	if got, want := c.data("NLST"), "semi;colon.txt\r\ntwo words\r\n"; got != want {
		t.Errorf("NLST = %q, want %q", got, want)
	}
	if got, want := c.data("LIST ../home"), "dr-xr-xr-x   2 demo     demo            0 Jan  1  0001 demo\r\n"; got != want {
		t.Errorf("LIST ../home = %q, want %q", got, want)
	}
}

func TestAborEndsATransfer(t *testing.T) {
	c := login(t, "anonymous", "")
	c.do("TYPE I", "200 ")
	d := c.dialData()
	c.do("RETR big", "150 ")
	if _, err := io.ReadFull(d, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	c.send("NOOP\r\n\xff\xf4\xff\xf2ABOR\r\n")
	c.expect("426 ")
	c.expect("226 ")
	c.expect("200 ") // the reply to the NOOP that waited
	if n, _ := io.Copy(io.Discard, d); n+10 >= 32<<20 {
		t.Error("the whole file came in spite of ABOR")
	}
	if got := c.data("RETR a.txt"); got != "one\ntwo\r\nthree\n" {
		t.Errorf("after ABOR a.txt is %q", got)
	}
}

func TestAClosedDataConnectionIsReported(t *testing.T) {
	c := login(t, "anonymous", "")
	d := c.dialData()
	d.Close()
	c.do("RETR big", "150 ")
	c.expect("426 ")
	c.do("NOOP", "200 ")
}

func TestAClientThatLeavesEndsItsTransfer(t *testing.T) {
	c := login(t, "anonymous", "")
	d := c.dialData()
	c.do("RETR big", "150 ")
	c.conn.Close()
	if n, _ := io.Copy(io.Discard, d); n >= 32<<20 {
		t.Error("the whole file came after the client had left")
	}
}

func TestDataIsForThePeerOnly(t *testing.T) {
	c := login(t, "anonymous", "")
	reply := c.do("EPSV", "229 ")
	var port int
	if _, err := fmt.Sscanf(reply[strings.Index(reply, "("):], "(|||%d|)", &port); err != nil {
		t.Fatal(err)
	}
	stranger := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	s, err := stranger.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Skipf("this system has no second loopback address: %v", err)
	}
	defer s.Close()
	c.do("RETR a.txt", "150 ")
	if b, err := io.ReadAll(s); len(b) > 0 {
		t.Errorf("a stranger was sent %q, %v", b, err)
	}
	d, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if b, err := io.ReadAll(d); string(b) != "one\r\ntwo\r\nthree\r\n" {
		t.Errorf("the peer was sent %q, %v", b, err)
	}
	c.expect("226 ")
}

func TestTheLogHasNoPassword(t *testing.T) {
	c := start(t)
	c.do("USER demo", "331 ")
	c.do("pass demo", "230-")
	c.do("CWD ", "250 ")
	c.do(" PASS secret", "500 ")
	c.do("PASS\tsecret", "500 ")
	c.do("ACCT secret", "502 ")
	want := "USER demo\nPASS xxxxx\nCWD \nPASS xxxxx\nPASS xxxxx\nACCT xxxxx"
	if got := c.log.text(); got != want {
		t.Errorf("log\n%s\nwant\n%s", got, want)
	}
}

func TestAnEndlessLineIsRefused(t *testing.T) {
	c := start(t)
	c.send(strings.Repeat("x", longestLine))
	c.expect("500 ")
	if _, err := c.r.ReadByte(); err == nil {
		t.Error("the connection stays open after an endless line")
	}
}

func TestTheLongestLineIsTaken(t *testing.T) {
	c := start(t)
	c.do("NOOP "+strings.Repeat("x", longestLine-len("NOOP \r\n")), "200 ")
}

func TestASilentClientIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		began := time.Now()
		go func() {
			defer theirs.Close()
			s := &Server{Files: files(), Listen: net.Listen}
			s.Serve(t.Context(), theirs)
		}()
		got, err := io.ReadAll(ours)
		if err != nil || !strings.Contains(string(got), "\r\n421 ") {
			t.Errorf("a silent client reads %q, %v, want a 421", got, err)
		}
		if waited := time.Since(began); waited != 2*time.Minute {
			t.Errorf("it was left after %v, want 2m", waited)
		}
	})
}

func TestAClientThatNeverReadsIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		began := time.Now()
		s := &Server{Files: files(), Listen: net.Listen}
		s.Serve(t.Context(), theirs)
		theirs.Close()
		if waited := time.Since(began); waited > 2*idle {
			t.Errorf("it was left after %v, want at most %v", waited, 2*idle)
		}
	})
}

func TestADataConnectionThatNeverComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		go func() {
			defer theirs.Close()
			s := &Server{Files: files(), Listen: func(string, string) (net.Listener, error) { return newDeaf(), nil }}
			s.Serve(t.Context(), theirs)
		}()
		c := &client{t: t, conn: ours, r: bufio.NewReader(ours)}
		c.expect("220 ")
		c.do("USER ftp", "331 ")
		c.do("PASS x", "230-")
		c.do("EPSV", "229 ")
		c.do("NLST sub", "150 ")
		c.expect("425 ")
		c.do("QUIT", "221 ")
	})
}

// A deaf listener never accepts a connection.
type deaf struct{ closed chan struct{} }

func newDeaf() *deaf { return &deaf{make(chan struct{})} }

func (d *deaf) Accept() (net.Conn, error) {
	<-d.closed
	return nil, net.ErrClosed
}

func (d *deaf) Close() error {
	select {
	case <-d.closed:
	default:
		close(d.closed)
	}
	return nil
}
func (d *deaf) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv6loopback, Port: 2121} }

func TestASCII(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"\n", "\r\n"},
		{"\n\n", "\r\n\r\n"},
		{"a\r\nb", "a\r\nb"},
		{"a\r", "a\r"},
		{strings.Repeat("x", 4096) + "\n", strings.Repeat("x", 4096) + "\r\n"},
		{strings.Repeat("\n", 5000), strings.Repeat("\r\n", 5000)},
	} {
		got, err := io.ReadAll(newASCII(strings.NewReader(test.in)))
		if err != nil || string(got) != test.want {
			t.Errorf("ascii(%.20q) = %.20q, %v, want %.20q", test.in, got, err, test.want)
		}
	}
}
