package access_test

import (
	"context"
	"fmt"
	"io"
	"strings"

	"locus/access"
	"locus/url"
)

// hello is an engine for URLs such as "x-hello:world".
func hello(_ context.Context, req *access.Request) (*access.Resource, error) {
	if req.URL.Path() == "mundo" {
		return nil, &access.Moved{To: url.MustParse("x-hello:world"), Permanent: true}
	}
	text := "hello, " + req.URL.Path()
	return &access.Resource{
		Entry: access.Entry{URL: req.URL, Type: "text/plain", Size: int64(len(text))},
		Body:  io.NopCloser(strings.NewReader(text)),
	}, nil
}

// A program adds its own scheme as an entry in a map.
func ExampleTable() {
	table := access.Table{"x-hello": access.GetFunc(hello)}

	r, err := table.Do(context.Background(), &access.Request{URL: url.MustParse("x-hello:world")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	fmt.Println(string(text), err)

	_, err = table.Do(context.Background(), &access.Request{URL: url.MustParse("file:///etc/motd")})
	fmt.Println(err)
	// Output:
	// hello, world <nil>
	// open file:///etc/motd: no access to this scheme
}

// An engine returns a redirect; Follow follows it if Allow permits.
func ExampleFollow() {
	table := access.Table{"x-hello": access.GetFunc(hello)}
	req := &access.Request{URL: url.MustParse("x-hello:mundo")}

	_, err := table.Do(context.Background(), req)
	fmt.Println(err)

	anywhere := func(_, _ url.URL) error { return nil }
	r, err := access.Follow{Engine: table, Allow: anywhere}.Do(context.Background(), req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	fmt.Println(r.URL)
	// Output:
	// moved permanently to x-hello:world
	// x-hello:world
}

// A gateway opens a scheme for which the program lacks an engine.
func ExampleVia() {
	gateway := access.GetFunc(func(_ context.Context, req *access.Request) (*access.Resource, error) {
		fmt.Println("asked for", req.URL)
		return &access.Resource{Entry: access.Entry{URL: req.URL}, Body: io.NopCloser(strings.NewReader(""))}, nil
	})
	table := access.Table{"wais": access.Via{Engine: gateway, Prefix: "http://gateway.example/"}}

	r, err := table.Do(context.Background(), &access.Request{URL: url.MustParse("wais://host/db?words")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	fmt.Println("found", r.URL)
	// Output:
	// asked for http://gateway.example/wais://host/db?words
	// found wais://host/db?words
}
