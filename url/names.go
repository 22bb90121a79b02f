package url

// A PartName names a part of a URL.
type PartName uint8

// The parts, in the order in which they stand in a URL.
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

// String returns the name in lower case: "scheme", "user" …
func (n PartName) String() string {
	if n >= partCount {
		return "unknown part"
	}
	return [partCount]string{"scheme", "user", "password", "host", "port", "path", "query", "fragment"}[n]
}

// Span returns where a part stands in the text, without its delimiters:
// u.String()[start:end]. It returns false if the part is absent; the path
// never is.
func (u URL) Span(n PartName) (start, end int, ok bool) {
	s, e := u.span(n)
	return int(s), int(e), s <= e
}

// span is Span with the absence of a part shown by an end before the start.
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

// Part returns a part as written (encoded), or its absence.
func (u URL) Part(n PartName) Part {
	start, end := u.span(n)
	if start > end {
		return Part{}
	}
	return Some(u.text[start:end])
}

func (u *URL) get(n PartName) (string, bool) {
	start, end := u.span(n)
	if start > end {
		return "", false
	}
	return u.text[start:end], true
}

func (u *URL) hostEnd() int32 {
	if u.port != 0 {
		return u.port - 1
	}
	return u.path
}

func (u *URL) pathEnd() int32 {
	if u.query != 0 {
		return u.query - 1
	}
	return u.queryEnd()
}

func (u *URL) queryEnd() int32 {
	if u.fragment != 0 {
		return u.fragment - 1
	}
	return int32(len(u.text))
}

// Part returns the part of that name. The path is always present.
func (p Parts) Part(n PartName) Part {
	switch n {
	case Scheme:
		return p.Scheme
	case User:
		return p.User
	case Password:
		return p.Password
	case Host:
		return p.Host
	case Port:
		return p.Port
	case Path:
		return Some(p.Path)
	case Query:
		return p.Query
	case Fragment:
		return p.Fragment
	}
	return Part{}
}

// with returns the parts with another value for one of them. An absent path
// is an empty one.
func (p Parts) with(n PartName, value Part) Parts {
	switch n {
	case Scheme:
		p.Scheme = value
	case User:
		p.User = value
	case Password:
		p.Password = value
	case Host:
		p.Host = value
	case Port:
		p.Port = value
	case Path:
		p.Path = value.Text
	case Query:
		p.Query = value
	case Fragment:
		p.Fragment = value
	}
	return p
}
