package gopher

import (
	"context"
	"io"
	"strings"

	"locus/access"
	"locus/proto/internal/ph"
	"locus/scheme"
)

// openPhoneBook opens a CSO phone book (type 2). The server speaks the Ph protocol (RFC 2378), which has
// no selectors. With a search in the URL, the Resource has the people found as text. Without a search it
// is a listing of the fields that can be searched.
func (c Client) openPhoneBook(ctx context.Context, req *access.Request, item scheme.Gopher) (*access.Resource, error) {
	request := ph.Query(item.Search.Text)
	if item.Search.Text == "" {
		request = ph.Fields()
	}
	t, err := c.connect(ctx, req.URL, message{address: item.Address(defaultPort), text: strings.NewReader(request)})
	if err != nil {
		return nil, err
	}
	r, err := t.phoneBook(item)
	if err != nil {
		t.Close()
		return nil, err
	}
	return r, nil
}

// phoneBook reads the start of the reply to the Ph request, and returns a Resource that owns t: the
// people found or, without a search in the URL, the listing of fields. The listing has no fields if the
// server refuses to tell them. On failure the caller closes t.
func (t *transaction) phoneBook(item scheme.Gopher) (*access.Resource, error) {
	var content io.Reader
	content, err := ph.NewReader(t.Conn, t.r)
	if item.Search.Text != "" {
		return &access.Resource{Entry: access.Entry{URL: t.url, Type: "text/plain", Size: -1}, Body: &object{transaction: t, r: content}}, err
	}
	if ph.IsRefused(err) {
		content, err = strings.NewReader(""), nil
	}
	list := &ph.Listing{Body: &object{transaction: t, r: content}, URL: t.url, Title: item.Name}
	return list.Resource(), err
}
