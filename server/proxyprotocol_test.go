package server

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// A proxy has a bounded time for its PROXY header, also for its rest.
func TestProxyHeaderTime(t *testing.T) {
	for _, sent := range []string{"", "P", "\r\n\r\n\x00\r\nQUIT\n", "\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c1234"} {
		synctest.Test(t, func(t *testing.T) {
			proxy, conn := net.Pipe()
			defer proxy.Close()
			defer conn.Close()
			go io.WriteString(proxy, sent)
			began := time.Now()
			_, err := readProxyHeader(conn)
			if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took != proxyHeaderTime {
				t.Errorf("after %q: %v after %v, want a timeout after %v", sent, err, took, proxyHeaderTime)
			}
			if errors.Is(err, errNoByte) != (sent == "") {
				t.Errorf("after %q: %v", sent, err)
			}
		})
	}
}
