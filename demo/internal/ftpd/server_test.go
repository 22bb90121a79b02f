package ftpd

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"locus/internal/peers"
)

// Serve ends with its context, although the client is silent.
func TestServeEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		defer ours.Close()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer theirs.Close()
			defer close(ended)
			(&Server{Files: files(), Listen: net.Listen}).Serve(ctx, theirs)
		}()
		c := &client{t: t, conn: ours, r: bufio.NewReader(ours)}
		c.expect("220 ")
		cancel()
		synctest.Wait()
		select {
		case <-ended:
		default:
			t.Error("Serve goes on after the end of its context")
		}
	})
}

// An ipv6Conn is a control connection at an IPv6 address.
type ipv6Conn struct{ *recordedConn }

func (c ipv6Conn) LocalAddr() net.Addr { return &net.TCPAddr{IP: net.IPv6loopback, Port: 21} }

// The commands for data connections suit the network of the control connection. Their ports are closed at the end.
func TestNetworks(t *testing.T) {
	for _, test := range []struct {
		line, want string
		opens      bool // a port, at least for a moment
	}{
		{"EPSV", "229 Entering Extended Passive Mode (|||2121|)\r\n", true},
		{"EPSV 2", "229 Entering Extended Passive Mode (|||2121|)\r\n", true},
		{"EPSV 1", "522 Network protocol not supported, use (2)\r\n", false},
		{"PASV", "425 PASV is for IPv4 only: use EPSV.\r\n", true},
	} {
		var port *deaf
		listen := func(network, address string) (net.Listener, error) {
			if network != "tcp" || address != "[::1]:0" {
				t.Errorf("%s listens at %s %s, want the address of the control connection", test.line, network, address)
			}
			port = newDeaf()
			return port, nil
		}
		c := ipv6Conn{&recordedConn{Reader: strings.NewReader("USER ftp\r\nPASS x\r\n" + test.line + "\r\n")}}
		(&Server{Files: files(), Listen: listen}).Serve(t.Context(), c)
		if got := c.replies.String(); !strings.HasSuffix(got, "\r\n"+test.want) {
			t.Errorf("%s over IPv6 is answered with %q, want %q at the end", test.line, got, test.want)
		}
		if (port != nil) != test.opens {
			t.Errorf("%s over IPv6 opens a port: %v, want %v", test.line, port != nil, test.opens)
		}
		if port != nil {
			<-port.closed
		}
	}
}

// A port for a data connection is closed when the client asks for another one, aborts or leaves.
func TestPortsAreClosed(t *testing.T) {
	var ports []net.Listener
	c := startServer(t, &Server{Files: files(), Listen: func(network, address string) (net.Listener, error) {
		l, err := net.Listen(network, address)
		ports = append(ports, l)
		return l, err
	}})
	c.login("ftp", "x")
	isOpen := func(l net.Listener) bool { return l.(*net.TCPListener).SetDeadline(time.Time{}) == nil }
	for i, test := range []struct {
		lines   string
		replies string
		want    string // the states of all ports: open or closed
	}{
		{"EPSV", "229", "open"},
		{"PASV", "227", "closed open"},
		{"ABOR", "226", "closed closed"},
		{"EPSV", "229", "closed closed open"},
		{"QUIT", "221", "closed closed closed"},
	} {
		c.do(test.lines, test.replies)
		if test.lines == "QUIT" {
			if _, err := c.r.ReadByte(); err != io.EOF {
				t.Errorf("after QUIT: %v, want EOF", err)
			}
		}
		var states []string
		for _, l := range ports {
			state := "closed"
			if isOpen(l) {
				state = "open"
			}
			states = append(states, state)
		}
		if got := strings.Join(states, " "); got != test.want {
			t.Errorf("after command %d, %s, the ports are %s, want %s", i, test.lines, got, test.want)
		}
	}
}

// A client is told if no port can be opened, and can go on.
func TestNoPort(t *testing.T) {
	c := startServer(t, &Server{Files: files(), Listen: func(string, string) (net.Listener, error) {
		return nil, errors.New("too many open files")
	}})
	c.login("ftp", "x")
	c.do("EPSV", "425 No port can be opened.")
	c.do("PASV", "425 No port can be opened.")
	c.do("RETR a.txt", "425 Use EPSV or PASV first.")
	c.do("SIZE a.txt", "213 ")
}

// The commands that a client sends during a transfer are all executed after it.
func TestPipelining(t *testing.T) {
	c := login(t, "anonymous", "")
	c.do("TYPE I", "200 ")
	d := c.dialData()
	c.do("RETR big", "150 ")
	const n = 3 * mostHeld
	c.send(strings.Repeat("NOOP\r\n", n) + "PWD\r\n")
	if got, err := io.Copy(io.Discard, d); got != 32<<20 || err != nil {
		t.Errorf("%d bytes of the file come, %v, want %d", got, err, 32<<20)
	}
	c.expect("226 ")
	for range n {
		c.expect("200 ")
	}
	c.expect("257 ")
}

// The state of the connection names the user and the type.
func TestStat(t *testing.T) {
	c := login(t, "FTP", "x")
	for _, test := range []struct{ line, want string }{
		{"STAT", "211-The locus demo:\r\n logged in as ftp\r\n transfers are text\r\n211 End"},
		{"TYPE I", "200 "},
		{"STAT", "211-The locus demo:\r\n logged in as ftp\r\n transfers are image\r\n211 End"},
	} {
		c.do(test.line, test.want)
	}
}

// A user whose home does not exist begins in the root.
func TestMissingHome(t *testing.T) {
	c := startServer(t, &Server{Files: fstest.MapFS{"a.txt": {}}, Listen: net.Listen})
	c.do("USER demo", "331 ")
	c.do("PASS demo", "230-You are in the little library of locus.\r\n230 The directory is /.")
	c.do("CWD ", "250 The directory is /.")
}

// Files that cannot be read are refused, and the transfer of a file that breaks off fails.
func TestUnreadable(t *testing.T) {
	c := startServer(t, &Server{Files: unreadable{files()}, Listen: net.Listen})
	c.login("ftp", "x")
	c.do("TYPE I", "200 ")
	d := c.dialData()
	c.do("RETR b.bin", "150 ")
	if got, err := io.ReadAll(d); string(got) != "0123" || err != nil {
		t.Errorf("a file that breaks off sends %q, %v, want its start", got, err)
	}
	c.expect("451 Broken off: the file cannot be read.")
	for _, test := range []struct{ line, want string }{
		{"SIZE b.bin", "213 11"},
		{"TYPE A", "200 "},
		{"SIZE b.bin", "550 The file cannot be read."},
		{"RETR a.txt", "550 The file cannot be read."},
		{"SIZE a.txt", "550 The file cannot be read."},
		{"MDTM a.txt", "550 The file cannot be read."},
		{"MLST a.txt", "250-"},
		{"CWD sub", "250 "},
		{"LIST", "550 The directory cannot be read."},
		{"NLST", "550 The directory cannot be read."},
		{"MLSD", "550 The directory cannot be read."},
		{"NLST none", "550 No such file or directory."},
		{"MLSD none", "550 No such file or directory."},
	} {
		c.do(test.line, test.want)
	}
}

// An unreadable file system knows the attributes of its files, but opens only b.bin, and only to read four bytes of it.
type unreadable struct{ files fstest.MapFS }

func (u unreadable) Stat(name string) (fs.FileInfo, error) { return u.files.Stat(name) }

func (u unreadable) Open(name string) (fs.File, error) {
	if name != "b.bin" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	f, err := u.files.Open(name)
	return breaking{f, io.MultiReader(io.LimitReader(f, 4), failing{})}, err
}

// A breaking file is read from another Reader.
type breaking struct {
	fs.File
	from io.Reader
}

func (b breaking) Read(p []byte) (int, error) { return b.from.Read(p) }

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the disk is broken") }

// The server works with wget, rclone, and curl, which writes texts with the line ends of Unix.
func TestClients(t *testing.T) {
	addr := start(t).conn.RemoteAddr().String()
	at, demo := "ftp://"+addr+"/", "ftp://demo:demo@"+addr+"/"
	for _, test := range []struct {
		name string
		run  func(t testing.TB, env []string, args ...string) (string, error)
		args []string
		want string // the output or, if it ends with "…", its start
	}{
		{"curl", peers.Curl, []string{at + "a.txt"}, "one\ntwo\r\nthree\n"},
		{"curl as text", peers.Curl, []string{at + "a.txt;type=a"}, "one\ntwo\nthree\n"},
		{"curl from a byte", peers.Curl, []string{"-r", "4-", at + "a.txt"}, "two\r\nthree\n"},
		{"curl of some bytes", peers.Curl, []string{"-r", "1-2", at + "b.bin"}, "12"},
		{"curl of the last bytes", peers.Curl, []string{"-r", "-3", at + "b.bin"}, "89\n"},
		{"curl by PASV", peers.Curl, []string{"--disable-epsv", at + "sub/semi%3Bcolon.txt"}, "x"},
		{"curl of a quoted name", peers.Curl, []string{at + "q%22q/z"}, "z"},
		{"curl in the home", peers.Curl, []string{demo + "etc/motd"}, "demo\n"},
		{"curl in the root", peers.Curl, []string{demo + "%2Fetc/motd"}, "root\n"},
		{"curl of attributes", peers.Curl, []string{"-I", at + "etc/motd"}, "Last-Modified: Tue, 20 Dec 1994 09:30:15 GMT\r\nContent-Length: 5\r\n…"},
		{"curl of names", peers.Curl, []string{"-l", at + "sub/"}, "semi;colon.txt\ntwo words\n"},
		{"curl of facts", peers.Curl, []string{"-X", "MLSD", at + "etc/"}, "type=cdir;…"},
		{"curl of an empty end", peers.Curl, []string{"-r", "11-", at + "b.bin"}, ""},
		{"wget", peers.Wget, []string{at + "sub/two%20words"}, "y"},
		{"wget in the home", peers.Wget, []string{demo + "etc/motd"}, "demo\n"},
	} {
		got, err := test.run(t, nil, test.args...)
		start, isStart := strings.CutSuffix(test.want, "…")
		if err != nil || isStart && !strings.HasPrefix(got, start) || !isStart && got != test.want {
			t.Errorf("%s, %q: %q, %v, want %q", test.name, test.args, got, err, test.want)
		}
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	password, err := peers.Rclone(t, "obscure", "x")
	if err != nil {
		t.Fatal(err)
	}
	remote := ":ftp,host=" + host + ",port=" + port + ",concurrency=2,user=ftp,pass=" + strings.TrimSpace(password) + ":"
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"lsf", "--format", "pst", remote + "etc"}, "motd;5;1994-12-20 09:30:15\n"},
		{[]string{"lsf", "-R", "--files-only", "--exclude", "big", remote}, "a.txt\nb.bin\nempty/.keep\netc/motd\nhome/demo/etc/motd\nq\"q/z\nsub/semi;colon.txt\nsub/two words\n"},
		{[]string{"cat", remote + "a.txt"}, "one\ntwo\r\nthree\n"},
		{[]string{"cat", "--offset", "4", "--count", "3", remote + "a.txt"}, "two"},
		{[]string{"cat", "--offset", "33554430", remote + "big"}, "\x00\x00"},
	} {
		got, err := peers.Rclone(t, test.args...)
		if lines := strings.SplitAfter(got, "\n"); test.args[0] == "lsf" { // they are in any order
			slices.Sort(lines)
			got = strings.Join(lines, "")
		}
		if err != nil || got != test.want {
			t.Errorf("rclone %q = %q, %v, want %q", test.args, got, err, test.want)
		}
	}
	if got, err := peers.Curl(t, nil, at+"none"); err == nil || got != "" {
		t.Errorf("curl of a file that does not exist = %q, %v, want an error", got, err)
	}
	if got, err := peers.Curl(t, nil, "-T", "server_test.go", at); err == nil {
		t.Errorf("an upload by curl = %q, want an error, because the server is read-only", got)
	}
}
