package nfs

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"time"

	"locus/access"
	"locus/access/engine"
)

const (
	defaultMode = 0o644 // of new files
	dirMode     = 0o755 // of new directories
)

// partMark is before the random end of a temporary name.
const partMark = ".part-"

// put replaces the file that the URL names, or writes the rest of it. It returns the
// time that was stored for it; zero if the server decides.
func (s *session) put() (modTime time.Time, err error) {
	p, err := s.findFile()
	if err == nil {
		err = s.checkChange(p)
	}
	if err != nil {
		return time.Time{}, err
	}
	var a *Attributes
	switch {
	case s.req.Offset > 0 && s.req.Part != "":
		// Writes are stored in any order: the size of a part does not tell what it has.
		return time.Time{}, engine.Reason("an upload to nfs starts at its beginning", errors.ErrUnsupported)
	case s.req.Offset > 0:
		a, err = s.resume(p)
	default:
		a, err = s.replace(p)
	}
	if err != nil || s.req.ModTime.IsZero() || !canStore(s.req.ModTime) {
		return time.Time{}, err
	}
	return a.modTime, nil
}

// findFile finds the file to write, which may be missing.
func (s *session) findFile() (place, error) {
	if s.mustBeDir() {
		return place{}, errIsDir
	}
	p, err := s.find(true)
	switch {
	case err != nil:
		return p, err
	case p.isList:
		return p, errExportList
	case p.missing:
		return p, nil
	case p.attr.kind == directory:
		return p, errIsDir
	case p.attr.kind != regular:
		return p, errNotRegular
	}
	return p, nil
}

// checkChange checks IfAbsent and IfMatch.
func (s *session) checkChange(p place) error {
	switch {
	case s.req.IfAbsent && !p.missing:
		return fs.ErrExist
	case s.req.IfMatch.IsZero():
		return nil
	case p.missing || !p.attr.isVersion(s.req.IfMatch):
		return access.ErrChanged
	}
	return nil
}

// replace writes a new file and gives it the name of the old one.
func (s *session) replace(p place) (*Attributes, error) {
	mode := s.req.Mode.Perm()
	if mode == 0 && !p.missing {
		mode = p.attr.Mode.Perm()
	}
	mode = cmp.Or(mode, defaultMode)
	temporary, err := s.chooseTemporary(p)
	if err != nil {
		return nil, err
	}
	file, err := s.conn.create(p.dir.handle, temporary, change{mode: modeBits(mode)})
	if hasStatus(err, statusNameTooLong) { // the name itself may fit
		temporary = partMark[1:] + randomDigits()
		file, err = s.conn.create(p.dir.handle, temporary, change{mode: modeBits(mode)})
	}
	if err != nil {
		return nil, err
	}
	a, err := s.fill(p, file, mode)
	if err == nil {
		err = s.moveTo(p, file, temporary)
	}
	if err != nil {
		return nil, s.removePart(p.dir.handle, temporary, err)
	}
	return a, nil
}

// chooseTemporary returns the name of the new file until it is complete. It removes what
// an upload that was killed left of that name.
func (s *session) chooseTemporary(p place) (string, error) {
	if s.req.Part == "" {
		return p.name + partMark + randomDigits(), nil
	}
	name := engine.PartName(p.name, s.req.Part)
	err := s.conn.remove(procRemove, p.dir.handle, name)
	if hasStatus(err, statusNoEnt, statusNameTooLong) {
		err = nil
	}
	return name, err
}

// fill writes a new file.
func (s *session) fill(p place, file handle, mode fs.FileMode) (*Attributes, error) {
	size, err := s.write(p, file, 0)
	if err != nil {
		return nil, err
	}
	return s.settle(file, size, mode)
}

// moveTo gives a complete file its name. With IfAbsent the name must be new: then the
// file gets a second name, which does not replace another, and loses the first.
func (s *session) moveTo(p place, file handle, temporary string) error {
	if !s.req.IfAbsent {
		return s.conn.rename(p.dir.handle, temporary, p.name)
	}
	err := s.conn.link(file, p.dir.handle, p.name)
	if err == nil {
		return s.conn.remove(procRemove, p.dir.handle, temporary)
	}
	if !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	// Without links, the name is taken first, by an empty file.
	if _, err := s.conn.create(p.dir.handle, p.name, change{mode: modeBits(defaultMode)}); err != nil {
		return err
	}
	if err := s.conn.rename(p.dir.handle, temporary, p.name); err != nil {
		return s.removePart(p.dir.handle, p.name, err)
	}
	return nil
}

func randomDigits() string {
	b := make([]byte, 4)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// resume writes the rest of a file that has as many bytes as Request.Offset.
func (s *session) resume(p place) (*Attributes, error) {
	switch {
	case p.missing:
		return nil, refusal(statusNoEnt)
	case p.attr.length() < s.req.Offset:
		return nil, access.ErrRange
	case p.attr.length() > s.req.Offset:
		return nil, access.ErrChanged
	}
	size, err := s.write(p, p.handle, s.req.Offset)
	if err != nil {
		return nil, err
	}
	return s.settle(p.handle, size, s.req.Mode.Perm())
}

// append adds to the file that the URL names, or creates it.
func (s *session) append() error {
	p, err := s.findFile()
	if err == nil {
		err = s.checkChange(p)
	}
	if err != nil {
		return err
	}
	if p.missing {
		p.handle, err = s.conn.create(p.dir.handle, p.name, change{mode: modeBits(defaultMode)})
		p.attr = &Attributes{}
	}
	if err != nil {
		return err
	}
	size, err := s.write(p, p.handle, p.attr.length())
	if err != nil {
		return err
	}
	_, err = s.settle(p.handle, size, 0)
	return err
}

// remove removes the file, the symbolic link or the empty directory that the URL names.
func (s *session) remove() error {
	p, err := s.find(false)
	switch {
	case err != nil:
		return err
	case p.isList:
		return errExportList
	case p.missing:
		return refusal(statusNoEnt)
	case p.name == "":
		return engine.Reason("it is the top of what the server exports", fs.ErrPermission)
	case p.attr.kind == directory && !s.mustBeDir():
		return access.WithRemedy(errIsDir, access.Advice(`to remove a directory, end the URL with "/"`))
	case p.attr.kind != directory && s.mustBeDir():
		return errNotDir
	case !s.req.IfMatch.IsZero() && !p.attr.isVersion(s.req.IfMatch):
		return access.ErrChanged
	}
	if p.attr.kind == directory {
		return s.conn.remove(procRemoveDir, p.dir.handle, p.name)
	}
	return s.conn.remove(procRemove, p.dir.handle, p.name)
}

// makeDir makes a directory.
func (s *session) makeDir() error {
	p, err := s.find(true)
	switch {
	case err != nil:
		return err
	case !p.missing:
		return fs.ErrExist
	}
	return s.conn.makeDir(p.dir.handle, p.name, change{mode: modeBits(dirMode)})
}
