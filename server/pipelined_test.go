package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"locus/server"
)

// Only request lines are changed: not the body of a request that came before the last response, nor a long header field,
// wherever the client's packets end.
func TestTargetsOnly(t *testing.T) {
	const line = "GET / HTTP/1.1\r\nHost: localhost\r\n"
	long := line + "X-Long: " + strings.Repeat("a", 4080-len(line)-len("X-Long: "))
	body := "see 100% here\n" + strings.Repeat("a", 20)
	for _, test := range []struct {
		name   string
		pieces []string
		want   []string
	}{
		{"a pipelined body after a plain target", []string{
			line + "\r\n" + fmt.Sprintf("POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", len(body)), body,
		}, []string{"/ ", "/x " + body}},
		{"a pipelined body without a line", []string{
			line + "\r\n" + "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20\r\n\r\n", body[14:],
		}, []string{"/ ", "/x " + body[14:]}},
		{"a long field", []string{
			long, strings.Repeat("a", 4095-len("X-Long: ")-(4080-len(line)-len("X-Long: "))), "a 100% b c\r\n\r\n",
		}, []string{"/  100% b c"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			s := &server.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				got = append(got, r.RequestURI+" "+strings.TrimLeft(r.Header.Get("X-Long"), "a")+string(body))
				w.Header().Set("Content-Length", "0")
			})}
			c, theirs := net.Pipe()
			defer c.Close()
			c.SetDeadline(time.Now().Add(time.Minute)) // of a server that waits for more than the client sends
			l := &pipeListener{accepted: make(chan net.Conn, 1), closed: make(chan struct{})}
			l.accepted <- theirs
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- s.Serve(ctx, l, nil) }()
			go func() {
				for _, piece := range test.pieces {
					io.WriteString(c, piece)
				}
			}()
			in := bufio.NewReader(c)
			for range test.want {
				if resp, err := http.ReadResponse(in, nil); err != nil || resp.StatusCode != http.StatusOK {
					t.Fatalf("%q: %v, %v", test.pieces, resp, err)
				}
			}
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("the handler gets %.200q, want %.200q", got, test.want)
			}
		})
	}
}
