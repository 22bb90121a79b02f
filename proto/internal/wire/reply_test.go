package wire_test

import (
	"bytes"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"locus/proto/internal/wire"
)

// A large reply may take any time if it makes progress.
func TestReadReply(t *testing.T) {
	for _, test := range []struct {
		name    string
		piece   int
		pause   time.Duration
		size    int
		wantErr string
	}{
		{"slow", 1 << 10, 19 * time.Second, 64 << 10, ""},
		{"small", 1, time.Second, 15, ""},
		{"a byte now and then", 1, time.Second, 64 << 10, "the server did not end its reply for 20s"},
		{"a small one, too", 1, 3 * time.Second, 15, "the server did not end its reply for 20s"},
		{"silent", 500, time.Hour, 64 << 10, "the server sent nothing for 20s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			client, server := net.Pipe()
			conn := wire.Dialer{Idle: 20 * time.Second}.Wrap(t.Context(), client)
			go func() {
				defer server.Close()
				for sent := 0; sent < test.size; sent += test.piece {
					if _, err := server.Write(make([]byte, test.piece)); err != nil {
						return
					}
					time.Sleep(test.pause)
				}
			}()
			var b bytes.Buffer
			err := conn.ReadReply(&b, conn, test.size)
			switch {
			case test.wantErr == "" && (err != nil || b.Len() != test.size):
				t.Errorf("%s: %d bytes, %v, want %d", test.name, b.Len(), err, test.size)
			case test.wantErr != "" && (err == nil || err.Error() != test.wantErr):
				t.Errorf("%s: %v, want %q", test.name, err, test.wantErr)
			}
			conn.Close()
			time.Sleep(2 * time.Hour) // the server notices
		})
	}
}
