package ftp

import (
	"errors"
	"io/fs"

	"locus/access"
	"locus/proto/internal/reply"
)

// remove removes the file that the session's URL names (DELE). If it names a
// directory (it ends in "/" or has ";type=d") that is removed (RMD), which servers
// do if it is empty. Request.IfMatch compares what MDTM says before.
func (s *session) remove() error {
	if err := s.walk(); err != nil {
		return err
	}
	if err := s.mayChange(); err != nil {
		return err
	}
	if err := s.wakeUp(); err != nil {
		return err
	}
	switch err := s.checkName(s.wire.Name); {
	case errors.Is(err, errOtherName): // what the server would remove has another name
		return fs.ErrNotExist
	case err != nil:
		return err
	}
	isDir := s.view.Name == "" || s.view.Type == "d"
	verb := "DELE "
	if isDir {
		verb = "RMD "
	}
	err := s.must(2, verb+s.wire.Name)
	refused, ok := errors.AsType[*access.Refusal](err)
	if !ok || !errors.Is(refused.Means, fs.ErrNotExist) {
		return err
	}
	there, probe := s.isThere(isDir)
	switch {
	case probe != nil:
		return probe
	case there && isDir:
		refused.Means = errNotEmpty
	case there:
		refused.Means = fs.ErrPermission
	case !isDir:
		err = advise(err, access.Advice(`a directory is removed if the URL ends in "/"`))
	}
	return err
}

// isThere reports whether what was to be removed is there.
func (s *session) isThere(isDir bool) (bool, error) {
	if isDir {
		return s.enter()
	}
	r, err := s.do("MDTM " + s.wire.Name)
	return r.Code == 213, err
}

// enter goes into the directory that the URL names, and reports whether there
// is one.
func (s *session) enter() (bool, error) {
	r, err := s.do("CWD " + s.wire.Name)
	if err != nil || !reply.Is(r, 2) {
		return false, err
	}
	s.dirs = append(s.dirs, s.wire.Name)
	return true, nil
}

// makeDir makes the directory that the session's URL names.
func (s *session) makeDir() error {
	if err := s.walk(); err != nil {
		return err
	}
	if err := s.wakeUp(); err != nil {
		return err
	}
	err := s.must(2, "MKD "+s.wire.Name)
	if err == nil {
		err = s.checkName(s.wire.Name)
		if errors.Is(err, errOtherName) && s.must(2, "RMD "+s.wire.Name) != nil {
			return leftover{err, s.wire.Name}
		}
		return err
	}
	refused, ok := errors.AsType[*access.Refusal](err)
	if !ok || errors.Is(err, fs.ErrExist) || s.spoilt {
		return err
	}
	there, probe := s.enter()
	if there {
		refused.Means = fs.ErrExist
	}
	if probe != nil {
		return probe
	}
	return err
}

// wakeUp makes sure that the connection is still there, if nothing else has: a
// change is not to be made twice because it was not heard of.
func (s *session) wakeUp() error {
	if !s.reused || s.answered > 0 {
		return nil
	}
	_, err := s.do("NOOP")
	return err
}

var errNotEmpty = access.Reason("it is there, and not empty or not to be removed", fs.ErrPermission)
