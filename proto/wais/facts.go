package wais

import (
	"strconv"
	"strings"

	"locus/access"
)

// Facts returns what the server says about the document.
func (h *Hit) Facts() []access.Fact {
	var facts []access.Fact
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, access.Fact{Name: name, Value: value})
		}
	}
	add("Score", number(h.Score))
	add("Lines", number(h.Lines))
	add("Types", strings.Join(h.Types, ", "))
	add("Source", h.Source)
	add("From", h.City)
	return facts
}

// number formats n. It returns "" for a negative n, which means not given.
func number(n int64) string {
	if n < 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// Facts returns the source description.
func (s *Source) Facts() []access.Fact {
	var facts []access.Fact
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, access.Fact{Name: name, Value: value})
		}
	}
	add("Database", s.Database)
	add("Server", s.Name)
	add("Maintainer", s.Maintainer)
	add("Cost", strings.TrimSpace(s.Cost+" "+strings.TrimPrefix(s.CostUnit, ":")))
	add("Keywords", strings.Join(s.Keywords, ", "))
	add("Description", s.Description)
	return facts
}
