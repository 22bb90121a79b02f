package web_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"

	"locus/access"
	"locus/proto/web"
	"locus/url"
)

// The path is sent as written.
func ExampleClient() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.RequestURI)
	}))
	defer server.Close()

	var dialer net.Dialer
	client := &web.Client{Dial: dialer.DialContext}
	defer client.CloseIdleConnections()

	u := url.MustParse(server.URL + "//a/../%41?#fragment")
	r, err := client.Do(context.Background(), &access.Request{URL: u})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	fmt.Println(string(text), err)
	// Output: //a/../%41? <nil>
}

// A proxy gets the whole URL, whatever its scheme.
func ExampleGateway() {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "through the proxy: ", r.RequestURI)
	}))
	defer proxy.Close()

	var dialer net.Dialer
	client := &web.Client{Dial: dialer.DialContext}
	defer client.CloseIdleConnections()
	table := access.Table{"wais": web.Gateway{Client: client, At: url.MustParse(proxy.URL)}}

	u := url.MustParse("wais://host/db?words")
	r, err := table.Do(context.Background(), &access.Request{URL: u})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	fmt.Println(string(text), err)
	// Output: through the proxy: wais://host/db?words <nil>
}
