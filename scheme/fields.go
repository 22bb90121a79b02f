package scheme

import (
	"errors"
	"strconv"
	"strings"

	"locus/url"
)

// Edit implements [Editor]: user, password, dirs, name, type.
func (v FTP) Edit(field string, value *string) (View, error) {
	part := optionalPart(value)
	switch field {
	case "user":
		v.User, v.Password = withUser(part, v.Password)
	case "password":
		v.Password = part
	case "dirs":
		v.Dirs = decodedItems(value, "/")
	case "name":
		v.Name = part.Text
	case "type":
		v.Type = strings.ToLower(part.Text)
	default:
		return nil, ErrNoPart
	}
	return v, nil
}

// withUser returns a user and its password: none without a user.
func withUser(user, password url.Part) (url.Part, url.Part) {
	if !user.Present {
		return user, user
	}
	return user, password
}

// Edit implements [Editor]: path, search. The slashes of a path separate its
// segments.
func (v HTTP) Edit(field string, value *string) (View, error) {
	part := optionalPart(value)
	path, query, hasQuery := strings.Cut(v.Target, "?")
	search := url.Part{Text: query, Present: hasQuery}
	switch field {
	case "path":
		v.Path = part.Text
		path = "/" + url.Escape(part.Text, inName)
	case "search":
		v.Search = part
		search = url.Part{Text: url.Escape(part.Text, inQuery), Present: part.Present}
	default:
		return nil, ErrNoPart
	}
	v.Target = path
	if search.Present {
		v.Target += "?" + search.Text
	}
	return v, nil
}

// Edit implements [Editor]: type, selector, search, plus.
func (v Gopher) Edit(field string, value *string) (View, error) {
	part := optionalPart(value)
	switch field {
	case "type":
		if len(part.Text) > 1 {
			return nil, errors.New("a gopher type is one octet")
		}
		v.Type = (part.Text + "1")[0]
	case "selector":
		v.Selector = part.Text
	case "search":
		v.Search = part
		if !part.Present {
			v.Plus = url.Part{}
		}
	case "plus":
		v.Plus = part
		v.Search.Present = v.Search.Present || part.Present
	default:
		return nil, ErrNoPart
	}
	return v, nil
}

// Edit implements [Editor]: address.
func (v Mailto) Edit(field string, value *string) (View, error) {
	if field != "address" {
		return nil, ErrNoPart
	}
	v.Address = optionalPart(value).Text
	return v, nil
}

// Edit implements [Editor]: kind (only "all"), group, message_id.
func (v News) Edit(field string, value *string) (View, error) {
	part := optionalPart(value)
	v.Group, v.MessageID = "", ""
	switch {
	case field == "kind" && part.Text == NewsAll.String():
		v.Kind = NewsAll
	case field == "group":
		v.Kind, v.Group = NewsGroup, part.Text
	case field == "message_id":
		v.Kind, v.MessageID = NewsArticle, part.Text
	default:
		return nil, ErrNoPart
	}
	return v, nil
}

// Edit implements [Editor]: group, number.
func (v NNTP) Edit(field string, value *string) (View, error) {
	part := optionalPart(value)
	switch field {
	case "group":
		v.Group = part.Text
	case "number":
		return v.editNumber(value)
	default:
		return nil, ErrNoPart
	}
	return v, nil
}

func (v NNTP) editNumber(value *string) (View, error) {
	v.Number, v.Article = 0, value != nil
	if value == nil {
		return v, nil
	}
	var err error
	if v.Number, err = strconv.ParseUint(*value, 10, 64); err != nil {
		return nil, errors.New("not the number of an article")
	}
	return v, nil
}

// Edit implements [Editor]: user, password.
func (v Telnet) Edit(field string, value *string) (View, error) {
	switch field {
	case "user":
		v.User, v.Password = withUser(optionalPart(value), v.Password)
	case "password":
		v.Password = optionalPart(value)
	default:
		return nil, ErrNoPart
	}
	return v, nil
}

// Edit implements [Editor]: user, password.
func (v Rlogin) Edit(field string, value *string) (View, error) {
	edited, err := Telnet(v).Edit(field, value)
	if err != nil {
		return nil, err
	}
	return Rlogin(edited.(Telnet)), nil
}

// Edit implements [Editor]: user, password.
func (v TN3270) Edit(field string, value *string) (View, error) {
	edited, err := Telnet(v).Edit(field, value)
	if err != nil {
		return nil, err
	}
	return TN3270(edited.(Telnet)), nil
}

// Edit implements [Editor]: database, search, wtype, wpath (the octets of the
// document-id, or a wpath in one of the other notations). Setting one of the
// last three makes the URL one of its kind; taking it out, one of a database.
func (v WAIS) Edit(field string, value *string) (View, error) {
	part := optionalPart(value)
	w := WAIS{Host: v.Host, Database: v.Database}
	switch {
	case field == "database":
		v.Database = part.Text
		return v, nil
	case field != "search" && field != "wtype" && field != "wpath":
		return nil, ErrNoPart
	case !part.Present:
	case field == "search":
		w.Kind, w.Search = WAISSearch, part.Text
	default:
		w = v
		w.Kind, w.Search = WAISDocument, ""
		if field == "wtype" {
			w.WType = part.Text
			break
		}
		w.Notation, w.Length, w.Fields = WAISOctets, "", nil
		w.wpath(url.Escape(part.Text, inWritten))
	}
	return w, nil
}

// Edit implements [Editor]: host, segments.
func (v File) Edit(field string, value *string) (View, error) {
	switch field {
	case "host":
		v.Host = optionalPart(value)
	case "segments":
		v.Segments = decodedItems(value, "/")
		if value == nil {
			v.Segments = []string{""} // the root
		}
	default:
		return nil, ErrNoPart
	}
	return v, nil
}

// Edit implements [Editor]: hsoname, version, fields.
func (v Prospero) Edit(field string, value *string) (View, error) {
	part := optionalPart(value)
	switch field {
	case "hsoname":
		v.Hsoname = part.Text
	case "version":
		v.Version = part
		if !part.Present {
			v.Attributes = ""
		}
	case "fields":
		v.Fields = nil
		for _, item := range items(value, ";") {
			name, content, _ := strings.Cut(item, "=")
			v.Fields = append(v.Fields, Field{unescape(name), unescape(content)})
		}
	default:
		return nil, ErrNoPart
	}
	return v, nil
}

// Edit implements [Editor]: message_id.
func (v Mid) Edit(field string, value *string) (View, error) {
	if field != "message_id" {
		return nil, ErrNoPart
	}
	v.MessageID = optionalPart(value).Text
	return v, nil
}

// Edit implements [Editor]: content_id.
func (v Cid) Edit(field string, value *string) (View, error) {
	if field != "content_id" {
		return nil, ErrNoPart
	}
	v.ContentID = optionalPart(value).Text
	return v, nil
}

// Edit implements [Editor]: nid, nss.
func (v URN) Edit(field string, value *string) (View, error) {
	part := optionalPart(value)
	switch field {
	case "nid":
		v.NID = part.Text
	case "nss":
		v.NSS, v.Name = part.Text, url.Escape(part.Text, inName)
	default:
		return nil, ErrNoPart
	}
	return v, nil
}
