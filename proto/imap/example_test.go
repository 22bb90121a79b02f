package imap_test

import (
	"context"
	"fmt"
	"io"
	"net"

	"locus/access"
	"locus/proto/imap"
	"locus/url"
)

func ExampleClient() {
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			go io.Copy(io.Discard, server)
			io.WriteString(server, "* PREAUTH hello\r\n* LIST () \"/\" INBOX\r\nL1 OK\r\n")
		}()
		return client, nil
	}
	c := imap.Client{Dial: dial, Security: access.NeverTLS}
	r, err := c.Do(context.Background(), &access.Request{URL: url.MustParse("imap://mail.example/")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	e, err := r.List.Next()
	fmt.Println(e.Title, e.URL, err)
	// Output: INBOX imap://mail.example/INBOX <nil>
}
