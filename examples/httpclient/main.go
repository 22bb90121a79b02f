// Httpclient gives an http.Client every scheme. Code that fetches by net/http then opens
// ftp, gopher and news URLs, too:
//
//	go run ./examples/httpclient ftp://ftp.example.org/pub/README
//
// With -register, the http.Client has the transport of net/http for http and https, and locus
// for every other scheme.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"

	"locus"
)

func main() {
	log.SetFlags(0)
	args := os.Args[1:]
	register := len(args) == 2 && args[0] == "-register"
	if len(args) != 1 && !register {
		log.Fatal("usage: httpclient [-register] URL")
	}
	var dialer net.Dialer
	c := &locus.Client{Dial: dialer.DialContext}
	defer c.Close()

	client := viaLocus(c)
	if register {
		client = registered(c)
	}
	if err := fetch(client, args[len(args)-1], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// viaLocus returns an http.Client that sends all requests by c. Cookies, redirects and bodies over
// http work as in any http.Client, and the policies of c apply to each request.
func viaLocus(c *locus.Client) *http.Client {
	client := c.HTTP()
	client.Jar, _ = cookiejar.New(nil) // New does not return errors
	return client
}

// registered returns an http.Client with the transport of net/http for http and https, and c for
// every other scheme.
func registered(c *locus.Client) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	for _, scheme := range c.Schemes() {
		if scheme != "http" && scheme != "https" {
			t.RegisterProtocol(scheme, c.HTTP().Transport)
		}
	}
	return &http.Client{Transport: t}
}

// fetch writes the body of the response for a URL to w. It stands for any code that uses an
// http.Client, and does not depend on locus.
func fetch(client *http.Client, url string, w io.Writer) error {
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	_, err = io.Copy(w, resp.Body)
	return err
}
