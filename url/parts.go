package url

import "strings"

// A Part is one part of a URL, or its absence. The zero Part, Part{}, is absent.
// Whether Text is encoded is said where a Part is used.
type Part struct {
	Text    string
	Present bool
}

// Some returns a Part that is there, even if text is empty.
func Some(text string) Part { return Part{Text: text, Present: true} }

// Parts are the parts of a URL, each as written (encoded) and without the
// delimiters around it. The zero Parts are those of the empty reference.
//
// A User, Password or Port without a Host, or a Password without a User,
// cannot be written; String leaves them out and [Standard.Build] refuses them.
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

// String puts the parts together with their delimiters:
// RFC3986.Split(s).String() == s for every s. It judges nothing; see [Standard.Build].
func (p Parts) String() string {
	var b strings.Builder
	b.Grow(len(p.Scheme.Text) + len(p.User.Text) + len(p.Password.Text) + len(p.Host.Text) +
		len(p.Port.Text) + len(p.Path) + len(p.Query.Text) + len(p.Fragment.Text) + len("://:@:?#"))
	if p.Scheme.Present {
		b.WriteString(p.Scheme.Text)
		b.WriteByte(':')
	}
	if p.Host.Present {
		p.writeAuthority(&b)
	}
	b.WriteString(p.Path)
	if p.Query.Present {
		b.WriteByte('?')
		b.WriteString(p.Query.Text)
	}
	if p.Fragment.Present {
		b.WriteByte('#')
		b.WriteString(p.Fragment.Text)
	}
	return b.String()
}

func (p Parts) writeAuthority(b *strings.Builder) {
	b.WriteString("//")
	if p.User.Present {
		b.WriteString(p.User.Text)
		if p.Password.Present {
			b.WriteByte(':')
			b.WriteString(p.Password.Text)
		}
		b.WriteByte('@')
	}
	b.WriteString(p.Host.Text)
	if p.Port.Present {
		b.WriteByte(':')
		b.WriteString(p.Port.Text)
	}
}
