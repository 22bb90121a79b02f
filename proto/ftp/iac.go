package ftp

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"strings"

	"locus/access"
)

// iac is the byte 255. The control connection is a Telnet connection (RFC 959 §2.3),
// on which it begins a Telnet command, and stands for itself if it is sent twice
// (RFC 854, IAC).
const iac = "\xff"

// An iacRule says how a server reads the byte 255 in a command.
type iacRule uint8

const (
	iacUnknown iacRule = iota
	iacDoubled         // as Telnet does: it has to be sent twice
	iacPlain           // as any other byte
)

// encode returns a command as it is sent.
func (c *control) encode(command string) string {
	if c.iac == iacDoubled {
		return strings.ReplaceAll(command, iac, iac+iac)
	}
	return command
}

// learnIAC finds out how the server reads the byte 255, if one of the commands has
// it and the greeting did not tell.
//
// QUIRK: servers that name the feature UTF8 (RFC 2640) read commands byte by byte
// (pure-ftpd 1.0.50, pyftpdlib 1.5.7), those that do not read them as Telnet does
// (inetutils-ftpd 2.4). The exceptions are known by their greeting: see greet.
func (c *control) learnIAC(commands ...string) error {
	if c.iac != iacUnknown || !strings.Contains(strings.Join(commands, ""), iac) {
		return nil
	}
	isUTF8, err := c.has("UTF8")
	if err != nil {
		return err
	}
	c.iac = iacDoubled
	if isUTF8 {
		c.iac = iacPlain
	}
	return nil
}

// errOtherName is the error of a change that the server made to another name.
var errOtherName = access.Reason("the server does not take the byte 0xFF in a name as it is", errors.ErrUnsupported)

// checkName fails with errOtherName if something was made under a name that has the
// byte 255, and the directory lists it under another one. A name that cannot be
// looked up is taken to be right.
func (s *session) checkName(name string) error {
	if !strings.Contains(name, iac) {
		return nil
	}
	listed, err := s.isListed(name)
	if err == nil && !listed {
		return errOtherName
	}
	return err
}

// isListed reports whether the listing of the directory has a name. It is true for
// what cannot be looked up: hidden names, directories that nobody may list, and
// listings in EBCDIC.
func (s *session) isListed(name string) (bool, error) {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(s.mode, "E") {
		return true, nil
	}
	data, first, err := s.transfer("NLST", 0)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
		return true, nil
	}
	if _, refused := errors.AsType[*access.Refusal](err); refused && !s.spoilt {
		return false, nil // servers say so of an empty directory
	}
	if err != nil {
		return false, err
	}
	defer data.Close()
	found, err := hasLine(data, name)
	if err != nil {
		s.spoilt = true
		return false, s.why(err)
	}
	data.Close()
	if first.Code < 200 {
		_, err = s.complete()
	}
	return found, err
}

// hasLine reads r to its end, and reports whether a line of it is name, with or
// without a directory before it.
func hasLine(r io.Reader, name string) (bool, error) {
	lines := bufio.NewReaderSize(r, 64<<10)
	found, whole := false, true // whole: the line begins here
	for {
		line, err := lines.ReadSlice('\n')
		if text := strings.TrimRight(string(line), "\r\n"); whole {
			found = found || text[strings.LastIndexByte(text, '/')+1:] == name
		}
		switch whole = err == nil; {
		case errors.Is(err, io.EOF):
			return found, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return found, err
		}
	}
}
