package cso_test

import (
	"context"
	"fmt"
	"io"
	"net"

	"locus/access"
	"locus/proto/cso"
	"locus/url"
)

func ExampleClient() {
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			io.CopyN(io.Discard, server, int64(len("query ada\r\nquit\r\n")))
			io.WriteString(server, "-200:1: name: Ada\r\n200:Ok.\r\n")
			server.Close()
		}()
		return client, nil
	}
	u := url.MustParse("cso://host.example/?ada")
	r, err := cso.Client{Dial: dial}.Do(context.Background(), &access.Request{URL: u})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	fmt.Printf("%q %v\n", text, err)
	// Output: "name: Ada\n" <nil>
}
