package web

import (
	"errors"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/internal/faulty"
	"locus/url"
)

// If the server closes an idle connection while a request is on its way, the request is sent again
// on a new connection. So Get and Stat never fail for this reason. A change is sent once.
//
// req: 1630-http-1
func TestIdleConnectionEnds(t *testing.T) {
	for _, reset := range []bool{false, true} {
		server := faulty.Leave(t, reset)
		c := &Client{Dial: new(net.Dialer).DialContext}
		defer c.CloseIdleConnections()
		req := &access.Request{URL: url.MustParse("http://" + server.Addr + "/")}
		for i := range 6 {
			r, err := c.Do(t.Context(), req)
			if err != nil {
				t.Fatalf("open #%d: %v", i, err)
			}
			if text, err := io.ReadAll(r.Body); err != nil || string(text) != "ok" {
				t.Errorf("open #%d reads %q, %v", i, text, err)
			}
			r.Body.Close()
			if _, err := c.Do(t.Context(), req.WithOp(access.Stat)); err != nil {
				t.Errorf("stat #%d: %v", i, err)
			}
		}
		if server.Left.Load() == 0 {
			t.Errorf("reset %v: no connection was used twice", reset)
		}
		r, err := c.Do(t.Context(), &access.Request{URL: req.URL})
		if err != nil {
			t.Fatalf("reset %v: %v", reset, err)
		}
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
		err = accesstest.Change(t.Context(), c, access.Put, req, strings.NewReader("new"))
		if server.Lost.Load() != 1 || !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("reset %v: a change without a reply was sent %d times, %v; want once, and an error", reset, server.Lost.Load(), err)
		}
	}
}
