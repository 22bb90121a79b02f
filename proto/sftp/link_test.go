package sftp

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"locus/proto/internal/wire"
)

// A server that sends or accepts a byte now and then, such as a message of SSH without data, cannot continue a wait for
// ever. A slow server that makes progress can.
func TestLinkDrip(t *testing.T) {
	const idle = time.Minute
	for _, test := range []struct {
		name  string
		bytes int // that the server sends or accepts, one in each half of the idle limit
		write bool
		slow  bool // the wait must fail
	}{
		{"a byte now and then", 1000, false, true},
		{"a few bytes", 10, false, false},
		{"a byte now and then is accepted", 1000, true, true},
		{"a few bytes are accepted", 10, true, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, server := net.Pipe()
			l := newLink(client, idle)
			l.watch()
			var serving sync.WaitGroup
			defer serving.Wait()
			defer l.Close()
			serving.Go(func() {
				defer server.Close()
				for range test.bytes {
					time.Sleep(idle / 2)
					var err error
					if test.write {
						_, err = server.Read(make([]byte, 1))
					} else {
						_, err = server.Write([]byte{2})
					}
					if err != nil {
						return
					}
				}
			})
			l.startWaiting()
			var err error
			for err == nil {
				if test.write {
					_, err = l.Write([]byte{2})
				} else {
					_, err = l.Read(make([]byte, 1))
				}
			}
			l.stopWaiting()
			if reason := l.err(); wire.IsTimeout(reason) != test.slow {
				t.Errorf("%s, %d times: the wait ends with %v, %v, want a timeout: %t", test.name, test.bytes, err, reason, test.slow)
			}
			if !test.slow && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("%s, %d times: %v, want the end that the server makes", test.name, test.bytes, err)
			}
		})
	}
}

// Each wait has its own limit, so a transfer of many packets may take any time.
func TestLinkManyWaits(t *testing.T) {
	const idle, waits = time.Minute, 1000
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		l := newLink(client, idle)
		l.watch()
		var serving sync.WaitGroup
		defer serving.Wait()
		defer l.Close()
		serving.Go(func() {
			defer server.Close()
			for range waits {
				time.Sleep(idle / 2)
				if _, err := server.Write([]byte{2}); err != nil {
					return
				}
			}
		})
		for i := range waits {
			l.startWaiting()
			_, err := l.Read(make([]byte, 1))
			l.stopWaiting()
			if err != nil {
				t.Fatalf("wait %d: %v, %v", i, err, l.err())
			}
		}
	})
}
