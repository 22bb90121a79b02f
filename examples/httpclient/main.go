// Httpclient gives an http.Client every scheme. Code that fetches by net/http then opens
// ftp, gopher and news URLs, too:
//
//	go run ./examples/httpclient ftp://ftp.example.org/pub/README
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"locus"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: httpclient URL")
	}
	var dialer net.Dialer
	c := &locus.Client{Dial: dialer.DialContext}
	defer c.Close()

	if err := fetch(c.HTTP(), os.Args[1], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// fetch knows nothing of locus: it is any code that has an http.Client.
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
