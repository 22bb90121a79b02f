package ftp

import (
	"cmp"
	"errors"
	"io/fs"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
	"locus/proto/internal/reply"
)

// remove removes the file that the URL names (DELE), or the directory (RMD). If the server refuses
// that because the name does not exist, or without a reason, remove asks whether the name exists,
// because servers use the code 550 for other reasons too. If it exists, the error wraps errNotEmpty
// for a directory, and fs.ErrPermission for a file.
func (b *boundConn) remove() error {
	if err := b.checkConditions(); err != nil {
		return err
	}
	if err := b.checkAlive(); err != nil {
		return err
	}
	switch err := b.checkName(b.sent.Name); {
	case errors.Is(err, errOtherName): // the server would remove another file
		return fs.ErrNotExist
	case err != nil:
		return err
	}
	isDir := b.view.Name == "" || b.view.Type == "d"
	verb := "DELE "
	if isDir {
		verb = "RMD "
	}
	err := b.doExpect(2, verb+b.sent.Name)
	refused, ok := errors.AsType[*engine.Refusal](err)
	if !ok || !isUnclear(refused) && !errors.Is(refused.Means, fs.ErrNotExist) {
		return err
	}
	exists, checkErr := b.exists(isDir)
	switch {
	case checkErr != nil:
		return checkErr
	case exists && isDir:
		refused.Means = errNotEmpty
	case exists:
		refused.Means = fs.ErrPermission
		// QUIRK: FileZilla Server answers MDTM for directories too.
		isDir, checkErr = b.enterDir()
		if isDir {
			err = withRemedy(err, endWithSlash)
		}
		if checkErr != nil {
			return checkErr
		}
		if isDir && b.twisted {
			return cmp.Or(b.checkLink(), err)
		}
	case !isDir:
		err = withRemedy(err, endWithSlash)
	}
	return err
}

// checkLink returns errLink if the directory of the URL is a symbolic link. It must be the current
// directory. checkLink returns nil for an empty directory, which it cannot check.
//
// QUIRK: Twisted 22.4 lists a link to a directory as a directory. It refuses DELE for the link and
// for the directory, and only its reply to RMD tells which it is. RMD would remove an empty
// directory, so checkLink does not send it then.
func (b *boundConn) checkLink() error {
	found, err := b.findName("LIST", func(line string) bool { return line != "" })
	if err != nil || found == "" {
		return err
	}
	r, err := b.do("RMD ../" + b.sent.Name)
	if err == nil && strings.Contains(r.Text, "is not a directory") {
		return errLink
	}
	return err
}

var errLink = sentinel.New("it is a symbolic link to a directory, which the server does not delete", fs.ErrPermission)

const endWithSlash = access.Advice(`to remove a directory, end the URL with "/"`)

// exists reports whether the file that the URL names exists, by MDTM. With isDir it reports whether
// the directory exists, by CWD, and enters the directory. It returns false if the server refuses
// the command for any reason.
func (b *boundConn) exists(isDir bool) (bool, error) {
	if isDir {
		return b.enterDir()
	}
	r, err := b.do("MDTM " + b.sent.Name)
	return r.Code == 213, err
}

// enterDir changes to the directory that the URL names. If the server does so, it adds the
// directory to dirs and returns true.
func (b *boundConn) enterDir() (bool, error) {
	r, err := b.do("CWD " + b.sent.Name)
	if err != nil || !reply.Is(r, 2) {
		return false, err
	}
	b.dirs = append(b.dirs, b.sent.Name)
	return true, nil
}

// makeDir creates the directory that the URL names. The error is fs.ErrExist if it exists. If the
// server has created it under another name, makeDir removes it, and the error is errOtherName.
func (b *boundConn) makeDir() error {
	if err := b.checkAlive(); err != nil {
		return err
	}
	err := b.doExpect(2, "MKD "+b.sent.Name)
	if err == nil {
		err = b.checkName(b.sent.Name)
		if errors.Is(err, errOtherName) && b.doExpect(2, "RMD "+b.sent.Name) != nil {
			return leftover(err, b.sent.Name)
		}
		return err
	}
	refused, ok := errors.AsType[*engine.Refusal](err)
	if !ok || errors.Is(err, fs.ErrExist) || b.broken {
		return err
	}
	exists, checkErr := b.enterDir()
	if exists {
		refused.Means = fs.ErrExist
	}
	if checkErr != nil {
		return checkErr
	}
	return err
}

// checkAlive sends NOOP on a reused connection that has had no reply for this request, so that a
// closed connection fails before the change. A change could be made twice without it: once without
// a reply, and again on a new connection.
func (b *boundConn) checkAlive() error {
	if !b.reused || b.replyCount > 0 {
		return nil
	}
	_, err := b.do("NOOP")
	return err
}

var errNotEmpty = sentinel.New("the directory is not empty or may not be removed", fs.ErrPermission)
