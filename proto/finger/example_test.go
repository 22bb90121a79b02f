package finger_test

import (
	"context"
	"fmt"
	"io"
	"net"

	"locus/access"
	"locus/proto/finger"
	"locus/url"
)

func ExampleClient() {
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			io.CopyN(io.Discard, server, int64(len("ada\r\n")))
			io.WriteString(server, "Login: ada\r\n")
			server.Close()
		}()
		return client, nil
	}
	u := url.MustParse("finger://host.example/ada")
	r, err := finger.Client{Dial: dial}.Do(context.Background(), &access.Request{URL: u})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	fmt.Printf("%q %v\n", text, err)
	// Output: "Login: ada\r\n" <nil>
}
