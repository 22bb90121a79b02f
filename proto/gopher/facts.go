package gopher

import (
	"strconv"
	"strings"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

// Facts returns the views of Gopher+ with the URL of each, and then the other
// attributes, each block as one fact.
func (i *Item) Facts() []access.Fact {
	var facts []access.Fact
	for _, v := range i.Views() {
		facts = append(facts, access.Fact{Name: "View", Value: v.String(), URL: i.view(v)})
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

// String gives the type, the language and the size: "text/plain En_US 12k".
func (v View) String() string {
	text := strings.TrimSpace(v.Type + " " + v.Language)
	if v.Size >= 0 {
		text += " " + strconv.FormatInt((v.Size+1023)>>10, 10) + "k"
	}
	return text
}

// view returns the URL of the item in a view; the zero URL if it has none.
func (i *Item) view(v View) url.URL {
	own := i.url(i.Type)
	item, err := scheme.ParseGopher(own)
	if err != nil || i.hasForm() {
		return url.URL{}
	}
	plus := scheme.GopherPlus{Kind: scheme.PlusView, View: v.Type, Language: v.Language}
	item.Search, item.Plus = url.Some(""), url.Some(plus.String())
	return item.URL()
}
