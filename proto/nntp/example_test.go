package nntp_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing/fstest"

	"locus/access"
	"locus/demo"
	"locus/proto/nntp"
	"locus/url"
)

// A news URL does not name a server, so the program does.
func ExampleClient() {
	d, err := demo.Start(context.Background(), demo.Config{Listen: net.Listen})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	c := nntp.Client{Dial: new(net.Dialer).DialContext, Server: d.Service("news").Addr, Window: 2}

	r, err := c.Do(context.Background(), &access.Request{URL: url.MustParse("news:library.texts")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	l := r.List
	err = access.Entries(l, func(e access.Entry) error {
		fmt.Println(e.Title, e.URL)
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// WAIS: ask in words, get documents news:texts.wais.txt@library.example
	// A short timeline news:texts.timeline.txt@library.example
	// older articles, up to number 10 news:library.texts/1-10
}

// Received articles are opened without a server.
func ExampleNewSpool() {
	spool := nntp.NewSpool(fstest.MapFS{
		"misc/test/7": {Data: []byte("Message-ID: <seven@example.org>\nReferences: <six@example.org>\n\nHello\n")},
	})
	u := url.MustParse("news:seven@example.org")
	r, err := nntp.Client{Spool: spool}.Do(context.Background(), &access.Request{URL: u})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	fmt.Printf("%s%v\n", text, err)
	e, err := nntp.Links(strings.NewReader(string(text)), u).Next()
	fmt.Println(e.URL, err)
	// Output:
	// Message-ID: <seven@example.org>
	// References: <six@example.org>
	//
	// Hello
	// <nil>
	// news:six@example.org <nil>
}
