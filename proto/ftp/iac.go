package ftp

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"strings"

	"locus/access"
	"locus/access/engine"
	"locus/internal/sentinel"
)

// iac is the byte 255. The control connection is a Telnet connection (RFC 959 §2.3), in which this
// byte begins a Telnet command, unless it is sent twice (RFC 854, IAC).
const iac = "\xff"

// An iacRule says how a server reads the byte 255 in a command.
type iacRule uint8

const (
	iacUnknown iacRule = iota
	iacDoubled         // as Telnet does, so it must be sent twice
	iacPlain           // like any other byte
)

// learnIAC finds out how the server reads the byte 255, and sets iac. It does so only if a command has that byte, and
// the greeting did not reveal it.
//
// QUIRK: servers with the feature UTF8 (RFC 2640) read commands byte by byte (pure-ftpd 1.0.50, pyftpdlib 1.5.7).
// Servers without it read commands as Telnet does (inetutils-ftpd 2.4). For the exceptions see detectServer.
func (c *controlConn) learnIAC(commands ...string) error {
	if c.iac != iacUnknown || !strings.Contains(strings.Join(commands, ""), iac) {
		return nil
	}
	isUTF8, err := c.hasFeature("UTF8")
	if err != nil {
		return err
	}
	c.iac = iacDoubled
	if isUTF8 {
		c.iac = iacPlain
	}
	return nil
}

// errOtherName is the error of a change that the server has made under another name.
var errOtherName = sentinel.New("the server changes the name", errors.ErrUnsupported)

// checkName returns errOtherName if the current directory does not list name. It looks only for
// names that servers are known to change. It returns nil if it cannot list the directory. A server that has kept a name
// with certain quirks keeps other names with the same quirks, so checkName does not look for them.
//
// QUIRK: pyftpdlib 1.5.7 replaces the byte 255. pure-ftpd 1.0.50 replaces a space at the start. Others remove a space
// or a period at the end, or quotation marks.
func (b *boundConn) checkName(name string) error {
	quirks := quirksOf(name)
	if quirks&^b.keptQuirks == 0 {
		return nil
	}
	listed, err := b.isListed(name)
	if err == nil && !listed {
		return errOtherName
	}
	if err == nil {
		b.keptQuirks |= quirks &^ alwaysChecked
	}
	return err
}

// nameQuirks are the features of a name that servers are known to change.
type nameQuirks uint8

const (
	hasIAC nameQuirks = 1 << iota
	startsWithSpace
	endsWithSpace
	endsWithPeriod
	hasQuote
	hasBackslash

	// alwaysChecked: whether a server keeps these depends on the rest of the name.
	alwaysChecked = hasIAC | startsWithSpace
)

// quirksOf returns the features of name that servers are known to change.
func quirksOf(name string) (q nameQuirks) {
	for _, quirk := range []struct {
		has  bool
		what nameQuirks
	}{
		{strings.Contains(name, iac), hasIAC},
		{strings.HasPrefix(name, " "), startsWithSpace},
		{strings.HasSuffix(name, " "), endsWithSpace},
		{strings.HasSuffix(name, "."), endsWithPeriod},
		{strings.ContainsAny(name, "\"'"), hasQuote},
		{strings.Contains(name, `\`), hasBackslash},
	} {
		if quirk.has {
			q |= quirk.what
		}
	}
	return q
}

// isListed reports whether the current directory lists a name. It returns true if it cannot find
// out: for hidden names, unreadable directories, and EBCDIC.
func (b *boundConn) isListed(name string) (bool, error) {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(b.currentType, "E") {
		return true, nil
	}
	found, err := b.findName("NLST", func(listed string) bool { return listed == name })
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
		return true, nil
	}
	return found != "", err
}

// findName lists the current directory with verb, which is NLST or LIST, and returns the last line that match accepts;
// "" if match accepts no line. A refusal counts as an empty list, unless it wraps fs.ErrPermission or
// errors.ErrUnsupported.
func (b *boundConn) findName(verb string, match func(name string) bool) (string, error) {
	data, first, err := b.transfer(verb, 0)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
		return "", err
	}
	if _, refused := errors.AsType[*engine.Refusal](err); refused && !b.broken {
		return "", nil // servers refuse to list an empty directory
	}
	if err != nil {
		return "", err
	}
	defer data.Close()
	found, err := findLine(data, match)
	if err != nil {
		b.broken = true
		return "", b.cause(err)
	}
	data.Close()
	if first.Code < 200 {
		_, err = b.readCompletion()
	}
	return found, err
}

// findLine reads r to its end. It returns the last line that match accepts, without the directory
// before the name; "" if match accepts no line. Of a line that is longer than its buffer it looks
// only at the start.
func findLine(r io.Reader, match func(name string) bool) (string, error) {
	lines := bufio.NewReaderSize(r, 64<<10)
	found, whole := "", true // whole: ReadSlice starts at the start of a line
	for {
		line, err := lines.ReadSlice('\n')
		if text := strings.TrimRight(string(line), "\r\n"); whole {
			if name := text[strings.LastIndexByte(text, '/')+1:]; match(name) {
				found = name
			}
		}
		switch whole = err == nil; {
		case access.IsEnd(err):
			return found, nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return found, err
		}
	}
}
