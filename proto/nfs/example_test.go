package nfs_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"

	"locus/access"
	"locus/demo"
	"locus/proto/nfs"
	"locus/url"
)

func ExampleClient_Do() {
	ctx := context.Background()
	d, err := demo.Start(ctx, demo.Config{Listen: net.Listen})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	c := nfs.Client{Dial: new(net.Dialer).DialContext, Pool: &nfs.Pool{}}
	defer c.Pool.Close()
	base := url.MustParse("nfs://" + d.Service("nfs").Addr + "/texts/")

	r, err := c.Do(ctx, &access.Request{URL: base})
	if err != nil {
		fmt.Println(err)
		return
	}
	err = access.Entries(r.List, func(e access.Entry) error {
		if strings.HasPrefix(e.Title, "w") {
			fmt.Println(e.Title, e.Size, e.Sys.(*nfs.Attributes).Mode)
		}
		return nil
	})
	r.Body.Close()
	if err != nil {
		fmt.Println(err)
		return
	}

	u, _ := base.Resolve("wais.txt")
	r, err = c.Do(ctx, &access.Request{URL: u, Length: 33})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	fmt.Println(string(text), err)
	// Output:
	// wais.txt 625 -r--r--r--
	// WAIS: ask in words, get documents <nil>
}

func ExampleParseIdentity() {
	id, err := nfs.ParseIdentity("1000:100,27")
	fmt.Println(id.UID, id.GID, id.Groups, err)
	// Output: 1000 100 [27] <nil>
}
