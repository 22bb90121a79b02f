package reply_test

import (
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/proto/internal/reply"
	"locus/proto/internal/wire"
)

// A server may be silent before a reply, but it must end a reply within the idle limit after its
// first byte.
func TestSlowReply(t *testing.T) {
	for _, test := range []struct {
		piece   string
		pause   time.Duration
		pieces  int
		wantErr string // "": the reply is read
	}{
		{"250-x\r\n", 5 * time.Second, 5, ""},
		{"250-x\r\n", 5 * time.Second, 1000, "the server did not end its reply for 30s"},
		{"2", 5 * time.Second, 1000, "the server did not end its reply for 30s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, server := net.Pipe()
			conn := wire.Dialer{Idle: 30 * time.Second}.Wrap(t.Context(), client)
			stopped := make(chan struct{})
			go func() {
				defer close(stopped)
				defer server.Close()
				time.Sleep(29 * time.Second)
				for range test.pieces {
					if _, err := server.Write([]byte(test.piece)); err != nil {
						return
					}
					time.Sleep(test.pause)
				}
				server.Write([]byte("250 end\r\n"))
			}()
			start := time.Now()
			_, err := reply.NewConn(conn).Read()
			switch {
			case test.wantErr == "" && err != nil:
				t.Errorf("%d pieces: %v, want a reply", test.pieces, err)
			case test.wantErr != "" && (err == nil || err.Error() != test.wantErr || !errors.Is(err, access.ErrTemporary)):
				t.Errorf("%d times %q: %v, want %q", test.pieces, test.piece, err, test.wantErr)
			}
			conn.Close()
			if took := time.Since(start); took > 70*time.Second {
				t.Errorf("%d times %q: Read took %v", test.pieces, test.piece, took)
			}
			<-stopped
		})
	}
}
