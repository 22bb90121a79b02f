package scheme

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// Z3950 is the view of a z39.50s or z39.50r URL: a Z39.50 server, databases, a search, or a record.
//
//	z39.50s://host:210/                                   the databases
//	z39.50s://host:210/books+maps                         two databases, to search
//	z39.50s://host:210/books;query=sea%20charts           what a search finds
//	z39.50s://host:210/books;query=@attr%201%3D4%20charts the same, as PQF
//	z39.50s://host:210/books;scan=@attr%201%3D4%20ch      the terms of an index
//	z39.50r://host:210/books?docid;esn=F;rs=usmarc+sutrs  a record, by its docid
//	z39.50r://host:210/books;query=charts;record=17       a record, by its position
//
// RFC 2056:
//
//	z3950url = zscheme "://" host [ ":" port ]
//	           [ "/" [ database *[ "+" database ] [ "?" docid ] ]
//	           [ ";esn=" elementset ] [ ";rs=" recordsyntax *[ "+" recordsyntax ] ] ]
//	zscheme  = "z39.50r" | "z39.50s"
//
// RFC 2056 says that extensions have the form ";keyword=value", and defines no URL for a search. Query, Scan, Sort,
// Record and From are such extensions. A user and a password, which the protocol has, are written as in ftp URLs.
type Z3950 struct {
	Scheme string // "z39.50s" or "z39.50r"; "" means "z39.50s"
	Host
	User, Password url.Part
	Databases      []string // nil if the URL does not name any

	// At most one of these is present.
	DocID url.Part // the record, in terms that only the server understands
	Query url.Part // the search: words, or PQF, which starts with "@"
	Scan  url.Part // the start in the terms of an index: a word, or PQF

	Sort   string // the sort keys of a Query: "title,-date"; "" means the server's order
	Record uint64 // the position of one record in the result of a Query, from 1; 0 means all records
	From   uint64 // the first position to list in the result of a Query; 0 means 1

	ElementSet string   // the set of elements of a record: "F" (full), "B" (brief); "" means the server's choice
	Syntaxes   []string // formats of a record, such as "usmarc", the preferred one first; nil means any
	Extensions []Field  // further keywords, in order
}

const z3950Rule = "RFC 2056"

// ParseZ3950 returns the view of a z39.50s or z39.50r URL. A "+" is data, except between databases or syntaxes.
// Keywords may be in upper case.
func ParseZ3950(u url.URL) (Z3950, error) {
	host, err := hostPort(u, z3950Rule, "z39.50s", "z39.50r")
	if err != nil {
		return Z3950{}, err
	}
	v := Z3950{Scheme: u.Scheme(), Host: host}
	v.User = decoded(u.User())
	v.Password = decoded(u.Password())
	path := u.PathAndQuery()
	if path == "" {
		return v, nil
	}
	if path[0] != '/' {
		return Z3950{}, pathFail(u, 0, z3950Rule, `a "/" before the database`)
	}
	at := len(path)
	if i := strings.IndexByte(path, ';'); i >= 0 {
		at = i
	}
	names, docid, hasDocID := strings.Cut(path[1:at], "?")
	if n, want := v.databases(names); want != "" {
		return Z3950{}, pathFail(u, 1+n, z3950Rule, want)
	}
	v.DocID = decoded(docid, hasDocID)
	for at < len(path) {
		field, _, _ := strings.Cut(path[at+1:], ";")
		if n, want := v.keyword(field); want != "" {
			return Z3950{}, pathFail(u, at+1+n, z3950Rule, want)
		}
		at += 1 + len(field)
	}
	return v, nil
}

// databases sets Databases from s, which is database *[ "+" database ] or empty. It returns the offset of the first
// error in s and the text that is wanted there, or "" if s is correct.
func (v *Z3950) databases(s string) (offset int, want string) {
	if s == "" {
		return 0, ""
	}
	v.Databases = strings.Split(s, "+")
	for i, name := range v.Databases {
		if name == "" {
			return offset, "the name of a database"
		}
		v.Databases[i] = ascii.Unescape(name)
		offset += len(name) + len("+")
	}
	return 0, ""
}

// keyword parses s, which is keyword "=" value, and sets the field for the keyword or appends an extension. It returns
// the offset of the first error in s and the text that is wanted there, or "" if s is correct.
func (v *Z3950) keyword(s string) (offset int, want string) {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		return len(s), `a "=" after the keyword`
	}
	if name == "" {
		return 0, "a keyword"
	}
	offset = len(name) + 1
	switch keyword := ascii.Unescape(name); strings.ToLower(keyword) {
	case "query":
		return 0, v.setOnly(&v.Query, value)
	case "scan":
		return 0, v.setOnly(&v.Scan, value)
	case "sort":
		return 0, setOnce(&v.Sort, value)
	case "esn":
		return 0, setOnce(&v.ElementSet, value)
	case "rs":
		return 0, v.syntaxes(value)
	case "record":
		return offset, setPosition(&v.Record, value)
	case "from":
		return offset, setPosition(&v.From, value)
	default:
		v.Extensions = append(v.Extensions, Field{keyword, ascii.Unescape(value)})
		return 0, ""
	}
}

const wantOnce = "a keyword that has not occurred before"

// setOnly sets part, which is &v.Query or &v.Scan, to the unescaped value, and returns "". If DocID, Query or Scan is
// already present, setOnly sets nothing and returns the text that is wanted instead.
func (v *Z3950) setOnly(part *url.Part, value string) (want string) {
	if v.DocID.Present || v.Query.Present || v.Scan.Present {
		return "only one document, query or scan"
	}
	*part = url.Some(ascii.Unescape(value))
	return ""
}

// setOnce sets *text to the unescaped value and returns "" if *text is still empty. Otherwise it returns the text that
// is wanted instead of a second value.
func setOnce(text *string, value string) (want string) {
	if *text != "" {
		return wantOnce
	}
	*text = ascii.Unescape(value)
	return ""
}

// syntaxes sets Syntaxes to the unescaped items of value, which "+" separates, and returns "". If Syntaxes is already
// set, it returns the text that is wanted instead of a second value.
func (v *Z3950) syntaxes(value string) (want string) {
	switch {
	case v.Syntaxes != nil:
		return wantOnce
	case value != "":
		v.Syntaxes = unescapeAll(strings.Split(value, "+"))
	}
	return ""
}

// setPosition sets *to to the decimal number in value, from 1, and returns "". If value is not such a number, or if *to
// is not 0, it leaves *to and returns the text that is wanted instead.
func setPosition(to *uint64, value string) (want string) {
	n, err := strconv.ParseUint(value, 10, 63)
	if err != nil || n == 0 || *to != 0 {
		return "the position of a record, from 1"
	}
	*to = n
	return ""
}

// unescapeAll decodes the escapes of each item of list, in place, and returns list.
func unescapeAll(list []string) []string {
	for i, s := range list {
		list[i] = ascii.Unescape(s)
	}
	return list
}

// URL returns the URL whose view is v.
func (v Z3950) URL() url.URL {
	var b builder
	b.scheme(v.Scheme, "z39.50s")
	b.authority(v.Host, v.User, v.Password)
	b.WriteByte('/')
	b.list(v.Databases)
	if v.DocID.Present {
		b.WriteByte('?')
		b.escape(v.DocID.Text, inZ3950)
	}
	b.keyword("query", v.Query)
	b.keyword("scan", v.Scan)
	b.keyword("sort", url.Part{Text: v.Sort, Present: v.Sort != ""})
	b.position("record", v.Record)
	b.position("from", v.From)
	b.keyword("esn", url.Part{Text: v.ElementSet, Present: v.ElementSet != ""})
	if len(v.Syntaxes) > 0 {
		b.WriteString(";rs=")
		b.list(v.Syntaxes)
	}
	for _, f := range v.Extensions {
		b.WriteByte(';')
		b.escape(f.Name, inZ3950)
		b.WriteByte('=')
		b.escape(f.Value, inZ3950)
	}
	return b.url()
}

// inZ3950 are the bytes that a view does not escape. A "+" that is data must be escaped, because "+" separates items.
var inZ3950 = url.Set{}.With(common).Without("+")

// list writes the escaped items with "+" between them.
func (b *builder) list(items []string) {
	for i, item := range items {
		if i > 0 {
			b.WriteByte('+')
		}
		b.escape(item, inZ3950)
	}
}

// keyword writes ";", the name, "=" and the escaped value, if the value is present.
func (b *builder) keyword(name string, value url.Part) {
	if value.Present {
		b.WriteString(";" + name + "=")
		b.escape(value.Text, inZ3950)
	}
}

// position writes ";", the name, "=" and n. It writes nothing if n is 0.
func (b *builder) position(name string, n uint64) {
	if n != 0 {
		b.keyword(name, url.Some(strconv.FormatUint(n, 10)))
	}
}

// fields returns the fields of the view for [JSON] and [Set]. Setting the docid, the query or the scan removes the
// other two.
func (v Z3950) fields() fields {
	one := func(name string, part *url.Part) field {
		return field{name, func() any { return optional(*part) }, func(value *string) error {
			v.DocID, v.Query, v.Scan = url.Part{}, url.Part{}, url.Part{}
			*part = optionalPart(value)
			return nil
		}}
	}
	emptyIsAbsent := func(name string, s *string) field {
		return field{name, func() any { return present(*s) }, func(value *string) error {
			*s = optionalPart(value).Text
			return nil
		}}
	}
	return fields{append(
		loginFields(&v.User, &v.Password),
		listField("databases", "+", &v.Databases).with(func() { v.Databases = notEmpty(v.Databases) }),
		one("docid", &v.DocID),
		one("query", &v.Query),
		one("scan", &v.Scan),
		emptyIsAbsent("sort", &v.Sort),
		positionField("record", &v.Record),
		positionField("from", &v.From),
		emptyIsAbsent("esn", &v.ElementSet),
		listField("rs", "+", &v.Syntaxes).with(func() { v.Syntaxes = notEmpty(v.Syntaxes) }),
		pairsField("extensions", &v.Extensions),
	), func() View { return v }}
}

// positionField returns a field for the position *n, which counts from 1. The field is null in JSON if *n is 0, and
// removing it sets *n to 0.
func positionField(name string, n *uint64) field {
	show := func() any {
		if *n == 0 {
			return nil
		}
		return *n
	}
	return field{name, show, func(value *string) error {
		*n = 0
		if value == nil {
			return nil
		}
		if want := setPosition(n, *value); want != "" {
			return errors.New("not " + want)
		}
		return nil
	}}
}

// notEmpty returns nil for a list that consists of one empty item, and list otherwise.
func notEmpty(list []string) []string {
	if slices.Equal(list, []string{""}) {
		return nil
	}
	return list
}
