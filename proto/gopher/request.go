package gopher

import (
	"io"
	"strings"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

const defaultPort = 70

// A request is what a URL makes the client send: one line, and with a filled-in
// form a data block.
type request struct {
	item    scheme.Gopher
	command string    // the Gopher+ field, as it is sent; "" for none
	block   io.Reader // what follows the line; nil for nothing
	closes  bool      // the end of the block is shown by closing the writing side
}

// parseRequest makes the request of u. It refuses whatever would end a line
// (RFC 1738 §6), but for the data block of a well-formed form (§3.4.9).
func parseRequest(u url.URL) (request, error) {
	if u.Scheme() != "gopher" {
		return request{}, access.ErrNoScheme
	}
	v, err := scheme.ParseGopher(u)
	if err != nil {
		return request{}, err
	}
	for _, part := range [...]struct{ what, text string }{
		{"item type", string(rune(v.Type))}, {"selector", v.Selector}, {"search", v.Search.Text},
	} {
		if err := wire.CheckArgument(part.what, part.text, "\t"); err != nil {
			return request{}, err
		}
	}
	r := request{item: v}
	return r, r.parsePlus()
}

// parsePlus divides a Gopher+ string into the command and the block. That CR and
// LF are only where a form has them, [scheme.ParseGopher] has seen to; the form
// must also be the only thing that the string asks for.
func (r *request) parsePlus() error {
	m, plus := r.item.Meaning(), r.item.Plus.Text
	if strings.IndexByte(plus, 0) >= 0 || m.Kind != scheme.PlusForm {
		r.command = plus
		if err := wire.CheckArgument("Gopher+ string", plus, ""); err != nil {
			return err
		}
	}
	switch m.Kind {
	case scheme.PlusForm:
		r.command = strings.TrimSuffix(plus, "\r\n"+m.Block)
		r.block = strings.NewReader(m.Block)
	case scheme.PlusItem, scheme.PlusItems:
		r.command = strings.ReplaceAll(plus, " +", "+")
	case scheme.PlusView:
		if plus == "" {
			r.command = "+"
		}
	}
	return nil
}

// line returns the request line, without its CR LF.
//
//	selector [TAB search] [TAB command]
//
// The type is never sent. An empty search is sent for search items alone.
func (r *request) line() string {
	text := r.item.Selector
	if r.item.Search.Text != "" || r.item.Type == '7' && r.item.Search.Present {
		text += "\t" + r.item.Search.Text
	}
	if r.command != "" {
		text += "\t" + r.command
	}
	return text
}

// message returns what is sent, and to where.
func (r *request) message() message {
	m := message{address: r.item.Address(defaultPort), text: strings.NewReader(r.line() + "\r\n"), closes: r.closes}
	if r.block != nil {
		m.text = io.MultiReader(m.text, r.block)
	}
	return m
}

// mayHaveHeader reports whether the answer may start with a Gopher+ header. A
// server may take any second field for a Gopher+ command; RFC 1630 writes the
// command of Gopher+ where RFC 1738 has the search.
func (r *request) mayHaveHeader() bool { return strings.Contains(r.line(), "\t") }

// attributes returns the request for the attributes of the item. It names none
// of them, because some servers take such a request for one of plain Gopher.
func (r request) attributes() request {
	r.command, r.block, r.closes = "!", nil, false
	r.item.Search = url.Some("")
	return r
}

// view returns the label of the view that is asked for, such as
// "application/postscript Es_ES"; "" for the default one.
func (r *request) view() string {
	label, _ := strings.CutPrefix(r.command, "+")
	if label == r.command {
		return ""
	}
	label, _, _ = strings.Cut(label, "\t")
	return label
}

// known returns what the URL itself tells.
func (r *request) known(u url.URL) access.Entry {
	t := typeOf(r.item.Type, r.item.Selector)
	e := access.Entry{Title: r.item.Selector, URL: u, Kind: t.kind, Type: t.media, Size: -1}
	switch {
	case r.command == "?":
		e.Kind = access.Form
	case r.wantsAttributes():
		e.Kind, e.Type = access.Directory, attributesType
	case r.view() != "" && isMenu(mediaOf(r.view())), r.item.Type == '7' && r.item.Search.Text != "":
		e.Kind = access.Directory
	case r.view() != "":
		e.Kind = access.Object
	}
	if r.view() != "" {
		e.Type = mediaOf(r.view())
	}
	return e
}

// wantsAttributes reports whether attributes are asked for.
func (r *request) wantsAttributes() bool {
	return strings.HasPrefix(r.command, "!") || strings.HasPrefix(r.command, "$")
}
