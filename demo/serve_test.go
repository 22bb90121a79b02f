package demo

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"
)

// A gateway to the demo answers until the context ends. That is no error.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	d, err := Start(t.Context(), Config{Listen: net.Listen})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		ended <- d.Serve(ctx, l, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	}()
	resp, err := http.Get("http://" + l.Addr().String() + "/")
	if err != nil || resp.StatusCode != http.StatusTeapot {
		t.Errorf("the gateway answers %v, %v", resp, err)
	}
	if err == nil {
		resp.Body.Close()
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Serve = %v after its end", err)
	}
	if _, err := net.Dial("tcp", d.Service("ftp").Addr); err == nil {
		t.Error("the servers go on")
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is open: %v", err)
	}
}

// The gateway ends with a server of the demo, or with its listener, and Serve says why.
func TestServeFails(t *testing.T) {
	broken := errors.New("broken")
	for _, which := range []string{"a server", "the gateway"} {
		n := 0
		d, err := Start(t.Context(), Config{Listen: func(string, string) (net.Listener, error) {
			l := &fakeListener{closed: make(chan struct{})}
			if n++; n == 2 && which == "a server" {
				l.err = broken
			}
			return l, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		l := &fakeListener{closed: make(chan struct{})}
		if which == "the gateway" {
			l.err = broken
		}
		if err := d.Serve(t.Context(), l, http.NotFoundHandler()); !errors.Is(err, broken) {
			t.Errorf("%s fails: Serve = %v", which, err)
		}
	}
}
