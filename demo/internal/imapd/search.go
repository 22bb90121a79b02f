package imapd

import (
	"strconv"
	"strings"
)

// A query is the words of a SEARCH that are not read yet.
type query struct {
	words []word
	most  int // the number that "*" stands for
}

// A key reports whether a message, with its number, meets one key of a search.
type key func(n int, m *Message) bool

// search executes SEARCH: it writes the numbers, which are also the UIDs, of the messages that meet all keys of args.
// The error is errBad for an unknown key or no key, and a result of errNo for an unknown charset.
func (v *session) search(args []word) error {
	q := &query{args, len(v.selected.Messages)}
	if len(q.words) > 1 && q.words[0].is("CHARSET") {
		if !contains([]string{"UTF-8", "US-ASCII"}, q.words[1].text) {
			return errNo("[BADCHARSET (UTF-8 US-ASCII)] there is only UTF-8")
		}
		q.words = q.words[2:]
	}
	if len(q.words) == 0 {
		return errBad
	}
	var keys []key
	for len(q.words) > 0 {
		k := q.next()
		if k == nil {
			return errBad
		}
		keys = append(keys, k)
	}
	found := ""
	for i := range v.selected.Messages {
		if all(keys)(i+1, &v.selected.Messages[i]) {
			found += " " + strconv.Itoa(i+1)
		}
	}
	v.untagged("SEARCH%s", found)
	return nil
}

// all returns the key that a message meets if it meets all of keys.
func all(keys []key) key {
	return func(n int, m *Message) bool {
		for _, k := range keys {
			if !k(n, m) {
				return false
			}
		}
		return true
	}
}

// next takes the next key from the query. It returns nil if the query is at its end, or if the server does not know the
// key.
func (q *query) next() key {
	w, ok := q.take()
	if !ok || w.isQuoted {
		return nil
	}
	switch name := strings.ToUpper(w.text); name {
	case "ALL":
		return all(nil)
	case "SEEN":
		return func(_ int, m *Message) bool { return m.Seen }
	case "UNSEEN":
		return func(_ int, m *Message) bool { return !m.Seen }
	case "NOT":
		k := q.next()
		if k == nil {
			return nil
		}
		return func(n int, m *Message) bool { return !k(n, m) }
	case "SUBJECT", "FROM", "TO", "BODY", "TEXT":
		return q.text(name)
	case "UID":
		w, ok = q.take()
		if !ok {
			return nil
		}
	}
	numbers := set(w.text)
	if !numbers.isValid() {
		return nil
	}
	return func(n int, _ *Message) bool { return numbers.has(n, q.most) }
}

// take removes the next word from the query and returns it. ok is false at the end of the query.
func (q *query) take() (w word, ok bool) {
	if len(q.words) == 0 {
		return word{}, false
	}
	w, q.words = q.words[0], q.words[1:]
	return w, true
}

// text takes the next word from the query, and returns the key of messages that contain it in the field called name, in
// the BODY, or in the whole TEXT. It returns nil at the end of the query.
func (q *query) text(name string) key {
	w, ok := q.take()
	if !ok {
		return nil
	}
	wanted := strings.ToLower(w.text)
	return func(_ int, m *Message) bool {
		header, body := cutHeader(m.Text)
		text := value(header, name)
		switch name {
		case "BODY":
			text = body
		case "TEXT":
			text = m.Text
		}
		return strings.Contains(strings.ToLower(text), wanted)
	}
}
