package main

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
)

// A server that demands TLS is asked only once, and the hint tells the user how to get TLS.
func TestFTPDemandsTLS(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var asked atomic.Int64
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			fmt.Fprint(conn, "220 ready\r\n")
			_, _ = bufio.NewReader(conn).ReadString('\n')
			fmt.Fprint(conn, "421 Sorry, cleartext sessions are not accepted. Please reconnect using TLS.\r\n")
			conn.Close()
		}
	}()
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"get"}, {"get", "-o", "f", "--retry-wait", "1ms"}} {
		asked.Store(0)
		status, _, stderr := runHere(t, "", append(args, "ftp://"+l.Addr().String()+"/f")...)
		if status != 1 || asked.Load() != 1 || !strings.Contains(stderr, "hint: --ftp-tls") {
			t.Errorf("locus %q: status %d after %d connections, %q", args, status, asked.Load(), stderr)
		}
	}
}
