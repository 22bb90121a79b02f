package nntpd

import (
	"fmt"
	"strconv"
	"strings"

	"locus/demo/internal/serve"
)

// list answers LIST (RFC 3977 §7.6).
func (s *session) list(args []string) {
	what := "ACTIVE"
	if len(args) > 0 {
		what = strings.ToUpper(args[0])
	}
	var b strings.Builder
	switch what {
	case "ACTIVE":
		for _, name := range s.news.names() {
			fmt.Fprintf(&b, "%s %d 1 y\n", name, len(s.news.group(name)))
		}
	case "NEWSGROUPS":
		for _, name := range s.news.names() {
			fmt.Fprintf(&b, "%s\tTexts of the little library\n", name)
		}
	case "OVERVIEW.FMT":
		b.WriteString("Subject:\nFrom:\nDate:\nMessage-ID:\nReferences:\n:bytes\n:lines\n")
	default:
		s.say("501 There is no such list")
		return
	}
	s.say("215 The list")
	s.block(b.String())
}

// selects answers GROUP and LISTGROUP (RFC 3977 §6.1).
func (s *session) selects(verb string, args []string) {
	name := s.group
	switch {
	case len(args) > 0:
		name = args[0]
	case verb == "GROUP":
		s.say("501 GROUP wants a name")
		return
	case name == "":
		s.say("412 No group is selected")
		return
	}
	count := len(s.news.group(name))
	if count == 0 {
		s.say("411 No such group")
		return
	}
	s.group, s.number = name, 1
	s.say("211 %d 1 %d %s", count, count, name)
	if verb == "GROUP" {
		return
	}
	var b strings.Builder
	for n := 1; n <= count; n++ {
		fmt.Fprintln(&b, n)
	}
	s.block(b.String())
}

// article answers ARTICLE, HEAD, BODY and STAT (RFC 3977 §6.2).
func (s *session) article(verb string, args []string) {
	a, number, ok := s.find(args)
	if !ok {
		return
	}
	header, body, _ := strings.Cut(a.text, "\n\n")
	switch verb {
	case "ARTICLE":
		s.say("220 %d %s", number, a.id)
		s.block(a.text)
	case "HEAD":
		s.say("221 %d %s", number, a.id)
		s.block(strings.TrimSuffix(header, "\n") + "\n")
	case "BODY":
		s.say("222 %d %s", number, a.id)
		s.block(body)
	default:
		s.say("223 %d %s", number, a.id)
	}
}

// find returns the article that the arguments name, or sends why there is none.
func (s *session) find(args []string) (a *article, number int, ok bool) {
	if len(args) > 0 && strings.HasPrefix(args[0], "<") {
		if a = s.news.byID(args[0]); a == nil {
			s.say("430 No such article")
		}
		return a, 0, a != nil
	}
	if s.group == "" {
		s.say("412 No group is selected")
		return nil, 0, false
	}
	number = s.number
	if len(args) > 0 {
		number, _ = strconv.Atoi(args[0]) // 0 for anything else
	}
	return s.choose(number, "423 No article has this number")
}

// choose returns the article of the current group with a number, which becomes the
// current one. If there is none it sends that.
func (s *session) choose(number int, none string) (*article, int, bool) {
	all := s.news.group(s.group)
	if number < 1 || number > len(all) {
		s.say("%s", none)
		return nil, 0, false
	}
	s.number = number
	return all[number-1], number, true
}

// step answers NEXT and LAST (RFC 3977 §6.1.3, §6.1.4).
func (s *session) step(verb string) {
	if s.group == "" {
		s.say("412 No group is selected")
		return
	}
	to, none := s.number+1, "421 There is no next article"
	if verb == "LAST" {
		to, none = s.number-1, "422 There is no article before"
	}
	if a, number, ok := s.choose(to, none); ok {
		s.say("223 %d %s", number, a.id)
	}
}

// overview answers OVER (RFC 3977 §8.3).
func (s *session) overview(args []string) {
	if s.group == "" {
		s.say("412 No group is selected")
		return
	}
	all := s.news.group(s.group)
	first, last := s.number, s.number
	if len(args) > 0 {
		var ok bool
		if first, last, ok = numbers(args[0], len(all)); !ok {
			s.say("501 A range is FIRST-LAST")
			return
		}
	}
	first, last = max(first, 1), min(last, len(all))
	if first > last {
		s.say("423 No articles have these numbers")
		return
	}
	s.say("224 The overview")
	for n := first; n <= last; n++ {
		s.say("%d\t%s", n, all[n-1].overview)
	}
	s.say(".")
}

// numbers reads "7", "7-" or "7-9".
func numbers(text string, count int) (first, last int, ok bool) {
	from, to, ranged := strings.Cut(text, "-")
	first, err := strconv.Atoi(from)
	if err != nil {
		return 0, 0, false
	}
	switch {
	case !ranged:
		return first, first, true
	case to == "":
		return first, count, true
	}
	last, err = strconv.Atoi(to)
	return first, last, err == nil
}

// post answers POST (RFC 3977 §6.3.1).
func (s *session) post() {
	s.say("340 Send it, and a period on a line of its own")
	if s.out.Flush() != nil {
		return
	}
	var text strings.Builder
	for {
		line, err := serve.Line(s.in)
		if err != nil {
			s.over = true // it broke off
			return
		}
		if line == "." {
			break
		}
		if text.Len() <= longestArticle {
			text.WriteString(strings.TrimPrefix(line, "."))
			text.WriteByte('\n')
		}
	}
	id, err := s.news.post(text.String())
	if err != nil {
		s.say("441 %v", err)
		return
	}
	s.say("240 Article received %s", id)
}
