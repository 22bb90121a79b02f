package telnet_test

import (
	"context"
	"fmt"
	"io"
	"net"

	"locus/access"
	"locus/proto/telnet"
	"locus/url"
)

// The program reads the text of a session and shows its screen.
func ExampleClient() {
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			io.WriteString(server, "\xff\xfb\x01\x1b[2J\x1b[2;4Hlogin: ")
			io.Copy(io.Discard, server)
		}()
		return client, nil
	}
	u := url.MustParse("telnet://guest:welcome@host.example/")
	r, err := telnet.Client{Dial: dial}.Do(context.Background(), &access.Request{URL: u})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	fmt.Println(r.Login)

	session := r.Session
	session.Resize(100, 40)
	r.Body.Read(make([]byte, 1000))
	screen := session.Screen()
	fmt.Printf("%d rows, the cursor in row %d, column %d: %q\n", len(screen.Lines), screen.Row, screen.Column, screen.Lines[1])
	// Output:
	// the URL suggests logging in as "guest" with the password "welcome"
	// 40 rows, the cursor in row 1, column 10: "   login:"
}
