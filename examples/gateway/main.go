// Gateway adds a gateway to a server with other pages:
//
//	go run ./examples/gateway 127.0.0.1:8080
//
// The server's own page is /about. The gateway answers every other path, such as
// http://127.0.0.1:8080/gopher://gopher.example.org/.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"locus"
	"locus/gateway"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: gateway ADDRESS")
	}
	l, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s/\n", l.Addr())
	server := &http.Server{Handler: handler(), ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.Serve(l))
}

// handler returns a handler that answers /about itself, and passes other paths to the gateway. It
// does not use http.ServeMux, because that would turn "gopher://" into "gopher:/".
func handler() http.Handler {
	var dialer net.Dialer
	g := &gateway.Gateway{Engine: &locus.Client{Dial: dialer.DialContext, Interfaces: net.InterfaceAddrs}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/about" {
			fmt.Fprintln(w, "this page is the site's own")
			return
		}
		g.ServeHTTP(w, r)
	})
}
