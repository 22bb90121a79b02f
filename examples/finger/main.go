// Finger adds a scheme to a Client: finger://HOST/USER asks a server about a user, by
// RFC 1288.
//
//	go run ./examples/finger finger://finger.example.org/ada
package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"os"
	"strings"
	"time"

	"locus"
	"locus/access"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: finger finger://HOST/USER")
	}
	var dialer net.Dialer
	c := &locus.Client{
		Dial: dialer.DialContext,
		// The engine connects with the dial of the Client, so Public and the other rules of
		// the Client apply to it. Remote says that the engine connects only with this dial.
		Engines: func(dial locus.Dial) map[string]locus.Scheme {
			return map[string]locus.Scheme{
				"finger": {Engine: access.GetFunc(finger{dial}.get), Port: 79, Remote: true},
			}
		},
	}
	defer c.Close()

	r, err := c.Open(context.Background(), os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer r.Body.Close()
	if _, err := io.Copy(os.Stdout, r.Body); err != nil {
		log.Fatal(err)
	}
}

// finger is the engine. It sends one line, and returns everything that the server sends.
type finger struct{ dial locus.Dial }

// get asks the server of req.URL about the user in its path, and returns the answer as the Body of the Resource.
func (f finger) get(ctx context.Context, req *access.Request) (*access.Resource, error) {
	host, _ := req.URL.Host()
	port, _ := req.URL.Port()
	user := strings.TrimPrefix(req.URL.Path(), "/")
	if strings.ContainsAny(user, "%\r\n") {
		// An escape could be a line end, which would add a line to the request.
		return nil, errors.New("finger: a user name must not have escapes")
	}
	conn, err := f.dial(ctx, "tcp", net.JoinHostPort(host, cmp.Or(port, "79")))
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	err = conn.SetDeadline(time.Now().Add(time.Minute)) // because a server may stay silent forever
	if err == nil {
		_, err = io.WriteString(conn, user+"\r\n")
	}
	if err != nil {
		stop()
		conn.Close()
		return nil, err
	}
	r := &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/plain", Size: -1}, Body: conn}
	r.OnClose(func() { stop() })
	return r, nil
}
