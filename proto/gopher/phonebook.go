package gopher

import (
	"context"
	"errors"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/ph"
	"locus/scheme"
)

// openPhoneBook queries a CSO phone book (type 2). The server speaks the Ph protocol (RFC 2378),
// which has no selectors. The query is the search of the URL.
func (c Client) openPhoneBook(ctx context.Context, req *access.Request, item scheme.Gopher) (*access.Resource, error) {
	if item.Search.Text == "" {
		return nil, &access.Error{
			Op: "open", URL: req.URL, Err: engine.Reason("a phone book needs a search", errors.ErrUnsupported),
			Remedy: access.Advice("add %09 and a name to the URL, as in gopher://host:105/2%09smith"),
		}
	}
	t, err := c.connect(ctx, req.URL, message{
		address: item.Address(defaultPort),
		text:    strings.NewReader(ph.Query(item.Search.Text)),
	})
	if err != nil {
		return nil, err
	}
	people, err := ph.NewReader(t.Conn, t.r)
	if err != nil {
		t.Close()
		return nil, err
	}
	return &access.Resource{Entry: access.Entry{URL: req.URL, Type: "text/plain", Size: -1}, Body: &object{transaction: t, r: people}}, nil
}
