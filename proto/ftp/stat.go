package ftp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"locus/access"
)

// stat finds the attributes of what the session's URL names.
func (s *session) stat() (access.Entry, error) {
	if err := s.walk(); err != nil {
		return access.Entry{}, err
	}
	found, err := s.attributes()
	if err != nil {
		return access.Entry{}, err
	}
	s.leave()
	found.name = s.title()
	e := found.entry(s.here())
	e.URL = s.req.URL
	return e, nil
}

// title is what to call the thing that the URL names: its last name.
func (s *session) title() string {
	if s.view.Name != "" {
		return s.view.Name
	}
	for i := len(s.view.Dirs) - 1; i >= 0; i-- {
		if s.view.Dirs[i] != "" {
			return s.view.Dirs[i]
		}
	}
	return "/"
}

// attributes asks in the ways that servers know, the best one first.
func (s *session) attributes() (item, error) {
	mlst, err := s.has("MLST")
	if err != nil {
		return item{}, err
	}
	if mlst {
		return s.mlst()
	}
	if s.view.Name == "" {
		return item{kind: access.Directory, size: -1}, nil
	}
	if err := s.mustType("I"); err != nil {
		return item{}, err
	}
	size, err := s.size()
	if err != nil {
		return item{}, err
	}
	if size >= 0 {
		modTime, err := s.modTime()
		return item{kind: access.Object, size: size, modTime: modTime}, err
	}
	return s.inParent()
}

// mlst asks for the facts of one thing (RFC 3659 §7):
//
//	250-Listing
//	 type=file;size=21;modify=20261121020208; /pub/hello.txt
//	250 End
func (s *session) mlst() (item, error) {
	r, err := s.do(command("MLST", s.wire.Name))
	if err != nil {
		return item{}, err
	}
	if err := s.expect(r, 2); err != nil {
		return item{}, err
	}
	for l := range strings.Lines(r.Text) {
		if found, _, ok := parseFacts(strings.TrimLeft(strings.TrimRight(l, "\r\n"), " ")); ok {
			return s.behind(found, l)
		}
	}
	return item{}, fmt.Errorf("%w: a reply to MLST without facts", access.ErrProtocol)
}

// behind returns what a link leads to, if that is a file, and else what was found.
//
// QUIRK: of a link proftpd 1.3 tells the size and the type "file"; what is no link
// has seldom its mode.
func (s *session) behind(found item, facts string) (item, error) {
	like := found.kind == access.Object && strings.Contains(strings.ToLower(facts), "unix.mode=0777;")
	if found.kind != access.Link && !like {
		return found, nil
	}
	if err := s.mustType("I"); err != nil {
		return item{}, err
	}
	size, err := s.size()
	if err != nil || size < 0 {
		return found, err
	}
	modTime, err := s.modTime()
	return item{kind: access.Object, size: size, modTime: modTime}, err
}

// inParent looks for the name in the listing of the directory that it is in.
func (s *session) inParent() (item, error) {
	if err := s.mustType("A"); err != nil {
		return item{}, err
	}
	l, err := s.list("LIST", parseLine)
	if err != nil {
		return item{}, err
	}
	defer l.Close()
	for {
		found, err := l.next()
		if errors.Is(err, io.EOF) {
			return item{}, access.Reason("not in the listing of its directory", fs.ErrNotExist)
		}
		if err != nil {
			return item{}, err
		}
		if found.name == s.view.Name {
			return found, nil
		}
	}
}

// command returns a command whose argument may be missing.
func command(verb, arg string) string {
	if arg == "" {
		return verb
	}
	return verb + " " + arg
}
