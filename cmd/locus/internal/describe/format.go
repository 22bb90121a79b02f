package describe

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"locus/internal/facts"
	"locus/scheme"
	"locus/url"
	"locus/url/query"
)

// A Format writes a text in which "{" and "}" enclose the names of parts of a URL.
// [ParseFormat] makes one.
type Format struct{ fields []field }

// A field returns the text for one piece of a Format: a part of the URL, or the literal text between two parts.
type field func(d Description) (string, error)

// A FormatError says why a text is not a valid Format.
type FormatError struct {
	Part       string // the text after "{"
	IsUnclosed bool   // the text has no "}" after Part; otherwise Part is unknown
}

// Error returns "no } after {port", or an error with the unknown part.
func (e *FormatError) Error() string {
	if e.IsUnclosed {
		return fmt.Sprintf("no } after {%s", e.Part)
	}
	return fmt.Sprintf("the part {%s} is unknown", e.Part)
}

// ParseFormat parses a text such as "{host}:{port}". Its parts are {scheme}, {user}, {password},
// {host}, {port}, {path}, {query}, {fragment} and {url}; {query:NAME}, the first value of NAME in
// the query, decoded; and a part of the meaning such as {ftp.type}, as [Description.JSON] names it.
// {port} is the default port of the scheme if the URL has no port. If a URL does not have a part,
// its text is "". A Format cannot contain a literal "{". An error is a *FormatError.
func ParseFormat(text string) (Format, error) {
	var f Format
	for text != "" {
		literal, after, found := strings.Cut(text, "{")
		f.fields = append(f.fields, func(Description) (string, error) { return literal, nil })
		if !found {
			break
		}
		name, next, closed := strings.Cut(after, "}")
		if !closed {
			return f, &FormatError{Part: name, IsUnclosed: true}
		}
		part := fieldOf(name)
		if part == nil {
			return f, &FormatError{Part: name}
		}
		f.fields, text = append(f.fields, part), next
	}
	return f, nil
}

// Text returns the text of the Format with the parts of d. d.Err must be nil.
func (f Format) Text(d Description) (string, error) {
	var b strings.Builder
	for _, part := range f.fields {
		text, err := part(d)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// fieldOf returns the field for the name in "{" and "}", such as "url", "host", "query:NAME" or
// "ftp.type". It returns nil if the name is unknown.
func fieldOf(name string) field {
	if name == "url" {
		return func(d Description) (string, error) { return d.URL(), nil }
	}
	for n := url.Scheme; n <= url.Fragment; n++ {
		if n.String() == name {
			return func(d Description) (string, error) { return partOrDefault(d, n), nil }
		}
	}
	if key, ok := strings.CutPrefix(name, "query:"); ok {
		return func(d Description) (string, error) {
			value, _ := query.Parse(d.Parts.Query.Text).Get(key)
			return value, nil
		}
	}
	if of, part, ok := strings.Cut(name, "."); ok && isViewName(of) {
		return func(d Description) (string, error) {
			if s := facts.Of(d.Parts.Scheme.Text); s.Name != of && s.Protocol != of {
				return "", nil
			}
			return viewField(d.View, part)
		}
	}
	return nil
}

// partOrDefault returns the text of the part n. A missing or empty port becomes the default port of the scheme, and
// any other missing part "".
func partOrDefault(d Description, n url.PartName) string {
	part := d.Parts.Part(n)
	if n == url.Port && part.Text == "" && d.Port != 0 {
		return strconv.Itoa(int(d.Port))
	}
	return part.Text
}

// isViewName reports whether name is a scheme whose URLs have a view.
func isViewName(name string) bool {
	return slices.ContainsFunc(scheme.All(), func(s scheme.Scheme) bool { return s.Name == name && s.Parse != nil })
}

// viewField returns the value of the key part in the JSON of view: a string unchanged, and any
// other value as JSON. It returns "" if the key is missing or null.
func viewField(view scheme.View, part string) (string, error) {
	text, err := json.Marshal(scheme.JSON(view))
	if err != nil {
		return "", err
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		return "", err
	}
	switch value := fields[part].(type) {
	case nil:
		return "", nil
	case string:
		return value, nil
	default:
		text, err := json.Marshal(value)
		return string(text), err
	}
}
