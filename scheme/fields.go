package scheme

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"locus/internal/ascii"
	"locus/url"
)

// fields are the decoded parts of a view. The JSON of a view has them in this order, and Set changes them by their
// names. The set functions change a copy of the view, which view returns.
type fields struct {
	list []field
	view func() View // the view with the current values of its fields
}

// A field is one part of a view.
type field struct {
	name string                    // in JSON, and in SCHEME.NAME for Set
	show func() any                // the value for JSON
	set  func(value *string) error // sets a decoded value, or removes the part for nil; a nil set means that the field cannot be set
}

// A listed view lists its fields. All views of this package do.
type listed interface {
	View
	fields() fields
}

// JSON returns a value that json.Marshal formats as an object: the decoded parts of a view by their names, in order,
// including the password. [Set] changes parts by these names. An absent part is null. A part that is not UTF-8 is
// {"base64":"…"}. JSON returns a view that another package defines unchanged.
func JSON(v View) any {
	if view, ok := v.(listed); ok {
		return view.fields()
	}
	return v
}

// MarshalJSON formats the fields as one object, with the names as keys and in the order of the list.
func (fs fields) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, f := range fs.list {
		b.WriteString([2]string{"{", ","}[min(i, 1)])
		b.WriteString(strconv.Quote(f.name) + ":")
		value, err := marshal(f.show())
		if err != nil {
			return nil, err
		}
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// set returns the view after it has set the named field to value, or removed it if value is nil. It returns a nil View
// and [ErrNoPart] if no field has the name, or if the field cannot be set.
func (fs fields) set(name string, value *string) (View, error) {
	for _, f := range fs.list {
		if f.name == name && f.set != nil {
			err := f.set(value)
			return fs.view(), err
		}
	}
	return nil, ErrNoPart
}

// textField returns a field for the part *s, which is always present. Removing the part sets it to "".
func textField(name string, s *string) field {
	return field{name, func() any { return text(*s) }, func(value *string) error {
		*s = optionalPart(value).Text
		return nil
	}}
}

// partField returns a field for the part *p, which may be absent. Removing the part makes it absent.
func partField(name string, p *url.Part) field {
	return field{name, func() any { return optional(*p) }, func(value *string) error {
		*p = optionalPart(value)
		return nil
	}}
}

// listField returns a field for *list, a list of decoded items. In a value for [Set], separator stands between the
// items. Removing the field sets the list to nil.
func listField(name, separator string, list *[]string) field {
	return field{name, func() any { return texts(*list) }, func(value *string) error {
		*list = items(value, separator)
		for i, item := range *list {
			(*list)[i] = ascii.Unescape(item)
		}
		return nil
	}}
}

// with returns a copy of f that calls then each time after the field is set or removed, even if that failed.
func (f field) with(then func()) field {
	set := f.set
	f.set = func(value *string) error {
		err := set(value)
		then()
		return err
	}
	return f
}

// loginFields returns the fields of a login. Removing the user removes the password too, because a password needs a
// user.
func loginFields(user, password *url.Part) []field {
	return []field{
		partField("user", user).with(func() {
			if !user.Present {
				*password = url.Part{}
			}
		}),
		partField("password", password),
	}
}

// fields returns the fields of the view for [JSON] and [Set]. Setting the type puts it in lower case.
func (v FTP) fields() fields {
	return fields{append(
		loginFields(&v.User, &v.Password),
		listField("dirs", "/", &v.Dirs),
		textField("name", &v.Name),
		field{"type", func() any { return present(v.Type) }, func(value *string) error {
			v.Type = strings.ToLower(optionalPart(value).Text)
			return nil
		}},
	), func() View { return v }}
}

// fields returns the fields of the view for [JSON] and [Set]. The fields path and search are decoded, so setting one of
// them rewrites its half of Target.
func (v HTTP) fields() fields {
	path, query, hasQuery := strings.Cut(v.Target, "?")
	search := url.Part{Text: query, Present: hasQuery}
	target := func() {
		if v.Target = path; search.Present {
			v.Target += "?" + search.Text
		}
	}
	return fields{[]field{
		textField("path", &v.Path).with(func() {
			path = "/" + url.Escape(v.Path, inName)
			target()
		}),
		partField("search", &v.Search).with(func() {
			search = url.Part{Text: url.Escape(v.Search.Text, inQuery), Present: v.Search.Present}
			target()
		}),
	}, func() View { return v }}
}

// fields returns the fields of the view for [JSON] and [Set]. Removing the type makes it "1", a menu. Because the
// Gopher+ string follows the search in a URL, removing the search removes the Gopher+ string too, and setting the
// Gopher+ string adds an empty search.
func (v Gopher) fields() fields {
	return fields{[]field{
		{"type", func() any { return text(v.gtype()) }, func(value *string) error {
			name := optionalPart(value).Text
			if len(name) > 1 {
				return errors.New("a gopher type is one byte")
			}
			v.Type = (name + "1")[0]
			return nil
		}},
		textField("selector", &v.Selector),
		partField("search", &v.Search).with(func() {
			if !v.Search.Present {
				v.Plus = url.Part{}
			}
		}),
		partField("plus", &v.Plus).with(func() { v.Search.Present = v.Search.Present || v.Plus.Present }),
	}, func() View { return v }}
}

// fields returns the fields of the view for [JSON] and [Set]. The header fields are not among them.
func (v Mailto) fields() fields {
	return fields{[]field{textField("address", &v.Address)}, func() View { return v }}
}

// fields returns the fields of the view for [JSON] and [Set]. Because the body follows the subject in a URL, removing
// the subject removes the body too, and setting the body adds an empty subject.
func (v Mailserver) fields() fields {
	return fields{[]field{
		textField("address", &v.Address),
		partField("subject", &v.Subject).with(func() {
			if !v.Subject.Present {
				v.Body = url.Part{}
			}
		}),
		partField("body", &v.Body).with(func() { v.Subject.Present = v.Subject.Present || v.Body.Present }),
	}, func() View { return v }}
}

// fields returns the fields of the view for [JSON] and [Set]. Removing the segments leaves one empty segment, which is
// the root of the cell.
func (v AFS) fields() fields {
	return fields{[]field{
		textField("cell", &v.Cell),
		listField("segments", "/", &v.Segments).with(func() {
			if v.Segments == nil {
				v.Segments = []string{""}
			}
		}),
	}, func() View { return v }}
}

// fields returns the fields of the view for [JSON] and [Set]. Setting the group or the message-id changes the kind and
// clears the other one. The kind can only be set to "all".
func (v News) fields() fields {
	return fields{[]field{
		{"kind", func() any { return newsKinds()[v.Kind] }, func(value *string) error {
			if optionalPart(value).Text != newsKinds()[NewsAll] {
				return ErrNoPart
			}
			v.Kind, v.Group, v.MessageID = NewsAll, "", ""
			return nil
		}},
		{"group", func() any { return present(v.Group) }, func(value *string) error {
			v.Kind, v.Group, v.MessageID = NewsGroup, optionalPart(value).Text, ""
			return nil
		}},
		{"message_id", func() any { return present(v.MessageID) }, func(value *string) error {
			v.Kind, v.Group, v.MessageID = NewsArticle, "", optionalPart(value).Text
			return nil
		}},
	}, func() View { return v }}
}

// fields returns the fields of the view for [JSON] and [Set]. The number is null if v is the URL of a group. Removing
// the number makes v the URL of its group.
func (v NNTP) fields() fields {
	number := func() any {
		if v.Article {
			return v.Number
		}
		return nil
	}
	return fields{[]field{
		textField("group", &v.Group),
		{"number", number, func(value *string) (err error) {
			v.Number, v.Article = 0, value != nil
			if value == nil {
				return nil
			}
			if v.Number, err = strconv.ParseUint(*value, 10, 64); err != nil {
				return errors.New("not the number of an article")
			}
			return nil
		}},
	}, func() View { return v }}
}

// fields returns the fields of the view for [JSON] and [Set].
func (v Telnet) fields() fields {
	return fields{loginFields(&v.User, &v.Password), func() View { return v }}
}

// fields returns the fields of the view for [JSON] and [Set]. Setting the search, the wtype or the wpath changes the
// kind, which cannot be set itself. Removing one of the three leaves the URL of the database.
func (v WAIS) fields() fields {
	show := func(s *string, kind WAISKind) func() any {
		return func() any { return optional(url.Part{Text: *s, Present: v.Kind == kind}) }
	}
	database := func() { v = WAIS{Host: v.Host, Database: v.Database} }
	return fields{[]field{
		{"kind", func() any { return waisKinds()[v.Kind] }, nil},
		textField("database", &v.Database),
		{"search", show(&v.Search, WAISSearch), func(value *string) error {
			database()
			if value != nil {
				v.Kind, v.Search = WAISSearch, *value
			}
			return nil
		}},
		{"wtype", show(&v.WType, WAISDocument), func(value *string) error {
			if value == nil {
				database()
				return nil
			}
			v.Kind, v.Search, v.WType = WAISDocument, "", *value
			return nil
		}},
		{"wpath", show(&v.WPath, WAISDocument), func(value *string) error {
			wtype := v.WType
			database()
			if value != nil {
				v.Kind, v.WType = WAISDocument, wtype
				v.wpath(url.Escape(*value, inWritten))
			}
			return nil
		}},
	}, func() View { return v }}
}

// fields returns the fields of the view for [JSON] and [Set]. Removing the segments leaves one empty segment, which is
// the root directory.
func (v File) fields() fields {
	return fields{[]field{
		partField("host", &v.Host),
		listField("segments", "/", &v.Segments).with(func() {
			if v.Segments == nil {
				v.Segments = []string{""} // the root
			}
		}),
	}, func() View { return v }}
}

// fields returns the fields of the view for [JSON] and [Set]. Removing the version removes the attributes too, because
// they follow the version in a URL.
func (v Prospero) fields() fields {
	return fields{[]field{
		textField("hsoname", &v.Hsoname),
		partField("version", &v.Version).with(func() {
			if !v.Version.Present {
				v.Attributes = ""
			}
		}),
		pairsField("fields", &v.Fields),
	}, func() View { return v }}
}

// pairsField returns a field for *list, whose JSON is a list of objects with "name" and "value". A value for [Set] is
// written name=value;name=value. Removing the field sets the list to nil.
func pairsField(name string, list *[]Field) field {
	show := func() any {
		type pair struct {
			Name  text `json:"name"`
			Value text `json:"value"`
		}
		pairs := make([]pair, len(*list))
		for i, f := range *list {
			pairs[i] = pair{text(f.Name), text(f.Value)}
		}
		return pairs
	}
	return field{name, show, func(value *string) error {
		*list = nil
		for _, item := range items(value, ";") {
			name, content, _ := strings.Cut(item, "=")
			*list = append(*list, Field{ascii.Unescape(name), ascii.Unescape(content)})
		}
		return nil
	}}
}

// fields returns the fields of the view for [JSON] and [Set]. The content-id is not among them.
func (v Mid) fields() fields {
	return fields{[]field{textField("message_id", &v.MessageID)}, func() View { return v }}
}

// fields returns the fields of the view for [JSON] and [Set].
func (v Cid) fields() fields {
	return fields{[]field{textField("content_id", &v.ContentID)}, func() View { return v }}
}

// fields returns the fields of the view for [JSON] and [Set]. Setting the nss also sets Name, which is the nss as the
// URL writes it.
func (v URN) fields() fields {
	return fields{[]field{
		textField("nid", &v.NID),
		textField("nss", &v.NSS).with(func() { v.Name = url.Escape(v.NSS, inName) }),
	}, func() View { return v }}
}

// text is the JSON of a decoded part: a string, or {"base64":"…"} if the part is not UTF-8.
type text string

// MarshalJSON returns a string, or {"base64":"…"} if t is not UTF-8.
func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return marshal(string(t))
	}
	return marshal(struct {
		Base64 []byte `json:"base64"`
	}{[]byte(t)})
}

// marshal is json.Marshal without the escapes that only HTML needs.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// optional returns the JSON of a decoded part. It returns nil, which is null in JSON, if the part is absent.
func optional(p url.Part) *text {
	if !p.Present {
		return nil
	}
	t := text(p.Text)
	return &t
}

// present returns the JSON of a decoded part for which "" means absent. It returns nil, which is null in JSON, for "".
func present(s string) *text {
	return optional(url.Part{Text: s, Present: s != ""})
}

// texts returns the JSON of a list of decoded parts. A nil list gives an empty list and not null.
func texts(list []string) []text {
	ts := make([]text, len(list))
	for i, s := range list {
		ts[i] = text(s)
	}
	return ts
}
