package gateway

import (
	"bytes"
	"encoding/json"
	"html/template"
	"net/http"
	"strings"

	"locus/render"
	"locus/scheme"
	"locus/url"
)

// elsewherePage is what the page of a URL shows that a program of the user's is
// for.
type elsewherePage struct {
	page
	Facts []fact
	Link  template.URL // the URL itself
}

// elsewhere answers for an address: it cannot be opened, but written to.
func (v *visit) elsewhere(u url.URL) {
	p := elsewherePage{page: v.page(u, nameOf(u)), Facts: append(parts(u), fields(u)...), Link: ownLink(u)}
	v.write(http.StatusOK, "elsewhere", p)
}

// isAddress reports whether u names an address, which nothing can retrieve.
func isAddress(u url.URL) bool {
	s, _ := scheme.Lookup(u.Scheme())
	return s.Flags.Has(scheme.Address)
}

// parts are the parts of what u means, as its view tells them.
func parts(u url.URL) []fact {
	view, err := scheme.Parse(u)
	if err != nil {
		return nil
	}
	text, err := json.Marshal(view)
	if err != nil {
		return nil
	}
	var facts []fact
	in := json.NewDecoder(bytes.NewReader(text))
	in.Token() //nolint:errcheck // "{": a view is an object
	for in.More() {
		name, _ := in.Token()
		var value json.RawMessage
		if in.Decode(&value) != nil {
			break
		}
		if shown := partText(value); shown != "" && name != "password" {
			facts = append(facts, fact{Name: title(name), Value: shown})
		}
	}
	return facts
}

// partText is the value of a part as people read it; "" if there is none.
func partText(value json.RawMessage) string {
	var one string
	var list []string
	switch {
	case json.Unmarshal(value, &one) == nil:
		return render.Clean(one)
	case json.Unmarshal(value, &list) == nil:
		return render.Clean(strings.Join(list, " / "))
	case string(value) == "null":
		return ""
	}
	return render.Clean(string(value))
}

func title(name json.Token) string {
	text, _ := name.(string)
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// fields are the fields in the query of an address (RFC 6068 §2).
func fields(u url.URL) []fact {
	query, has := u.Query()
	if !has {
		return nil
	}
	var facts []fact
	for field := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(field, "=")
		n, err := url.Unescape(name)
		text, err2 := url.Unescape(value)
		if err == nil && err2 == nil && n != "" {
			facts = append(facts, fact{Name: title(render.Clean(n)), Value: cleanText(text)})
		}
	}
	return facts
}
