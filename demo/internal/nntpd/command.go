package nntpd

import (
	"fmt"
	"strconv"
	"strings"

	"locus/demo/internal/serve"
)

// list answers LIST (RFC 3977 §7.6): with the groups, their descriptions or the format of OVER.
func (c *conn) list(args []string) {
	what := "ACTIVE"
	if len(args) > 0 {
		what = strings.ToUpper(args[0])
	}
	var b strings.Builder
	switch what {
	case "ACTIVE":
		for _, name := range c.news.names() {
			fmt.Fprintf(&b, "%s %d 1 y\n", name, len(c.news.group(name)))
		}
	case "NEWSGROUPS":
		for _, name := range c.news.names() {
			fmt.Fprintf(&b, "%s\tTexts of the little library\n", name)
		}
	case "OVERVIEW.FMT":
		b.WriteString("Subject:\nFrom:\nDate:\nMessage-ID:\nReferences:\n:bytes\n:lines\n")
	default:
		c.say("501 There is no such list")
		return
	}
	c.say("215 The list")
	c.block(b.String())
}

// selectGroup answers GROUP and LISTGROUP (RFC 3977 §6.1): it selects the group and its first
// article. LISTGROUP also lists the article numbers.
func (c *conn) selectGroup(verb string, args []string) {
	name := c.group
	switch {
	case len(args) > 0:
		name = args[0]
	case verb == "GROUP":
		c.say("501 GROUP needs a name")
		return
	case name == "":
		c.say("412 No group is selected")
		return
	}
	count := len(c.news.group(name))
	if count == 0 {
		c.say("411 No such group")
		return
	}
	c.group, c.number = name, 1
	c.say("211 %d 1 %d %s", count, count, name)
	if verb == "GROUP" {
		return
	}
	var b strings.Builder
	for n := 1; n <= count; n++ {
		fmt.Fprintln(&b, n)
	}
	c.block(b.String())
}

// article answers ARTICLE, HEAD, BODY and STAT (RFC 3977 §6.2).
func (c *conn) article(verb string, args []string) {
	a, number, ok := c.find(args)
	if !ok {
		return
	}
	header, body, _ := strings.Cut(a.text, "\n\n")
	switch verb {
	case "ARTICLE":
		c.say("220 %d %s", number, a.id)
		c.block(a.text)
	case "HEAD":
		c.say("221 %d %s", number, a.id)
		c.block(strings.TrimSuffix(header, "\n") + "\n")
	case "BODY":
		c.say("222 %d %s", number, a.id)
		c.block(body)
	default:
		c.say("223 %d %s", number, a.id)
	}
}

// find returns the article that the arguments name: a message-id, a number in the current group, or
// without arguments the current article. An article that a number names becomes the current one.
// number is 0 for a message-id. If the article does not exist, find sends the reply and returns
// false.
func (c *conn) find(args []string) (a *article, number int, ok bool) {
	if len(args) > 0 && strings.HasPrefix(args[0], "<") {
		if a = c.news.byID(args[0]); a == nil {
			c.say("430 No such article")
		}
		return a, 0, a != nil
	}
	if c.group == "" {
		c.say("412 No group is selected")
		return nil, 0, false
	}
	number = c.number
	if len(args) > 0 {
		number, _ = strconv.Atoi(args[0]) // 0 for anything else
	}
	return c.choose(number, "423 No article has this number")
}

// choose makes an article of the current group the current one, and returns it and its number. If
// the group has no article with that number, choose sends the reply none and returns false.
func (c *conn) choose(number int, none string) (*article, int, bool) {
	all := c.news.group(c.group)
	if number < 1 || number > len(all) {
		c.say("%s", none)
		return nil, 0, false
	}
	c.number = number
	return all[number-1], number, true
}

// step answers NEXT and LAST (RFC 3977 §6.1.3, §6.1.4): it makes the next or the previous article
// the current one.
func (c *conn) step(verb string) {
	if c.group == "" {
		c.say("412 No group is selected")
		return
	}
	to, none := c.number+1, "421 There is no next article"
	if verb == "LAST" {
		to, none = c.number-1, "422 There is no article before"
	}
	if a, number, ok := c.choose(to, none); ok {
		c.say("223 %d %s", number, a.id)
	}
}

// overview answers OVER (RFC 3977 §8.3) with a line about each article of a range of numbers, or
// about the current article.
func (c *conn) overview(args []string) {
	if c.group == "" {
		c.say("412 No group is selected")
		return
	}
	all := c.news.group(c.group)
	first, last := c.number, c.number
	if len(args) > 0 {
		var ok bool
		if first, last, ok = numbers(args[0], len(all)); !ok {
			c.say("501 A range is FIRST-LAST")
			return
		}
	}
	first, last = max(first, 1), min(last, len(all))
	if first > last {
		c.say("423 No articles have these numbers")
		return
	}
	c.say("224 The overview")
	for n := first; n <= last; n++ {
		c.say("%d\t%s", n, all[n-1].overview)
	}
	c.say(".")
}

// numbers parses a range of article numbers: "7", "7-" or "7-9". A range without an end goes to
// count. ok is false if text is not a range.
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

// post answers POST (RFC 3977 §6.3.1): it reads an article up to a line that is just a dot and adds
// it to the news, or replies with 441 if the article is wrong or longer than longestArticle.
func (c *conn) post() {
	c.say("340 Send it, and a period on a line of its own")
	if c.out.Flush() != nil {
		return
	}
	var text strings.Builder
	for {
		line, err := serve.Line(c.in)
		if err != nil {
			c.over = true // it broke off
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
	id, err := c.news.post(text.String())
	if err != nil {
		c.say("441 %v", err)
		return
	}
	c.say("240 Article received %s", id)
}
