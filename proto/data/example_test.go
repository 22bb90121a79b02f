package data_test

import (
	"context"
	"fmt"
	"io"

	"locus/access"
	"locus/proto/data"
	"locus/url"
)

func ExampleClient() {
	u := url.MustParse("data:text/plain;base64,aGVsbG8=")
	r, err := data.Client{}.Do(context.Background(), &access.Request{URL: u})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Body.Close()
	content, err := io.ReadAll(r.Body)
	fmt.Println(r.Type, string(content), err)
	// Output: text/plain hello <nil>
}
