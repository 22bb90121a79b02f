package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"locus/access"
	"locus/gateway"
	"locus/server"
)

// A gateway is served until a context is done. Programs usually get that context from
// signal.NotifyContext.
func Example() {
	// Most programs use a *locus.Client as the Engine.
	engine := access.Table{"gopher": access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{
			Entry: access.Entry{URL: req.URL, Type: "text/plain", Size: -1},
			Body:  io.NopCloser(strings.NewReader("read the manual\n")),
		}, nil
	})}
	s := &server.Server{Handler: &gateway.Gateway{Engine: engine}, Drain: 10 * time.Second}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, nil) }()

	resp, err := http.Get("http://" + l.Addr().String() + "/gopher://gopher.example.org/0/motd")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	fmt.Printf("%s: %s%v\n", resp.Status, text, err)

	stop()
	err = <-ended
	fmt.Println(err, errors.Is(err, server.ErrAborted))
	// Output:
	// 200 OK: read the manual
	// <nil>
	// <nil> false
}

func ExampleParseUsers() {
	// "htpasswd -nB USER" writes such a line.
	users, err := server.ParseUsers("ada:$2a$05$lGKMpopbsm/IsV119l.pUO3syGT5TUvTr7b5qkVceZAGs4Gt67unO\n")
	if err != nil {
		log.Fatal(err)
	}
	s := &server.Server{Handler: &gateway.Gateway{}, Users: users}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Host = "localhost"
	for _, password := range []string{"sesame", "guessed"} {
		r.SetBasicAuth("ada", password)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		fmt.Println(password, w.Code)
	}
	// Output:
	// sesame 200
	// guessed 401
}
