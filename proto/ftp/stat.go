package ftp

import (
	"fmt"
	"io/fs"
	"strings"

	"locus/access"
	"locus/proto/internal/mediatype"
)

func (s *session) stat() (access.Entry, error) {
	e, err := s.attributes()
	if err != nil {
		return access.Entry{}, err
	}
	e.Title, e.URL = s.title(), s.req.URL
	if e.Kind == access.Object {
		e.Type = mediatype.ByName(e.Title)
	}
	return e, nil
}

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

// attributes tries each way that the server has, the best one first.
func (s *session) attributes() (access.Entry, error) {
	mlst, err := s.hasFeature("MLST")
	if err != nil {
		return access.Entry{}, err
	}
	if mlst {
		return s.mlst()
	}
	if s.view.Name == "" {
		return access.Entry{Kind: access.Directory, Size: -1}, nil
	}
	found, err := s.sizeAndTime()
	if err != nil || found.Size >= 0 {
		return found, err
	}
	return s.findInParent()
}

// sizeAndTime asks for the size and the time of a file. The size is -1 if the
// server does not say.
func (s *session) sizeAndTime() (access.Entry, error) {
	found := access.Entry{Kind: access.Object}
	err := s.setType("I")
	if err == nil {
		found.Size, err = s.size()
	}
	if err == nil && found.Size >= 0 {
		found.ModTime, err = s.modTime()
	}
	return found, err
}

// mlst asks for the facts of one name (RFC 3659 §7):
//
//	250-Listing
//	 type=file;size=21;modify=20261121020208; /pub/hello.txt
//	250 End
func (s *session) mlst() (access.Entry, error) {
	r, err := s.do(joinCommand("MLST", s.sent.Name))
	if err != nil {
		return access.Entry{}, err
	}
	if err := s.expect(r, 2); err != nil {
		return access.Entry{}, err
	}
	for l := range strings.Lines(r.Text) {
		l = strings.TrimLeft(strings.TrimRight(l, "\r\n"), " ")
		if found, _, ok := parseFacts(l); ok {
			found.ID, found.Sys = Line(l).unique(), Line(l)
			return s.resolveLink(found, l)
		}
	}
	return access.Entry{}, fmt.Errorf("%w: a reply to MLST without facts", access.ErrProtocol)
}

// resolveLink returns the attributes of the file that a link leads to. If found
// is not a link to a file, it returns found.
//
// QUIRK: proftpd 1.3 reports the link's own size and the type "file" for a
// link. Its mode 0777 tells; other files seldom have it.
func (s *session) resolveLink(found access.Entry, facts string) (access.Entry, error) {
	like := found.Kind == access.Object && strings.Contains(strings.ToLower(facts), "unix.mode=0777;")
	if found.Kind != access.Link && !like {
		return found, nil
	}
	file, err := s.sizeAndTime()
	if err != nil || file.Size < 0 {
		return found, err
	}
	return file, nil
}

func (s *session) findInParent() (access.Entry, error) {
	l, err := s.list(s.listCommand(), parseLine)
	if err != nil {
		return access.Entry{}, err
	}
	defer l.Close()
	for {
		found, err := l.Next()
		if access.IsEnd(err) {
			return access.Entry{}, access.Reason("not in the listing of its directory", fs.ErrNotExist)
		}
		if err != nil {
			return access.Entry{}, err
		}
		if found.Title == s.view.Name {
			return found, nil
		}
	}
}

// joinCommand returns a command with an optional argument.
func joinCommand(verb, arg string) string {
	if arg == "" {
		return verb
	}
	return verb + " " + arg
}
