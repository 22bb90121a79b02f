// Open prints the resource of a URL of any scheme:
//
//	go run ./examples/open gopher://gopher.example.org/0/motd
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"os"

	"locus"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: open URL")
	}
	var dialer net.Dialer
	c := &locus.Client{Dial: dialer.DialContext}
	defer c.Close()

	r, err := c.Open(context.Background(), os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer r.Body.Close()

	fmt.Fprintln(os.Stderr, r.URL.Redacted(), r.Type)
	// Copy fails if the connection ends early.
	if _, err := io.Copy(os.Stdout, r.Body); err != nil {
		log.Fatal(err)
	}
}
