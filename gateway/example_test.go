package gateway_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"locus/access"
	"locus/gateway"
)

// A gateway is an http.Handler over any Engine. No ServeMux stands before it.
func Example() {
	engine := access.Table{"gopher": access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		return &access.Resource{
			Entry: access.Entry{URL: req.URL, Type: "text/plain", Size: -1},
			Body:  io.NopCloser(strings.NewReader("read the manual\n")),
		}, nil
	})}
	server := httptest.NewServer(&gateway.Gateway{Engine: engine})
	defer server.Close()

	resp, err := http.Get(server.URL + "/gopher://gopher.example.org/0/motd")
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	fmt.Printf("%s, %s: %s%v\n", resp.Status, resp.Header.Get("Content-Type"), text, err)
	// Output:
	// 200 OK, text/plain; charset=utf-8: read the manual
	// <nil>
}
