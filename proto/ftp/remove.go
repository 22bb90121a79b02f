package ftp

import (
	"errors"
	"io/fs"

	"locus/access"
	"locus/internal/sentinel"
	"locus/proto/internal/reply"
)

// remove removes the file that the URL names (DELE), or the directory (RMD).
func (s *session) remove() error {
	if err := s.checkConditions(); err != nil {
		return err
	}
	if err := s.checkAlive(); err != nil {
		return err
	}
	switch err := s.checkName(s.sent.Name); {
	case errors.Is(err, errOtherName): // the server would remove another file
		return fs.ErrNotExist
	case err != nil:
		return err
	}
	isDir := s.view.Name == "" || s.view.Type == "d"
	verb := "DELE "
	if isDir {
		verb = "RMD "
	}
	err := s.doExpect(2, verb+s.sent.Name)
	refused, ok := errors.AsType[*access.Refusal](err)
	if !ok || !errors.Is(refused.Means, fs.ErrNotExist) {
		return err
	}
	there, probe := s.exists(isDir)
	switch {
	case probe != nil:
		return probe
	case there && isDir:
		refused.Means = errNotEmpty
	case there:
		refused.Means = fs.ErrPermission
		// QUIRK: FileZilla Server has MDTM for directories.
		if there, probe = s.enterDir(); there {
			err = withRemedy(err, endWithSlash)
		}
		if probe != nil {
			return probe
		}
	case !isDir:
		err = withRemedy(err, endWithSlash)
	}
	return err
}

const endWithSlash = access.Advice(`to remove a directory, end the URL with "/"`)

// exists reports whether the file or directory that the URL names exists.
func (s *session) exists(isDir bool) (bool, error) {
	if isDir {
		return s.enterDir()
	}
	r, err := s.do("MDTM " + s.sent.Name)
	return r.Code == 213, err
}

// enterDir changes to the directory that the URL names, and reports whether
// that worked.
func (s *session) enterDir() (bool, error) {
	r, err := s.do("CWD " + s.sent.Name)
	if err != nil || !reply.Is(r, 2) {
		return false, err
	}
	s.dirs = append(s.dirs, s.sent.Name)
	return true, nil
}

func (s *session) makeDir() error {
	if err := s.checkAlive(); err != nil {
		return err
	}
	err := s.doExpect(2, "MKD "+s.sent.Name)
	if err == nil {
		err = s.checkName(s.sent.Name)
		if errors.Is(err, errOtherName) && s.doExpect(2, "RMD "+s.sent.Name) != nil {
			return leftover(err, s.sent.Name)
		}
		return err
	}
	refused, ok := errors.AsType[*access.Refusal](err)
	if !ok || errors.Is(err, fs.ErrExist) || s.broken {
		return err
	}
	there, probe := s.enterDir()
	if there {
		refused.Means = fs.ErrExist
	}
	if probe != nil {
		return probe
	}
	return err
}

// checkAlive checks a reused connection with NOOP, unless a reply came already.
// Otherwise a change could be made twice: once unnoticed, and again on a new
// connection.
func (s *session) checkAlive() error {
	if !s.reused || s.replyCount > 0 {
		return nil
	}
	_, err := s.do("NOOP")
	return err
}

var errNotEmpty = sentinel.New("the directory is not empty or may not be removed", fs.ErrPermission)
