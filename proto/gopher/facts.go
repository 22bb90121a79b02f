package gopher

import (
	"strconv"
	"strings"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

// Facts returns one fact for each view, with its URL, and then one for each
// other attribute.
func (i *Item) Facts() []access.Fact {
	var facts []access.Fact
	for _, v := range i.Views() {
		facts = append(facts, access.Fact{Name: "View", Value: v.String(), URL: i.viewURL(v)})
	}
	for _, a := range i.Attributes {
		if a.Name == "VIEWS" {
			continue
		}
		value := strings.TrimSpace(a.Value + "\n" + strings.Join(a.Lines, "\n"))
		if value != "" {
			facts = append(facts, access.Fact{Name: a.Name, Value: value})
		}
	}
	return facts
}

// String returns the type, the language and the size: "text/plain En_US 12k".
func (v View) String() string {
	text := strings.TrimSpace(v.Type + " " + v.Language)
	if v.Size >= 0 {
		text += " " + strconv.FormatInt((v.Size+1023)>>10, 10) + "k"
	}
	return text
}

// viewURL returns the URL of one view of the item. It is zero if there is none.
func (i *Item) viewURL(v View) url.URL {
	u := i.url(i.Type)
	item, err := scheme.ParseGopher(u)
	if err != nil || i.hasForm() {
		return url.URL{}
	}
	plus := scheme.GopherPlus{Kind: scheme.PlusView, View: v.Type, Language: v.Language}
	item.Search, item.Plus = url.Some(""), url.Some(plus.String())
	return item.URL()
}
