package parse

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"locus/cmd/locus/internal/cli"
	"locus/internal/facts"
	"locus/scheme"
	"locus/url"
	"locus/url/query"
)

// A field returns a part of a URL as text.
type field func(v verdict) (string, error)

// partsWriter returns a function that writes the parts of URLs that a format names
// between "{" and "}".
func partsWriter(e *cli.Env, format string) (func(verdict) error, error) {
	var fields []field
	for rest := format; rest != ""; {
		literal, after, found := strings.Cut(rest, "{")
		fields = append(fields, func(verdict) (string, error) { return literal, nil })
		if !found {
			break
		}
		name, next, closed := strings.Cut(after, "}")
		if !closed {
			return nil, cli.Misuse("--parts wants a } after {%s", name)
		}
		f := fieldOf(name)
		if f == nil {
			return nil, &cli.UsageError{Text: "--parts: there is no part {" + name + "}", Hint: "locus help --all parse lists the parts"}
		}
		fields, rest = append(fields, f), next
	}
	return func(v verdict) error {
		if v.err != nil {
			e.Report(v.err)
			return nil //nolint:nilerr // it is reported, and Run counts it
		}
		var line strings.Builder
		for _, f := range fields {
			text, err := f(v)
			if err != nil {
				return err
			}
			line.WriteString(text)
		}
		return e.Line(line.String())
	}, nil
}

// fieldOf returns the field with a name; nil if there is none.
func fieldOf(name string) field {
	if name == "url" {
		return func(v verdict) (string, error) { return v.url(), nil }
	}
	for n := url.Scheme; n <= url.Fragment; n++ {
		if n.String() == name {
			return func(v verdict) (string, error) { return partOrDefault(v, n), nil }
		}
	}
	if key, ok := strings.CutPrefix(name, "query:"); ok {
		return func(v verdict) (string, error) {
			value, _ := query.Parse(v.parts.Query.Text).Get(key)
			return value, nil
		}
	}
	if of, part, ok := strings.Cut(name, "."); ok && isViewName(of) {
		return func(v verdict) (string, error) {
			if s := facts.Of(v.parts.Scheme.Text); s.Name != of && s.Protocol != of {
				return "", nil
			}
			return viewField(v.view, part)
		}
	}
	return nil
}

// partOrDefault returns a part, and for the port that of the scheme if there is none.
func partOrDefault(v verdict, n url.PartName) string {
	part := v.parts.Part(n)
	if n == url.Port && part.Text == "" && v.port != 0 {
		return strconv.Itoa(int(v.port))
	}
	return part.Text
}

// isViewName reports whether name is a scheme whose URLs have a meaning.
func isViewName(name string) bool {
	return slices.ContainsFunc(scheme.All(), func(s scheme.Scheme) bool { return s.Name == name && s.Parse != nil })
}

// viewField returns a part of the meaning, as --json writes it; "" if there is none.
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
