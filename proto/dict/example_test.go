package dict_test

import (
	"context"
	"fmt"
	"io"
	"net"

	"locus/access"
	"locus/proto/dict"
	"locus/url"
)

func ExampleClient() {
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			io.WriteString(server, "220 welcome\r\n")
			io.CopyN(io.Discard, server, int64(len("DEFINE ! \"tea\"\r\nQUIT\r\n")))
			io.WriteString(server, "150 1 definition\r\n151 \"tea\" wn \"WordNet\"\r\na drink\r\n.\r\n250 ok\r\n")
			server.Close()
		}()
		return client, nil
	}
	u := url.MustParse("dict://host.example/d:tea")
	r, err := dict.Client{Dial: dial}.Do(context.Background(), &access.Request{URL: u})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	fmt.Printf("%q %v\n", text, err)
	// Output: "From WordNet [wn]:\r\n\r\na drink\r\n" <nil>
}
