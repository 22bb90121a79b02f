package imapd

import (
	"fmt"
	"strconv"
	"strings"
)

// A set is a set of numbers such as "1:3,7" or "2:*".
type set string

// has reports whether the set contains the number n. most is the number for which "*" stands.
func (s set) has(n, most int) bool {
	for part := range strings.SplitSeq(string(s), ",") {
		first, last, isRange := strings.Cut(part, ":")
		from, ok := number(first, most)
		to := from
		if isRange && ok {
			to, ok = number(last, most)
		}
		if ok && min(from, to) <= n && n <= max(from, to) {
			return true
		}
	}
	return false
}

// isValid reports whether every part of the set is a number or a range.
func (s set) isValid() bool {
	for part := range strings.SplitSeq(string(s), ",") {
		first, last, isRange := strings.Cut(part, ":")
		if _, ok := number(first, 1); !ok {
			return false
		}
		if _, ok := number(last, 1); isRange && !ok {
			return false
		}
	}
	return true
}

// number returns the number for which text stands, in which "*" is most. ok is false if text is not
// a positive number.
func number(text string, most int) (n int, ok bool) {
	if text == "*" {
		return most, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n > 0
}

// fetch executes FETCH: it writes the items of each message in the set numbers. The UID of a
// message is its sequence number. withUID adds the UID to the items. The error is errBad for an
// invalid set or an unknown item.
func (v *session) fetch(numbers string, items []word, withUID bool) error {
	if !set(numbers).isValid() {
		return errBad
	}
	names := []string{}
	for _, item := range items {
		if item.text != "(" && item.text != ")" {
			names = append(names, item.text)
		}
	}
	if withUID && !contains(names, "UID") {
		names = append([]string{"UID"}, names...)
	}
	for _, name := range names {
		if !isItem(name) {
			return errBad
		}
	}
	messages := v.selected.Messages
	for i := range messages {
		if !set(numbers).has(i+1, len(messages)) {
			continue
		}
		values := make([]string, len(names))
		for j, name := range names {
			values[j] = item(name, i+1, &messages[i])
		}
		v.untagged("%d FETCH (%s)", i+1, strings.Join(values, " "))
	}
	return nil
}

// contains reports whether names has a name, in any case.
func contains(names []string, name string) bool {
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// isItem reports whether the server has the item of FETCH with that name.
func isItem(name string) bool {
	_, isBody := parseSection(name)
	return isBody || contains([]string{"UID", "FLAGS", "RFC822.SIZE", "INTERNALDATE"}, name)
}

// item returns the name and the value of an item of the message m, such as "UID 7". isItem must be
// true for name.
func item(name string, uid int, m *Message) string {
	upper := strings.ToUpper(name)
	switch upper {
	case "UID":
		return fmt.Sprintf("UID %d", uid)
	case "RFC822.SIZE":
		return fmt.Sprintf("RFC822.SIZE %d", len(m.Text))
	case "INTERNALDATE":
		return `INTERNALDATE "` + m.Date.Format("_2-Jan-2006 15:04:05 -0700") + `"`
	case "FLAGS":
		if m.Seen {
			return `FLAGS (\Seen)`
		}
		return "FLAGS ()"
	}
	s, _ := parseSection(name)
	text, ok := s.of(m.Text)
	if !ok {
		return s.label() + " NIL"
	}
	return fmt.Sprintf("%s {%d}\r\n%s", s.label(), len(text), text)
}
