package forwarded

import (
	"errors"
	"strings"
)

// An element is the part of Forwarded that one proxy wrote. A parameter that it does not have is "".
type element struct{ client, proto, host string }

var errQuote = errors.New("a quoted text has no end")

// parse returns the elements of the field Forwarded (RFC 7239 §4) in order, and leaves empty ones out. It returns an
// error if the field is malformed anywhere: after an open quote it is unknown where the elements of the proxies
// begin.
//
//	for=192.0.2.43;proto=https, for="[2001:db8::17]:4711"
//	|_| |________| |_________|  |_______________________|
//	name  value     another      another element
//	               parameter
func parse(field string) ([]element, error) {
	var all []element
	for rest, more := field, true; more; {
		e, after, err := parseElement(rest)
		if err != nil {
			return nil, err
		}
		if strings.Trim(rest[:len(rest)-len(after)], " \t;") != "" {
			all = append(all, e)
		}
		rest, more = strings.CutPrefix(after, ",")
	}
	return all, nil
}

// parseElement parses the element at the start of text. rest begins with the comma after the element, or is "" at
// the end.
func parseElement(text string) (e element, rest string, err error) {
	for rest = text; ; {
		rest = strings.TrimLeft(rest, " \t;")
		if rest == "" || rest[0] == ',' {
			return e, rest, nil
		}
		var name, value string
		if name, value, rest, err = parsePair(rest); err != nil {
			return e, "", err
		}
		if err = e.set(name, value); err != nil {
			return e, "", err
		}
		rest = strings.TrimLeft(rest, " \t")
		if rest != "" && rest[0] != ',' && rest[0] != ';' {
			return e, "", errors.New("neither a comma nor a semicolon follows a value")
		}
	}
}

// set sets the parameter with this name, in any case. It ignores unknown names. It returns an error if e already has
// the parameter.
func (e *element) set(name, value string) error {
	var field *string
	switch strings.ToLower(name) {
	case "for":
		field = &e.client
	case "proto":
		field = &e.proto
	case "host":
		field = &e.host
	default:
		return nil
	}
	if *field != "" {
		return errors.New("an element has a parameter twice")
	}
	*field = value
	return nil
}

// parsePair parses "name=value" at the start of text. value has no quotes, and rest is the text after the value.
func parsePair(text string) (name, value, rest string, err error) {
	name, rest, ok := strings.Cut(text, "=")
	if !ok || name == "" || strings.ContainsAny(name, " \t\",;") {
		return "", "", "", errors.New("a parameter is not name=value")
	}
	if strings.HasPrefix(rest, `"`) {
		value, rest, err = parseQuoted(rest[1:])
		return name, value, rest, err
	}
	end := strings.IndexAny(rest, " \t\",;")
	if end < 0 {
		end = len(rest)
	}
	return name, rest[:end], rest[end:], nil
}

// parseQuoted parses a quoted text that begins after its first quote. value is the text without escapes, and rest is
// the text after the last quote. Without a last quote the error is errQuote.
func parseQuoted(text string) (value, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			return b.String(), text[i+1:], nil
		case '\\':
			i++
			if i == len(text) {
				return "", "", errQuote
			}
		}
		b.WriteByte(text[i])
	}
	return "", "", errQuote
}
