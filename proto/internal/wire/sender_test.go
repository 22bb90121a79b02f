package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// Write waits for a server that accepts some bytes within the idle limit, and fails
// after it. IsSending is true as long as Write waits.
func TestSender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer server.Close()
		s := Dialer{Idle: 7 * time.Second}.Sender(client)
		defer s.Close()
		go func() {
			for range 3 {
				time.Sleep(5 * time.Second)
				_, _ = io.ReadFull(server, make([]byte, 10))
			}
		}()
		start, ended := time.Now(), make(chan error)
		go func() {
			_, err := s.Write(make([]byte, 100))
			ended <- err
		}()
		time.Sleep(16 * time.Second)
		if !s.IsSending() {
			t.Error("IsSending = false while Write waits")
		}
		idle, ok := errors.AsType[*IdleError](<-ended)
		if took := time.Since(start); !ok || idle.Did != "accepted nothing" || took < 22*time.Second || took > 29*time.Second {
			t.Errorf("Write = %v after %v, want that nothing was accepted, 7s to 14s after the last byte", idle, took)
		}
		if s.IsSending() {
			t.Error("IsSending = true after Write")
		}
	})
}

// A Write that fails waits until the reader has ended, but not for ever, and not if its caller has set a deadline.
func TestSenderExpectAnswer(t *testing.T) {
	for _, test := range []struct {
		name        string
		deadline    bool
		ends        bool // the reader ends after a second
		isClosed    bool // the Sender is closed after a second
		wantSeconds int
	}{
		{name: "a reader that ends", ends: true, wantSeconds: 1},
		{name: "a Sender that is closed", isClosed: true, wantSeconds: 1},
		{name: "a reader that does not end", wantSeconds: 5},
		{name: "a deadline", deadline: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, server := net.Pipe()
			defer server.Close()
			s := Dialer{}.Sender(brokenConn{client})
			defer s.Close()
			s.ExpectAnswer()
			if test.deadline {
				_ = s.SetWriteDeadline(time.Now().Add(time.Hour))
			}
			go func() { _, _ = io.Copy(io.Discard, s) }()
			time.AfterFunc(time.Second, func() {
				if test.ends {
					server.Close()
				}
				if test.isClosed {
					s.Close()
				}
			})
			start := time.Now()
			_, err := s.Write([]byte("x"))
			if took := time.Since(start); !errors.Is(err, errBroken) || took != time.Duration(test.wantSeconds)*time.Second {
				t.Errorf("%s: Write = %v after %v, want %v after %d s", test.name, err, took, errBroken, test.wantSeconds)
			}
		})
	}
}

var errBroken = errors.New("connection reset by peer")

// A brokenConn is a connection whose Write fails.
type brokenConn struct{ net.Conn }

func (brokenConn) Write([]byte) (int, error) { return 0, errBroken }

// A deadline of the caller applies in addition to the idle limit.
func TestSenderDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer server.Close()
		s := Dialer{Idle: 7 * time.Second}.Sender(client)
		defer s.Close()
		start := time.Now()
		_ = s.SetDeadline(start.Add(2 * time.Second))
		if _, err := s.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != 2*time.Second {
			t.Errorf("Write = %v after %v, want the deadline after 2s", err, time.Since(start))
		}
		if _, err := s.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Read = %v, want the deadline", err)
		}
	})
}
