package url

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"locus/internal/ascii"
)

// Build joins parts, each as written (encoded), and reads the result by the standard, so that
// u.Standard().Build(u.Parts()) == u.
//
// The error is a [*SyntaxError] if a part contains a wrong byte, or if the result would have other parts than p: for a
// host "h/evil", a path "//x" without a host, or a password without a user. Text that is meant for one part therefore
// never becomes another.
//
// A standard of another package may rewrite the parts.
func (std Standard) Build(p Parts) (URL, error) {
	if err := std.checkParts(p); err != nil {
		return URL{}, err
	}
	if std.foreign() != nil {
		return std.buildForeign(p)
	}
	u, err := std.Parse(p.String())
	if syntax, ok := errors.AsType[*SyntaxError](err); ok {
		syntax.password = p.passwordSpan()
	}
	if err != nil {
		return URL{}, err
	}
	for n := range PartName(partCount) {
		if got, want := u.Part(n), p.Part(n); got != want && (got.Present || want.Present) {
			return URL{}, std.misread(p, n, "a "+n.String()+" that reads back as it was given")
		}
	}
	return u, nil
}

// buildForeign implements [Standard.Build] for a standard of another package. It returns an error if std would divide
// the joined text into parts other than p, or if browsers might.
func (std Standard) buildForeign(p Parts) (URL, error) {
	text := p.String()
	if strings.ContainsAny(text, "\\\t\n\r") || std.Split(text) != p { // browsers might divide such a text differently
		return URL{}, std.misread(p, Path, "parts that read back as they were given")
	}
	return std.Parse(text)
}

// checkParts returns an error for the first part of p that contains a byte that it must not contain, such as a
// delimiter, or whose required neighbor is absent. It returns nil if Build may join the parts.
func (std Standard) checkParts(p Parts) error {
	r := std.rules()
	switch {
	case p.Password.Present && !p.User.Present:
		return std.misread(p, Password, "a user before the password")
	case p.User.Present && !p.Host.Present:
		return std.misread(p, User, "a host after the user")
	case p.Port.Present && !p.Host.Present:
		return std.misread(p, Port, "a host before the port")
	case p.Host.Present && p.Path != "" && p.Path[0] != '/':
		return std.misread(p, Path, `a "/" that starts the path, as there is a host`)
	case !p.Host.Present && strings.HasPrefix(p.Path, "//") && !r.byScheme:
		return std.misread(p, Path, `a path that does not start with "//", as there is no host`)
	}
	if p.Fragment.Present && !r.hasFragment {
		return std.misread(p, Fragment, "no fragment")
	}
	for n := range PartName(partCount) {
		text := p.Part(n).Text
		if n == Host && strings.HasPrefix(text, "[") {
			continue
		}
		if i := skip(text, 0, r.sets[n]); i < len(text) {
			err := std.misread(p, n, "")
			err.Offset += i
			err.Rule, err.Want = r.wants(n, text[i])
			return err
		}
	}
	return nil
}

// misread returns the error of [Standard.Build] for the part n of p. The error is at the first byte of that part in the
// joined text. want is the Want of the error.
func (std Standard) misread(p Parts, n PartName, want string) *SyntaxError {
	text, starts := p.layout()
	return &SyntaxError{
		Text: text, Offset: starts[n], Standard: std, Rule: std.rules().sections[n],
		Want: want, password: p.passwordSpan(),
	}
}

// passwordSpan returns the offsets of the password in p.String(), or the zero span if there is no password.
func (p Parts) passwordSpan() span {
	if !p.Password.Present || !p.User.Present || !p.Host.Present {
		return span{}
	}
	_, starts := p.layout()
	return span{starts[Password], starts[Password] + len(p.Password.Text)}
}

// With returns u with one part replaced by value, as written (encoded), or removed: u.With(Query, Part{}). The other
// parts do not change. The result is read by u's standard. The errors are the errors of [Standard.Build].
//
// For a URL of whatwg.Standard, the browsers' setter for that part makes the change. It escapes bytes where necessary,
// resolves "." and ".." in a path, and removes tabs and line ends except from a user and a password. With returns an
// error if the setter would ignore the value or its end.
func (u URL) With(n PartName, value Part) (URL, error) {
	switch foreign := u.std.foreign(); {
	case n >= partCount:
		return URL{}, fmt.Errorf("part %d of a URL: %w", n, errNoPart)
	case foreign != nil:
		return foreign.Set(u, n, value)
	}
	return u.std.Build(u.Parts().with(n, value))
}

// Without returns u without the named parts. Removing the host also removes the user, the password and the port.
// Removing the user also removes the password. The errors are the errors of [URL.With]. By whatwg.Standard, it is an
// error to remove the host of some schemes, and other schemes keep an empty host.
func (u URL) Without(names ...PartName) (URL, error) {
	p, foreign := u.Parts(), u.std.foreign()
	for _, n := range names {
		if n >= partCount {
			return URL{}, fmt.Errorf("part %d of a URL: %w", n, errNoPart)
		}
		for _, n := range append(u.dependents(n), n) {
			p = p.with(n, Part{})
			if foreign == nil {
				continue
			}
			var err error
			if u, err = foreign.Set(u, n, Part{}); err != nil {
				return URL{}, err
			}
		}
	}
	if foreign != nil || p == u.Parts() {
		return u, nil
	}
	return u.std.Build(p)
}

// dependents returns the present parts of u that must be removed before the part n: the login and the port before the
// host, and the password before the user.
func (u URL) dependents(n PartName) []PartName {
	var parts []PartName
	switch n {
	case Host:
		parts = []PartName{Password, User, Port}
	case User:
		parts = []PartName{Password}
	}
	return slices.DeleteFunc(parts, func(n PartName) bool { return !u.Part(n).Present })
}

var errNoPart = errors.New("no such part")

// Segments returns the decoded segments of the path, which slashes separate. A "%2F" becomes a slash inside a segment.
// The path "/a/b" has the segments "a" and "b", "/a/" has "a" and "", and "a" has "a". An empty path has no segments.
// A "%" that starts no escape stands for itself.
func (u URL) Segments() []string {
	path := u.Path()
	if path == "" {
		return nil
	}
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range segments {
		segments[i] = ascii.Unescape(s)
	}
	return segments
}

// JoinPath returns u with decoded segments appended to its path, each after a slash. If the path ends with a slash,
// JoinPath adds no second one. Therefore an empty segment at the end makes the path end with a slash, and an empty
// segment before another one has no effect. The query and the fragment are kept.
//
// A "/" in a segment, and every byte that must not stand in a path, is escaped. So are "\" and "|", because browsers
// read them as "/" and ":" in some paths. The segments "." and ".." are errors, because they would change the path. So
// is an empty first segment of a URL that has neither a path nor an authority.
func (u URL) JoinPath(segments ...string) (URL, error) {
	keep := u.std.Allowed(Path).Without(`/;?:%\|`)
	path := u.Path()
	for i, s := range segments {
		switch {
		case s == "." || s == "..":
			return URL{}, u.badSegment(s, `a segment other than "." and ".."`)
		case s == "" && path == "" && u.auth == 0:
			return URL{}, u.badSegment(s, "a segment that is not empty")
		}
		if !strings.HasSuffix(path, "/") && (path != "" || u.auth != 0 || i > 0) {
			path += "/"
		}
		path += Escape(s, keep)
	}
	return u.With(Path, Some(path))
}

// badSegment returns the error of [URL.JoinPath] for a segment. want describes a correct segment.
func (u URL) badSegment(segment, want string) error {
	return &SyntaxError{Text: segment, Standard: u.std, Rule: u.std.rules().sections[Path], Want: want, fragment: true}
}
