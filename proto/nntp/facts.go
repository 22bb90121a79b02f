package nntp

import (
	"strconv"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

// Facts returns the fields of the header, with the names of RFC 5536.
func (o Overview) Facts() []access.Fact {
	var facts []access.Fact
	if o.From != "" {
		facts = append(facts, access.Fact{Name: "From", Value: o.From})
	}
	if o.Lines >= 0 {
		facts = append(facts, access.Fact{Name: "Lines", Value: strconv.FormatInt(o.Lines, 10)})
	}
	if o.MessageID != "" {
		facts = append(facts, access.Fact{Name: "Message-ID", Value: o.MessageID})
	}
	facts = append(facts, factsOf("References", o.References)...)
	return append(facts, factsOf("Newsgroups", o.Newsgroups)...)
}

// factsOf returns a fact for each group or article.
func factsOf(name string, urls []url.URL) []access.Fact {
	var facts []access.Fact
	for _, u := range urls {
		v, err := scheme.ParseNews(u)
		if err != nil {
			continue
		}
		value := v.Group
		if v.Kind == scheme.NewsArticle {
			value = v.MessageID
		}
		facts = append(facts, access.Fact{Name: name, Value: value, URL: u})
	}
	return facts
}

// Facts returns the number of articles, and whether posting is allowed.
func (g Group) Facts() []access.Fact {
	var facts []access.Fact
	if g.High >= g.Low && g.High > 0 {
		facts = append(facts, access.Fact{Name: "Articles", Value: strconv.FormatUint(g.High-g.Low+1, 10)})
	}
	switch g.Status {
	case "m":
		facts = append(facts, access.Fact{Name: "Posting", Value: "moderated"})
	case "n":
		facts = append(facts, access.Fact{Name: "Posting", Value: "not allowed"})
	}
	return facts
}

// Constant reports whether the article never changes. That holds for a
// message-id (RFC 5536 §3.1.3). A number may name another article later.
func (a Article) Constant() bool { return a.Number == 0 && a.MessageID != "" }
