package gopher

import (
	"cmp"
	"io"
	"strings"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

const defaultPort = 70

// A request is the message that the client sends for a URL: one line, and for a submitted form a
// data block.
type request struct {
	item        scheme.Gopher
	command     string    // the Gopher+ field of the line; "" if the line has none
	block       io.Reader // sent after the line; may be nil
	closesWrite bool      // the writing side is closed after the block
}

// parseRequest returns the request for u. It refuses a URL with characters that would end the
// request line (RFC 1738 §6). The data block of a well-formed form (§3.4.9) may have them.
func parseRequest(u url.URL) (request, error) {
	if u.Scheme() != "gopher" && u.Scheme() != "gophers" {
		return request{}, access.ErrNoScheme
	}
	v, err := scheme.ParseGopher(u)
	if err != nil {
		return request{}, err
	}
	for _, part := range [...]struct{ name, text string }{
		{"item type", string(rune(v.Type))}, {"selector", v.Selector}, {"search", v.Search.Text},
	} {
		if err := wire.CheckArgument(part.name, part.text, "\t"); err != nil {
			return request{}, err
		}
	}
	r := request{item: v}
	return r, r.parsePlus()
}

// parsePlus splits the Gopher+ string of the URL into r.command and r.block. It returns an error
// for a command with CR, LF or NUL. A string with NUL, or a string that is not a well-formed form,
// is a command as a whole. [scheme.ParseGopher] has checked that CR and LF occur only in a form.
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

// line returns the request line without its CR LF.
//
//	selector [TAB search] [TAB command]
//
// The type is never sent. An empty search is sent as its TAB (RFC 1738 §3.4.2).
// Before a command it is sent only for search items.
func (r *request) line() string {
	text := r.item.Selector
	if r.item.Search.Text != "" || r.item.Search.Present && (r.item.Type == '7' || r.command == "") {
		text += "\t" + r.item.Search.Text
	}
	if r.command != "" {
		text += "\t" + r.command
	}
	return text
}

// message returns the bytes to send, and the address to send them to.
func (r *request) message() message {
	m := message{address: r.item.Address(defaultPort), text: strings.NewReader(r.line() + "\r\n"), closesWrite: r.closesWrite}
	if r.block != nil {
		m.text = io.MultiReader(m.text, r.block)
	}
	return m
}

// mayHaveHeader reports whether the reply may start with a Gopher+ header. Any second field on the
// line may be read as a Gopher+ command, because RFC 1630 has the command where RFC 1738 has the
// search.
func (r *request) mayHaveHeader() bool { return strings.Contains(r.line(), "\t") }

// attributes returns the request for all attributes of the item. It does not name them, because
// some servers would treat the request as plain Gopher.
func (r request) attributes() request {
	r.command, r.block, r.closesWrite = "!", nil, false
	r.item.Search = url.Some("")
	return r
}

// view returns the label of the requested view, such as "application/postscript Es_ES"; "" for the
// default view, and if no view is requested.
func (r *request) view() string {
	label, _ := strings.CutPrefix(r.command, "+")
	if label == r.command {
		return ""
	}
	label, _, _ = strings.Cut(label, "\t")
	return label
}

// terminalURL returns the telnet or tn3270 URL of the item, whose type is 8 or T. The selector is
// the user name (RFC 1436 §3.8).
func (r *request) terminalURL() url.URL {
	host := scheme.Host{Name: r.item.Name, Port: cmp.Or(r.item.Port, defaultPort)}
	return terminalURL(r.item.Type, host, r.item.Selector)
}

// entryFromURL returns the Entry of u as far as the URL describes it: its kind, type and title.
// The size is -1.
func (r *request) entryFromURL(u url.URL) access.Entry {
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

// wantsAttributes reports whether the request asks for attributes of an item ("!") or of all items
// in a directory ("$").
func (r *request) wantsAttributes() bool {
	return strings.HasPrefix(r.command, "!") || strings.HasPrefix(r.command, "$")
}
