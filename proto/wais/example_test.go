package wais_test

import (
	"context"
	"fmt"
	"io"
	"net"

	"locus/access"
	"locus/proto/wais"
	"locus/url"
)

// replyWith returns a Dial to a server that sends every client the same reply.
func replyWith(answer string) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			_, _ = read(server)
			_, _ = io.WriteString(server, answer)
		}()
		return client, nil
	}
}

func ExampleClient_Do() {
	hit := group(150, group(116, "\x01\x01x")+group(118, "\x03\xe8")+group(120, "\x66")+group(123, "On ranking"))
	c := wais.Client{Dial: replyWith(response(hit))}
	r, err := c.Do(context.Background(), &access.Request{URL: url.MustParse("wais://example.org/db?relevance+ranking")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	list := r.List
	err = access.Entries(list, func(e access.Entry) error {
		fmt.Println(e.Sys.(*wais.Hit).Score, e.Size, e.Title, e.URL)
		return nil
	})
	fmt.Println(err)
	// Output:
	// 1000 102 On ranking wais://example.org/db/TEXT/%01%01x
	// <nil>
}

func ExampleParseSource() {
	s, err := wais.ParseSource([]byte(`(:source :version 3 :ip-name "example.org" :tcp-port 210 :database-name "db"
		:cost 0.00 :cost-unit :free :keyword-list (ranking relevance) :description "About ranking.")`))
	fmt.Println(s.Description, s.Keywords, err)
	fmt.Println(s.URL())
	// Output:
	// About ranking. [ranking relevance] <nil>
	// wais://example.org/db true
}
