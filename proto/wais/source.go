package wais

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"locus/access"
	"locus/scheme"
	"locus/url"
)

// A Source is a source description: the contents of a database and its address. Strings are
// unescaped. A missing field is "", 0 or nil.
type Source struct {
	Name        string // the host name of the server
	Address     string // the IP address of the server
	Port        uint16 // 0 if not given
	Database    string
	Cost        string // a number: "0.00"
	CostUnit    string // ":free", ":dollars-per-minute" and the like
	Maintainer  string
	Keywords    []string
	Description string
}

// URL returns the URL of the database. ok is false if the description lacks the server or the
// name of the database.
func (s Source) URL() (u url.URL, ok bool) {
	host := cmp.Or(s.Name, s.Address)
	v := scheme.WAIS{Host: scheme.Host{Name: host, Port: s.Port}, Database: s.Database}
	if v.Port == defaultPort {
		v.Port = 0
	}
	u = v.URL()
	return u, host != "" && s.Database != "" && !u.IsZero()
}

// fields returns header fields with the values of the description. It leaves out missing values.
func (s *Source) fields() access.Header {
	return headerOf(
		"Database", s.Database, "Server", s.Name, "Maintainer", s.Maintainer,
		"Cost", strings.TrimSpace(s.Cost+" "+strings.TrimPrefix(s.CostUnit, ":")),
		"Keywords", strings.Join(s.Keywords, ", "), "Description", s.Description)
}

// headerOf returns the fields with the names and values in pairs: name, value, name, value, and
// so on. It leaves out empty values.
func headerOf(pairs ...string) (fields access.Header) {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			fields = append(fields, access.Field{Name: pair[0], Value: pair[1]})
		}
	}
	return fields
}

// ParseSource parses a source description:
//
//	(:source :version 3 :ip-name "host" :tcp-port 210 :database-name "db"
//	  :keyword-list ( word … ) :description "…" … )
//
// It skips unknown fields and nested lists. In a string, "\" escapes the next character. Field
// names are case-insensitive. A missing field has its zero value. ParseSource ignores text after
// the last ")". An error gives the offset of the byte at which parsing stopped.
func ParseSource(text []byte) (Source, error) {
	p := sourceParser{rest: string(text)}
	s, err := p.source()
	if err != nil {
		at := len(text) - len(p.rest)
		return Source{}, fmt.Errorf("source description, byte %d: %w", at, err)
	}
	return s, nil
}

// maxDepth limits the nesting of lists.
const maxDepth = 32

type sourceParser struct{ rest string }

// source parses "(:source" and the fields up to its ")". Field names are case-insensitive. After
// an error, p.rest begins near the fault.
func (p *sourceParser) source() (Source, error) {
	var s Source
	for _, want := range []string{"(", ":source"} {
		if t, err := p.token(); err != nil || !strings.EqualFold(t.text, want) || t.quoted {
			return s, fmt.Errorf("want %q", want)
		}
	}
	for {
		name, err := p.token()
		switch {
		case err != nil:
			return s, err
		case name.is(")"):
			return s, nil
		case name.quoted || name.text[0] != ':':
			return s, fmt.Errorf("found %q, want the name of a field", name.text)
		}
		values, err := p.value()
		if err != nil {
			return s, err
		}
		if err := s.set(strings.ToLower(name.text), values); err != nil {
			return s, err
		}
	}
}

// set sets the field with a name such as ":tcp-port", which is in lower case. values are the elements of a list, or one
// value. It ignores unknown fields. An invalid port is an error.
func (s *Source) set(name string, values []string) error {
	value := strings.Join(values, " ")
	switch name {
	case ":keyword-list":
		s.Keywords = values
	case ":tcp-port":
		port, err := strconv.ParseUint(value, 10, 16)
		if err != nil {
			return fmt.Errorf("invalid port %q", value)
		}
		s.Port = uint16(port)
	}
	fields := map[string]*string{
		":ip-name": &s.Name, ":ip-address": &s.Address, ":database-name": &s.Database, ":cost": &s.Cost,
		":cost-unit": &s.CostUnit, ":maintainer": &s.Maintainer, ":description": &s.Description,
	}
	if field, ok := fields[name]; ok {
		*field = value
	}
	return nil
}

// value parses the value of a field. It returns the elements of a list, or one element for an
// atom or a string. It skips lists within the list.
func (p *sourceParser) value() ([]string, error) {
	var values []string
	depth := 0
	for {
		t, err := p.token()
		switch {
		case err != nil:
			return nil, err
		case t.is("("):
			depth++
		case t.is(")"):
			depth--
		case depth <= 1:
			values = append(values, t.text)
		}
		switch {
		case depth < 0:
			return nil, errors.New("a field without a value")
		case depth == 0:
			return values, nil
		case depth > maxDepth:
			return nil, fmt.Errorf("lists nested deeper than %d", maxDepth)
		}
	}
}

// A token is a parenthesis, an atom, or a string.
type token struct {
	text   string
	quoted bool
}

// is reports whether the token is the unquoted text.
func (t token) is(text string) bool { return t.text == text && !t.quoted }

const blank = " \t\r\n\f\v"

// token returns the next token: a "(", a ")", a quoted text or a word. The end of the text is an
// error.
func (p *sourceParser) token() (token, error) {
	p.rest = strings.TrimLeft(p.rest, blank)
	if p.rest == "" {
		return token{}, errors.New("unexpected end")
	}
	switch p.rest[0] {
	case '"':
		return p.quoted()
	case '(', ')':
		return token{text: p.take(1)}, nil
	}
	end := strings.IndexAny(p.rest, blank+`()"`)
	if end < 0 {
		end = len(p.rest)
	}
	return token{text: p.take(end)}, nil
}

// quoted parses the string at the start of p.rest, and returns its text without quotation marks
// and backslashes.
func (p *sourceParser) quoted() (token, error) {
	var b strings.Builder
	for i := 1; i < len(p.rest); i++ {
		switch c := p.rest[i]; {
		case c == '"':
			p.take(i + 1)
			return token{b.String(), true}, nil
		case c == '\\' && i+1 < len(p.rest):
			i++
			b.WriteByte(p.rest[i])
		default:
			b.WriteByte(c)
		}
	}
	return token{}, errors.New("unterminated string")
}

// take returns the next n bytes and skips them. At least n bytes must be left.
func (p *sourceParser) take(n int) string {
	taken := p.rest[:n]
	p.rest = p.rest[n:]
	return taken
}
