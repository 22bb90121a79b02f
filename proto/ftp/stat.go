package ftp

import (
	"fmt"
	"io/fs"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/proto/internal/mediatype"
)

// stat returns the attributes of the file or directory that the URL names.
func (b *boundConn) stat() (access.Entry, error) {
	e, err := b.attributes()
	if err != nil {
		return access.Entry{}, err
	}
	e.Title, e.URL = b.title(), b.req.URL
	if e.Kind == access.Object {
		e.Type = mediatype.ByName(e.Title)
	}
	return e, nil
}

// title returns the last name in the URL that is not empty; "/" if there is no name.
func (b *boundConn) title() string {
	if b.view.Name != "" {
		return b.view.Name
	}
	for i := len(b.view.Dirs) - 1; i >= 0; i-- {
		if b.view.Dirs[i] != "" {
			return b.view.Dirs[i]
		}
	}
	return "/"
}

// attributes returns the attributes of the file or directory that the URL names, from MLST. Without
// MLST, the attributes of a file come from SIZE and MDTM, or else from the listing of its
// directory, and a directory is assumed to exist.
func (b *boundConn) attributes() (access.Entry, error) {
	mlst, err := b.hasFeature("MLST")
	if err != nil {
		return access.Entry{}, err
	}
	if mlst {
		return b.mlst()
	}
	if b.view.Name == "" {
		return access.Entry{Kind: access.Directory, Size: -1}, nil
	}
	found, err := b.sizeAndTime()
	if err != nil || found.Size >= 0 {
		return found, err
	}
	return b.findInParent()
}

// sizeAndTime sets type I, and asks for the size and the time of a file. If the server does not
// report the size, the size is -1, and the time is zero.
func (b *boundConn) sizeAndTime() (access.Entry, error) {
	found := access.Entry{Kind: access.Object}
	err := b.setType("I")
	if err == nil {
		found.Size, err = b.size()
	}
	if err == nil && found.Size >= 0 {
		found.ModTime, err = b.modTime()
	}
	return found, err
}

// mlst returns the attributes in the reply to MLST (RFC 3659 §7):
//
//	250-Listing
//	 type=file;size=21;modify=20261121020208; /pub/hello.txt
//	250 End
func (b *boundConn) mlst() (access.Entry, error) {
	r, err := b.do(joinCommand("MLST", b.sent.Name))
	if err != nil {
		return access.Entry{}, err
	}
	if err := b.expect(r, 2); err != nil {
		return access.Entry{}, err
	}
	for l := range strings.Lines(r.Text) {
		l = strings.TrimLeft(strings.TrimRight(l, "\r\n"), " ")
		if found, _, ok := parseFacts(l); ok {
			found.ID, found.Sys = Line(l).unique(), Line(l)
			return b.resolveLink(found, l)
		}
	}
	return access.Entry{}, fmt.Errorf("%w: a reply to MLST without facts", access.ErrProtocol)
}

// resolveLink returns the attributes of the file that a link leads to. It returns found unchanged
// if found is not a link, or does not lead to a file. line has the facts of found.
//
// QUIRK: proftpd 1.3 reports a link's own size and the type "file" for a link. The mode 0777
// reveals the link, because other files seldom have it.
func (b *boundConn) resolveLink(found access.Entry, line string) (access.Entry, error) {
	maybeLink := found.Kind == access.Object && strings.Contains(strings.ToLower(line), "unix.mode=0777;")
	if found.Kind != access.Link && !maybeLink {
		return found, nil
	}
	file, err := b.sizeAndTime()
	if err != nil || file.Size < 0 {
		return found, err
	}
	return file, nil
}

// findInParent returns the entry of the file in the listing of the current directory. The error is
// fs.ErrNotExist if the directory does not list the file.
func (b *boundConn) findInParent() (access.Entry, error) {
	l, err := b.list(b.listCommand(), parseLine)
	if err != nil {
		return access.Entry{}, err
	}
	defer l.Close()
	for {
		found, err := l.Next()
		if access.IsEnd(err) {
			return access.Entry{}, engine.Reason("not in the listing of its directory", fs.ErrNotExist)
		}
		if err != nil {
			return access.Entry{}, err
		}
		if found.Title == b.view.Name {
			return found, nil
		}
	}
}

// joinCommand returns a command with its argument, or only the verb if arg is "".
func joinCommand(verb, arg string) string {
	if arg == "" {
		return verb
	}
	return verb + " " + arg
}
