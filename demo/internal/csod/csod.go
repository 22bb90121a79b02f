// Package csod is a small server of the phone book protocol Ph (RFC 2378), with the people of a library.
//
// Notable divergences:
//   - RFC 2378 §3: it has query, ph, fields, siteinfo, status, id, help and quit, and no login.
package csod

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"path"
	"slices"
	"strings"
	"time"

	"locus/demo/internal/serve"
)

const (
	idle    = 10 * time.Minute // limit for each Read and Write
	maxLine = 1 << 10          // limit for the bytes of a command
)

// A field is a field that people have.
type field struct {
	name, about string
	isDefault   bool // it is shown unless the query asks for other fields
}

// fields returns the fields of a person, in the order in which answers list them.
func fields() []field {
	return []field{
		{"name", "first and last name", true},
		{"alias", "short name, which is unique", true},
		{"department", "room of the library", true},
		{"email", "address for letters", true},
		{"phone", "number of the telephone", false},
	}
}

// A person has a value for each field.
type person map[string]string

// people returns the persons of the directory.
func people() []person {
	return []person{
		{"name": "Ada Lens", "alias": "ada", "department": "pictures", "email": "ada@demo.example", "phone": "17105"},
		{"name": "Bela Menu", "alias": "bela", "department": "gopherspace", "email": "bela@demo.example", "phone": "17070"},
		{"name": "Carl Score", "alias": "carl", "department": "searches", "email": "carl@demo.example", "phone": "17210"},
		{"name": "Dora Score", "alias": "dora", "department": "catalogue", "email": "dora@demo.example", "phone": "17211"},
		{"name": "Emil Post", "alias": "emil", "department": "news and mail", "email": "emil@demo.example", "phone": "17119"},
		{"name": "Fay Reader", "alias": "fay", "department": "reading room", "email": "reader@demo.example", "phone": "17023"},
	}
}

// A Server answers queries. Change no field while it serves. Several goroutines may call Serve at once.
type Server struct {
	Log serve.Log // called with each command; may be nil
}

// Serve executes commands until the client leaves. The caller closes c. Serve ignores ctx, because it ends when c is
// closed.
func (s *Server) Serve(_ context.Context, c net.Conn) {
	c = serve.WithIdle(c, idle)
	in, out := bufio.NewReaderSize(c, maxLine), bufio.NewWriter(c)
	for {
		line, err := serve.Line(in)
		if err != nil {
			return
		}
		s.Log.Line(fmt.Sprintf("%q", line))
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		answer(out, strings.ToLower(verb), rest)
		if out.Flush() != nil || isLast(verb) {
			return // the client has disconnected, or wants to
		}
	}
}

// isLast reports whether a command with this verb, in any case, ends the connection.
func isLast(verb string) bool {
	return slices.Contains([]string{"quit", "exit", "stop"}, strings.ToLower(verb))
}

// answer writes the answer to a command, whose verb is in lower case. rest is the text after the verb.
func answer(w *bufio.Writer, verb, rest string) {
	switch {
	case verb == "query" || verb == "ph":
		find(w, rest)
	case verb == "fields":
		for i, f := range fields() {
			fmt.Fprintf(w, "-200:%d:%s:max 64 Indexed Lookup Public%s\r\n", i+1, f.name, defaultWord(f))
			fmt.Fprintf(w, "-200:%d:%s:%s\r\n", i+1, f.name, f.about)
		}
		fmt.Fprint(w, "200:Ok.\r\n")
	case verb == "siteinfo":
		fmt.Fprint(w, "-200:1:maildomain:demo.example\r\n-200:2:administrator:library@demo.example\r\n200:Ok.\r\n")
	case verb == "status":
		fmt.Fprint(w, "200:Database ready.\r\n")
	case verb == "id":
		fmt.Fprint(w, "200:Thanks.\r\n")
	case verb == "help":
		fmt.Fprint(w, "-200:1:The commands are query, fields, siteinfo, status, id and quit.\r\n200:Ok.\r\n")
	case isLast(verb):
		fmt.Fprint(w, "200:Bye!\r\n")
	default:
		fmt.Fprint(w, "514:Unknown command.\r\n")
	}
}

// defaultWord returns " Default" for a field that queries show by default, and "" for any other field.
func defaultWord(f field) string {
	if f.isDefault {
		return " Default"
	}
	return ""
}

// A condition is a part of a query: the words of the value must be in the field.
type condition struct{ field, value string }

// find answers a query, such as "name=score department=searches return name email", with the persons who meet all
// conditions, or with an error. The query may be in any case. A condition whose value has no words is left out.
func find(w *bufio.Writer, query string) {
	asked, returned := cutReturn(words(strings.ToLower(query)))
	shown, isKnown := shownFields(returned)
	var conditions []condition
	for _, word := range asked {
		name, value, ok := strings.Cut(word, "=")
		if !ok {
			name, value = "name", word
		}
		isKnown = isKnown && isField(name)
		if strings.TrimSpace(value) != "" {
			conditions = append(conditions, condition{name, value})
		}
	}
	switch {
	case !isKnown:
		fmt.Fprint(w, "507:Field does not exist.\r\n")
		return
	case len(conditions) == 0:
		fmt.Fprint(w, "515:The query has no words to look for.\r\n")
		return
	}
	found := slices.DeleteFunc(people(), func(p person) bool { return !p.meets(conditions) })
	if len(found) == 0 {
		fmt.Fprint(w, "501:No matches to your query.\r\n")
		return
	}
	fmt.Fprintf(w, "102:There are %d matches to your request.\r\n", len(found))
	for i, p := range found {
		for _, name := range shown {
			fmt.Fprintf(w, "-200:%d:%12s: %s\r\n", i+1, name, p[name])
		}
	}
	fmt.Fprint(w, "200:Ok.\r\n")
}

// cutReturn returns the words before and after the word "return". Without that word, after is nil.
func cutReturn(all []string) (before, after []string) {
	i := slices.Index(all, "return")
	if i < 0 {
		return all, nil
	}
	return all[:i], all[i+1:]
}

// shownFields returns the fields that a query asks for by names: the default ones if names is empty, and all fields for
// "all". ok is false if a name is not a field.
func shownFields(names []string) (shown []string, ok bool) {
	for _, f := range fields() {
		if len(names) == 0 && f.isDefault || slices.Contains(names, "all") {
			shown = append(shown, f.name)
		}
	}
	if shown != nil {
		return shown, true
	}
	return names, !slices.ContainsFunc(names, func(name string) bool { return !isField(name) })
}

// isField reports whether name is a field of a person.
func isField(name string) bool {
	return slices.ContainsFunc(fields(), func(f field) bool { return f.name == name })
}

// meets reports whether a person meets all conditions.
func (p person) meets(conditions []condition) bool {
	return !slices.ContainsFunc(conditions, func(c condition) bool { return !hasWords(p[c.field], c.value) })
}

// hasWords reports whether text has all words of pattern, in any order and case. A word of pattern may have the
// wildcards "*" and "?".
func hasWords(text, pattern string) bool {
	known := strings.Fields(strings.ToLower(text))
	for _, word := range strings.Fields(strings.ToLower(pattern)) {
		isMatch := func(s string) bool {
			ok, err := path.Match(word, s)
			return ok && err == nil
		}
		if !slices.ContainsFunc(known, isMatch) {
			return false
		}
	}
	return true
}

// words splits a query into words and removes the quotation marks. A quoted part of a word may have spaces:
// department="news and mail".
func words(query string) []string {
	var all []string
	var word strings.Builder
	inWord, isQuoted := false, false
	for i := range len(query) {
		switch c := query[i]; {
		case c == '"':
			inWord, isQuoted = true, !isQuoted
		case c != ' ' || isQuoted:
			inWord = true
			word.WriteByte(c)
		case inWord:
			all = append(all, word.String())
			word.Reset()
			inWord = false
		}
	}
	if inWord {
		all = append(all, word.String())
	}
	return all
}
