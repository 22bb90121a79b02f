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

// addressPage has the data of the page of an address.
type addressPage struct {
	page
	Facts []fact
	Link  template.URL // the URL itself, for a program of the user
}

// address answers with the page of an address, such as a mailto URL.
func (x *exchange) address(u url.URL) {
	p := addressPage{page: x.page(u, nameOf(u)), Facts: append(parts(u), fields(u)...), Link: ownLink(u)}
	x.write(http.StatusOK, "address", p)
}

// isAddress reports whether u names an address: people write to it, nothing opens it.
func isAddress(u url.URL) bool {
	s, _ := scheme.Lookup(u.Scheme())
	return s.Flags.Has(scheme.Address)
}

// parts returns the parts of u, as scheme.Parse finds them.
func parts(u url.URL) []fact {
	view, err := scheme.Parse(u)
	if err != nil {
		return nil
	}
	text, err := json.Marshal(scheme.JSON(view))
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

// partText returns the value of a part for people; "" if there is none.
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

// fields returns the fields in the query of an address (RFC 6068 §2).
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
