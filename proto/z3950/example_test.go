package z3950_test

import (
	"bytes"
	"context"
	"fmt"
	"net"

	"locus/access"
	"locus/internal/ber"
	"locus/proto/z3950"
	"locus/url"
)

// toServer returns a Dial to a server that sends these replies, one after the other.
func toServer(answers ...string) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			for _, answer := range answers {
				var b bytes.Buffer
				if err := ber.Read(byteReader{server}, &b, 1<<20); err != nil {
					return
				}
				if _, err := server.Write([]byte(answer)); err != nil {
					return
				}
			}
		}()
		return client, nil
	}
}

type byteReader struct{ net.Conn }

func (r byteReader) ReadByte() (byte, error) {
	var b [1]byte
	_, err := r.Read(b[:])
	return b[0], err
}

func ExampleClient_Do() {
	c := z3950.Client{Dial: toServer(accepts(), found(2), presented(plain("Sea charts"), plain("Charts of the north")))}
	r, err := c.Do(context.Background(), &access.Request{URL: url.MustParse("z39.50s://example.org/books;query=charts")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	fmt.Println(r.Sys.(*z3950.Results).Hits, "records")
	err = access.Entries(r.List, func(e access.Entry) error {
		fmt.Println(e.Title, e.URL)
		return nil
	})
	fmt.Println(err)
	// Output:
	// 2 records
	// Sea charts z39.50r://example.org/books;query=charts;record=1
	// Charts of the north z39.50r://example.org/books;query=charts;record=2
	// <nil>
}

func ExampleCheckSyntaxes() {
	fmt.Println(z3950.CheckSyntaxes([]string{"usmarc", "XML"}))
	// Output: <nil>
}
