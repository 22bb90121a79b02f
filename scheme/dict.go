package scheme

import (
	"strconv"
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// Dict is the view of a dict URL, which asks a server for definitions or for similar words.
//
//	dict://host:2628/d:tea:wn:1
//	                 | \_/ \/ |
//	              Kind Word | Number
//	                      Database
//	dict://host/m:tea:wn:prefix:1
//	                     \____/
//	                    Strategy
//
// RFC 2229 §5. Parts at the end may be missing:
//
//	dicturl = "dict://" host [ ":" port ] "/" ( define / match )
//	define  = "d:" word [ ":" database [ ":" n ] ]
//	match   = "m:" word [ ":" database [ ":" strategy [ ":" n ] ] ]
//
// A URL without a path names the databases of the server. ParseDict also reads the long names of curl: define, lookup,
// match and find. It refuses the login of RFC 2229, because no server in use has logins.
type Dict struct {
	Host
	Kind     DictKind
	Word     string // may be empty in a URL that is to be completed with a word
	Database string // "" means "!": the first database that has the word; "*" means all
	Strategy string // for DictMatch; "" means ".": the server chooses
	Number   uint64 // the number of the definition or match, counted from 1; 0 means all
}

// DictKind is the kind of a dict URL.
type DictKind uint8

// The kinds of dict URLs.
const (
	DictDatabases DictKind = iota // the databases of the server
	DictDefine                    // definitions of a word
	DictMatch                     // words that match a word
)

const dictRule = "RFC 2229 §5"

// ParseDict returns the view of a dict URL. It refuses a user.
func ParseDict(u url.URL) (Dict, error) {
	host, err := plainHost(u, dictRule, "dict")
	if err != nil {
		return Dict{}, err
	}
	v := Dict{Host: host}
	path := u.PathAndQuery()
	if path == "" || path == "/" {
		return v, nil
	}
	if path[0] != '/' {
		return Dict{}, pathFail(u, 0, dictRule, `a "/"`)
	}
	parts := strings.Split(path[1:], ":")
	targets := []*string{&v.Word, &v.Database}
	switch strings.ToLower(parts[0]) {
	case "d", "define", "lookup":
		v.Kind = DictDefine
	case "m", "match", "find":
		v.Kind = DictMatch
		targets = append(targets, &v.Strategy)
	default:
		return Dict{}, pathFail(u, 1, dictRule, `"d:" or "m:" and a word`)
	}
	if len(parts) == 1 {
		return Dict{}, pathFail(u, len(path), dictRule, "a colon and a word")
	}
	at := 1 + len(parts[0])
	for i, part := range parts[1:] {
		at += len(":")
		switch {
		case i < len(targets):
			*targets[i] = ascii.Unescape(part)
		case i > len(targets):
			return Dict{}, pathFail(u, at-len(":"), dictRule, "the end of the URL")
		case part != "":
			if v.Number, err = strconv.ParseUint(part, 10, 32); err != nil || part[0] == '+' {
				return Dict{}, pathFail(u, at, dictRule, "a number")
			}
		}
		at += len(part)
	}
	return v, nil
}

// URL returns the URL whose view is v.
func (v Dict) URL() url.URL {
	var b builder
	b.scheme("dict", "")
	b.server(v.Host)
	parts := []string{v.Word, v.Database}
	switch v.Kind {
	case DictDefine:
		b.WriteByte('d')
	case DictMatch:
		b.WriteByte('m')
		parts = append(parts, v.Strategy)
	default:
		return b.url()
	}
	if v.Number != 0 {
		parts = append(parts, strconv.FormatUint(v.Number, 10))
	}
	for len(parts) > 1 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	for _, part := range parts {
		b.WriteByte(':')
		b.escape(part, inPath)
	}
	return b.url()
}

var dictKinds = [...]string{DictDatabases: "databases", DictDefine: "define", DictMatch: "match"}

// fields returns the fields of the view for [JSON] and [Set]. The kind and the number cannot be set. Setting the word
// of a URL that lists the databases makes the URL a definition.
func (v Dict) fields() fields {
	return fields{[]field{
		{"kind", func() any { return dictKinds[v.Kind] }, nil},
		textField("word", &v.Word).with(func() {
			if v.Kind == DictDatabases {
				v.Kind = DictDefine
			}
		}),
		{"database", func() any { return present(v.Database) }, func(value *string) error {
			v.Database = optionalPart(value).Text
			return nil
		}},
		{"strategy", func() any { return present(v.Strategy) }, func(value *string) error {
			v.Strategy = optionalPart(value).Text
			return nil
		}},
		{"number", func() any { return v.Number }, nil},
	}, func() View { return v }}
}
