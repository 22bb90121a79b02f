package url

import "strings"

// A PartName names a part of a URL.
type PartName uint8

// The parts of a URL, in the order in which they stand in it.
const (
	Scheme PartName = iota
	User
	Password
	Host
	Port
	Path
	Query
	Fragment

	partCount = iota
)

// String returns the name of the part in lower case: "scheme", "user" and so on.
func (n PartName) String() string {
	if n >= partCount {
		return "unknown part"
	}
	return [partCount]string{"scheme", "user", "password", "host", "port", "path", "query", "fragment"}[n]
}

// A Part is one part of a URL, which may be absent. The zero Part is absent. Each function that takes or returns a
// Part says whether its Text is encoded.
type Part struct {
	Text    string
	Present bool
}

// Some returns a Part that is present, even if text is empty.
func Some(text string) Part { return Part{Text: text, Present: true} }

// Parts are the parts of a URL, each as written (encoded) and without its delimiters. The zero Parts are the parts of
// the empty reference.
//
// A User, Password or Port needs a Host, and a Password needs a User. If the needed part is absent, String omits the
// dependent part and [Standard.Build] returns an error.
type Parts struct {
	Scheme   Part // as written, not in lower case
	User     Part
	Password Part
	Host     Part // present and empty in "file:///"
	Port     Part
	Path     string // with the slash it starts with
	Query    Part
	Fragment Part
}

// String joins the parts with their delimiters: RFC3986.Split(s).String() == s for every s.
// It does not check the parts; see [Standard.Build].
func (p Parts) String() string {
	text, _ := p.layout()
	return text
}

// layout returns the text of p, as String does, and the offset at which each part starts in it. For an absent part the
// offset is where the part would start. A user, password or port without a host is left out, and so is a password
// without a user.
func (p *Parts) layout() (text string, starts [partCount]int) {
	var b strings.Builder
	b.Grow(len(p.Scheme.Text) + len(p.User.Text) + len(p.Password.Text) + len(p.Host.Text) +
		len(p.Port.Text) + len(p.Path) + len(p.Query.Text) + len(p.Fragment.Text) + len("://:@:?#"))
	put := func(n PartName, before string, part Part, after string) {
		starts[n] = b.Len()
		if part.Present {
			b.WriteString(before)
			starts[n] = b.Len()
			b.WriteString(part.Text)
			b.WriteString(after)
		}
	}
	put(Scheme, "", p.Scheme, ":")
	var user, password, port Part
	if p.Host.Present {
		b.WriteString("//")
		user, port = p.User, p.Port
	}
	if user.Present {
		password = p.Password
	}
	put(User, "", user, "")
	put(Password, ":", password, "")
	if user.Present {
		b.WriteByte('@')
	}
	put(Host, "", p.Host, "")
	put(Port, ":", port, "")
	put(Path, "", Some(p.Path), "")
	put(Query, "?", p.Query, "")
	put(Fragment, "#", p.Fragment, "")
	return b.String(), starts
}

// Span returns the offsets of a part in the text, without its delimiters: the part is u.String()[start:end]. It
// returns false if the part is absent. The path is never absent.
func (u URL) Span(n PartName) (start, end int, ok bool) {
	s, e := u.span(n)
	return int(s), int(e), s <= e
}

// span returns the offsets in the text at which the part n starts and ends. If the part is absent, end is less than
// start.
func (u *URL) span(n PartName) (start, end int32) {
	switch n {
	case Scheme:
		return 0, u.scheme - 1
	case User:
		if u.host == 0 {
			break
		}
		if u.password != 0 {
			return u.auth, u.password - 1
		}
		return u.auth, u.host - 1
	case Password:
		if u.password != 0 {
			return u.password, u.host - 1
		}
	case Host:
		if u.auth != 0 {
			return max(u.auth, u.host), u.hostEnd()
		}
	case Port:
		if u.port != 0 {
			return u.port, u.path
		}
	case Path:
		return u.path, u.pathEnd()
	case Query:
		if u.query != 0 {
			return u.query, u.queryEnd()
		}
	case Fragment:
		if u.fragment != 0 {
			return u.fragment, int32(len(u.text))
		}
	}
	return 0, -1
}

// Part returns the part n as written (encoded). It returns the zero Part if the part is absent.
func (u URL) Part(n PartName) Part {
	start, end := u.span(n)
	if start > end {
		return Part{}
	}
	return Some(u.text[start:end])
}

// get returns the part n as written (encoded), and reports whether the part is present.
func (u *URL) get(n PartName) (string, bool) {
	start, end := u.span(n)
	if start > end {
		return "", false
	}
	return u.text[start:end], true
}

// hostEnd returns the offset after the host of u, which must have an authority.
func (u *URL) hostEnd() int32 {
	if u.port != 0 {
		return u.port - 1
	}
	return u.path
}

// pathEnd returns the offset after the path.
func (u *URL) pathEnd() int32 {
	if u.query != 0 {
		return u.query - 1
	}
	return u.queryEnd()
}

// queryEnd returns the offset after the query or, if there is no query, after the path.
func (u *URL) queryEnd() int32 {
	if u.fragment != 0 {
		return u.fragment - 1
	}
	return int32(len(u.text))
}

// Part returns the part n as written (encoded). The path is always present. An unknown n gives the zero Part.
func (p Parts) Part(n PartName) Part {
	switch part := p.field(n); {
	case part != nil:
		return *part
	case n == Path:
		return Some(p.Path)
	}
	return Part{}
}

// with returns p with value for the part n. An absent value for the path makes the path empty.
func (p Parts) with(n PartName, value Part) Parts {
	if part := p.field(n); part != nil {
		*part = value
	} else if n == Path {
		p.Path = value.Text
	}
	return p
}

// field returns a pointer to the field of p for the part n. It returns nil for the path, which is not a Part, and for
// an unknown n.
func (p *Parts) field(n PartName) *Part {
	switch n {
	case Scheme:
		return &p.Scheme
	case User:
		return &p.User
	case Password:
		return &p.Password
	case Host:
		return &p.Host
	case Port:
		return &p.Port
	case Query:
		return &p.Query
	case Fragment:
		return &p.Fragment
	}
	return nil
}
