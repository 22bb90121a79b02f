package faulty

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"
	"time"
)

// echo starts a server that sends text on each connection, and returns its address.
func echo(t *testing.T, text string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				io.WriteString(c, text)
			}()
		}
	}()
	return l.Addr().String()
}

// read returns the bytes from addr, and how the stream ended. It stops early if it has
// enough bytes and no more arrive for a while. A RST can arrive before Dial returns.
func read(t *testing.T, addr string, sure int, silence time.Duration) (string, error) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	first := make([]byte, sure)
	if n, err := io.ReadFull(c, first); err != nil {
		return string(first[:n]), end(err)
	}
	if err := c.SetDeadline(time.Now().Add(silence)); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(c)
	return string(first) + string(rest), err
}

// end returns how a stream ended: nil at its end.
func end(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func TestFaults(t *testing.T) {
	faults := []Fault{{}, {Cut: 4}, {Stall: 4}, {Refuse: true}, {Cut: 4, Reset: true}, {Stall: 40}}
	p := Start(t, echo(t, "0123456789"), func(c Conn) Fault { return faults[c.N] })
	for i, test := range []struct {
		want  string
		check func(error) bool
	}{
		{"0123456789", func(err error) bool { return err == nil }},
		{"0123", func(err error) bool { return err == nil }},
		{"0123", isTimeout},
		{"", func(err error) bool { return err == nil || errors.Is(err, syscall.ECONNRESET) }},
		{"", func(err error) bool { return errors.Is(err, syscall.ECONNRESET) }},
		{"0123456789", func(err error) bool { return err == nil }},
	} {
		sure, silence := 1, time.Minute
		if faults[i].Stall == 4 {
			sure, silence = int(faults[i].Stall), 200*time.Millisecond
		}
		got, err := read(t, p.Addr, sure, silence)
		if !test.check(err) || !strings.HasPrefix(got, test.want) || len(got) > max(len(test.want), 4) {
			t.Errorf("%+v: %q, %v; want %q", faults[i], got, err, test.want)
		}
	}
	if n, data := p.Connections(); n != len(faults) || data != 0 {
		t.Errorf("Connections() = %d, %d, want %d, 0", n, data, len(faults))
	}
}

// The data from the client stops after StallSent bytes until SentStalls returns. Less data passes whole.
func TestSentStalls(t *testing.T) {
	for _, test := range []struct {
		sent, want string
		stalls     bool
	}{
		{"0123456789", "0123", true},
		{"012", "012", false},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatalf("%q: %v", test.sent, err)
		}
		defer l.Close()
		stalled, resume := make(chan bool, 1), make(chan bool)
		p := Start(t, l.Addr().String(), func(Conn) Fault {
			return Fault{StallSent: 4, SentStalls: func() { stalled <- true; <-resume }}
		})
		c, err := net.Dial("tcp", p.Addr)
		if err != nil {
			t.Fatalf("%q: %v", test.sent, err)
		}
		defer c.Close()
		server, err := l.Accept()
		if err != nil {
			t.Fatalf("%q: %v", test.sent, err)
		}
		defer server.Close()
		io.WriteString(c, test.sent)
		if test.stalls {
			<-stalled
			close(resume)
		} else {
			check(t, c.(*net.TCPConn).CloseWrite())
		}
		if got, err := io.ReadAll(server); string(got) != test.want || err != nil || len(stalled) > 0 {
			t.Errorf("the server gets %q of %q, %v, want %q", got, test.sent, err, test.want)
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

// Data connections of FTP use the proxy too, and replies are changed.
func TestFTP(t *testing.T) {
	data := netip.MustParseAddrPort(echo(t, "the data"))
	for _, passive := range []string{
		fmt.Sprintf("229 Entering Extended Passive Mode (|||%d|)", data.Port()),
		fmt.Sprintf("227 Entering Passive Mode (10,0,0,1,%d,%d).", data.Port()>>8, data.Port()&255),
	} {
		t.Run(passive[:3], func(t *testing.T) { testFTP(t, passive) })
	}
}

// testFTP tests a proxy of a server that answers EPSV or PASV with passive.
func testFTP(t *testing.T, passive string) {
	control := echo(t, "220 hello\r\n"+passive+"\r\n226 done\r\n")
	p := StartFTP(t, control, func(c Conn) Fault {
		if c.Data {
			return Fault{Cut: 3}
		}
		return Fault{Answer: func(line string) (string, bool) {
			return strings.Replace(line, "226 done", "426 broken", 1), strings.HasPrefix(line, "226")
		}}
	})
	c, err := net.Dial("tcp", p.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	lines := bufio.NewReader(c)
	if hello, err := lines.ReadString('\n'); hello != "220 hello\r\n" {
		t.Fatalf("the greeting is %q, %v", hello, err)
	}
	reply, err := lines.ReadString('\n')
	var through, high, low int
	if _, scanErr := fmt.Sscanf(reply, "229 Entering Extended Passive Mode (|||%d|)", &through); scanErr != nil {
		_, err = fmt.Sscanf(reply, "227 Entering Passive Mode (127,0,0,1,%d,%d)", &high, &low)
		through = high<<8 + low
	}
	if err != nil {
		t.Fatalf("instead of %q the client gets %q, %v", passive, reply, err)
	}
	if got, err := read(t, fmt.Sprintf("127.0.0.1:%d", through), 1, time.Minute); got != "the" || err != nil {
		t.Errorf("data: %q, %v", got, err)
	}
	if rest, err := io.ReadAll(lines); string(rest) != "426 broken\r\n" || err != nil {
		t.Errorf("control: %q, %v", rest, err)
	}
}

// The address refuses connections, and another listener cannot use it.
func TestClosed(t *testing.T) {
	addr := Closed(t)
	for range 2 {
		if c, err := net.Dial("tcp", addr); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatalf("Dial = %v, %v, want %v", c, err, syscall.ECONNREFUSED)
		}
	}
	if l, err := net.Listen("tcp", addr); err == nil {
		l.Close()
		t.Error("the port is free")
	}
}
