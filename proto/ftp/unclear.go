package ftp

import (
	"errors"
	"io/fs"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
)

// errRefused is the meaning of a 550 whose text does not tell it, if the server does not show that
// the file is missing.
var errRefused = sentinel.New("the server refused it", fs.ErrPermission)

// isUnclear reports whether the meaning of a refusal is still unknown because the code 550 has
// several meanings and its text names none.
func isUnclear(refused *engine.Refusal) bool {
	return refused.Reply.Code == 550 && refused.Means == nil
}

// explain gives an unclear refusal its meaning, and returns err. It asks the server whether the
// name of the refused command exists, because vsftpd and others answer with the same text for a
// file that is missing and for one that may not be read.
func (b *boundConn) explain(err error) error {
	refused, ok := errors.AsType[*engine.Refusal](err)
	if !ok || !isUnclear(refused) {
		return err
	}
	refused.Means = errRefused
	name := b.refusedName()
	if name == "" {
		return err
	}
	if b.req.Op == access.Get && name == b.sent.Name && b.view.Type != "d" {
		isDir, failed := b.enterDir()
		if isDir {
			refused.Means, refused.Remedy = errNotFile, access.NeedSlash
		}
		if isDir || failed != nil {
			return err
		}
	}
	if exists, failed := b.hasName(name); failed == nil && !exists {
		refused.Means = fs.ErrNotExist
	}
	return err
}

// refusedName returns the name that must exist for the command that was refused: a directory of
// the path, or the name after it. It returns "" if the command does not need a name that exists.
func (b *boundConn) refusedName() string {
	if n := len(b.dirs); n < len(b.sent.Dirs) {
		return b.sent.Dirs[n]
	}
	switch b.req.Op {
	case access.Get, access.Stat, access.Delete:
		return b.sent.Name
	}
	return ""
}

// hasName reports whether the current directory has a name, by MLST or by its listing. It returns true if the replies
// do not tell, and after an error, which means that the connection failed. Without MLST it asks for the time of a file
// first, because otherwise each unreadable file of a directory would cost a listing.
func (b *boundConn) hasName(name string) (bool, error) {
	mlst, err := b.hasFeature("MLST")
	if err != nil {
		return true, err
	}
	if mlst {
		r, err := b.do("MLST " + name)
		means := replyError(r)
		return r.Code != 550 || means != nil && !errors.Is(means, fs.ErrNotExist), err
	}
	if strings.Contains(name, "/") || strings.HasPrefix(name, ".") { // its directory is another one, or does not list it
		return true, nil
	}
	if b.req.Op == access.Get && name == b.sent.Name {
		if b.timeCode == 0 {
			r, err := b.do("MDTM " + name)
			if err != nil {
				return true, err
			}
			b.timeCode = r.Code
		}
		if b.timeCode == 213 {
			return true, nil
		}
	}
	return b.isListed(name)
}
