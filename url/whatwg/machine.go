package whatwg

import (
	"cmp"
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// A machine is the basic URL parser of the URL Standard. Each state of the parser is a method that parses one part of
// the text, starting at m.text[i], and then calls the method of the next state. Methods return the failure, which is
// an [*Error].
//
// A probing machine only decides whether the text is a URL. It stops after the port, because the parser cannot fail
// after it.
type machine struct {
	reporter func(Error)               // Parser.Report
	encode   func(rune) ([]byte, rune) // Parser.Encode
	base     record
	hasBase  bool

	text     string // without controls and spaces at its ends, and without tabs and newlines
	url      record
	path     buffer // the path of url, unless url.path contains it
	probe    bool   // only decide whether the text is a URL; url is incomplete then
	override bool   // a setter reads the path: "?" and "#" do not end it

	start   int   // the offset of text in the original
	removed []int // the offsets of tabs and newlines in the original
}

// parse runs the machine: it parses text into m.url and m.path. It returns the failure if text is not a URL.
func (m *machine) parse(text string) error {
	m.clean(text)
	return m.scheme()
}

// clean sets m.text to text without the bytes that the parser ignores, and m.start to the offset of the first byte that
// it keeps. It reports the ignored bytes: controls and spaces at both ends, tabs and newlines everywhere.
func (m *machine) clean(text string) {
	start, end := 0, len(text)
	for start < end && text[start] <= ' ' {
		start++
	}
	for start < end && text[end-1] <= ' ' {
		end--
	}
	m.start, m.text = start, text[start:end]
	if start > 0 {
		m.reportAt(InvalidURLUnit, 0)
	}
	if end < len(text) {
		m.reportAt(InvalidURLUnit, end)
	}
	if indexIn(m.text, 0, lineBreak) < len(m.text) {
		m.removeBreaks()
	}
}

// removeBreaks removes tabs and newlines from m.text, reports them, and records their offsets in m.removed.
func (m *machine) removeBreaks() {
	for i := range len(m.text) {
		if setsOf[m.text[i]]&lineBreak != 0 {
			m.removed = append(m.removed, m.start+i)
			m.reportAt(InvalidURLUnit, m.start+i)
		}
	}
	m.text = withoutBreaks(m.text)
}

// report reports a validation error at m.text[i], which does not end the parse.
func (m *machine) report(name Name, i int) {
	if m.reporter != nil {
		m.reportAt(name, m.originalOffset(i))
	}
}

// reportAt reports a validation error at an offset of the original text.
func (m *machine) reportAt(name Name, offset int) {
	if m.reporter != nil {
		m.reporter(Error{Name: name, Offset: offset})
	}
}

// fail reports and returns the failure with that name at m.text[i], which is an *Error. If m.probe is set, it reports
// nothing and returns errProbe, because the caller only asks whether the parse fails.
func (m *machine) fail(name Name, i int) error {
	if m.probe {
		return errProbe
	}
	e := Error{Name: name, Offset: m.originalOffset(i), Failure: true}
	if m.reporter != nil {
		m.reporter(e)
	}
	return &e
}

// originalOffset returns the offset of m.text[i] in the text that was given to parse.
func (m *machine) originalOffset(i int) int {
	i += m.start
	for _, r := range m.removed {
		if r > i {
			break
		}
		i++
	}
	return i
}

// at returns m.text[i], or 0 at the end. This is unambiguous because a NUL has no meaning in any state.
func (m *machine) at(i int) byte {
	if i < len(m.text) {
		return m.text[i]
	}
	return 0
}

// isEnd reports whether i is at or after the end of m.text.
func (m *machine) isEnd(i int) bool { return i >= len(m.text) }

// isSlash reports whether m.text[i] is a "/", or a "\" that the parser reads as a "/".
func (m *machine) isSlash(i int) bool {
	return m.at(i) == '/' || m.at(i) == '\\' && m.url.special
}

// reportBackslash reports a "\" at m.text[i], which the parser reads as a "/".
func (m *machine) reportBackslash(i int) {
	if m.at(i) == '\\' {
		m.report(InvalidReverseSolidus, i)
	}
}

// schemeEnd returns the offset of the colon after the scheme, or -1 if s does not start with a scheme.
func schemeEnd(s string) int {
	if s == "" || !ascii.IsLetter(s[0]) {
		return -1
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case c == ':':
			return i
		case !ascii.IsLetterOrDigit(c) && c != '+' && c != '-' && c != '.':
			return -1
		}
	}
	return -1
}

// scheme is the scheme start state and the scheme state. It parses the scheme at the start of m.text, and then all that
// follows.
func (m *machine) scheme() error {
	colon := schemeEnd(m.text)
	if colon < 0 {
		return m.noScheme()
	}
	name := m.text[:colon]
	if !m.probe || isSpecial(name) {
		name = lowerScheme(name)
	}
	m.url.setScheme(name)
	rest := colon + 1
	switch slashes := strings.HasPrefix(m.text[rest:], "//"); {
	case m.url.scheme == "file":
		if !slashes {
			m.report(SpecialSchemeMissingSolidus, rest)
		}
		return m.file(rest)
	case m.url.special && m.hasBase && m.base.scheme == m.url.scheme:
		if slashes {
			return m.authorityAfterSlashes(rest + len("//"))
		}
		m.report(SpecialSchemeMissingSolidus, rest)
		return m.relative(rest)
	case m.url.special:
		if !slashes {
			m.report(SpecialSchemeMissingSolidus, rest)
			return m.authorityAfterSlashes(rest)
		}
		return m.authorityAfterSlashes(rest + len("//"))
	case slashes:
		return m.authority(rest + len("//"))
	case m.at(rest) == '/':
		return m.pathAt(rest)
	}
	return m.opaquePath(rest)
}

// noScheme is the no scheme state. It parses m.text as a relative reference. It fails without a base, and if the base
// has an opaque path and m.text does not start with "#".
func (m *machine) noScheme() error {
	switch {
	case !m.hasBase, m.base.opaque && m.at(0) != '#':
		return m.fail(MissingSchemeNonRelative, 0)
	case m.probe && m.base.opaque:
		return nil
	case m.base.opaque:
		m.url = m.base
		return m.fragment(0)
	case m.base.scheme == "file":
		m.url.setScheme("file")
		return m.file(0)
	}
	return m.relative(0)
}

// relative is the relative state and the relative slash state. It parses m.text[i:], a reference without a scheme, and
// takes the missing parts from the base.
func (m *machine) relative(i int) error {
	m.url.scheme, m.url.special = m.base.scheme, m.base.special
	if m.isSlash(i) {
		m.reportBackslash(i)
		if m.isSlash(i + 1) {
			m.reportBackslash(i + 1)
			if m.url.special {
				return m.authorityAfterSlashes(i + 2)
			}
			return m.authority(i + 2)
		}
		m.takeAuthority()
		return m.pathAt(i)
	}
	if m.probe {
		return nil
	}
	m.takeAuthority()
	if m.takeBasePath(i) {
		return m.tail(i)
	}
	m.shorten()
	return m.segments(i)
}

// takeBasePath gives the URL the path of the base, for a reference whose path would begin at m.text[i]. If the
// reference has neither a path nor a query, takeBasePath also takes the query of the base. It returns true if the
// reference has no path, so that the path of the base stays as it is.
func (m *machine) takeBasePath(i int) bool {
	m.path.put(m.base.path)
	if m.isEnd(i) || m.at(i) == '#' {
		m.url.query = m.base.query
		return true
	}
	return m.at(i) == '?'
}

// takeAuthority copies the login, the host and the port of the base to the URL.
func (m *machine) takeAuthority() {
	m.url.username, m.url.password = m.base.username, m.base.password
	m.url.host, m.url.hasHost, m.url.port = m.base.host, m.base.hasHost, m.base.port
}

// authorityAfterSlashes is the special authority ignore slashes state. It skips and reports slashes and backslashes
// from m.text[i] on, and parses the authority and all that follows.
func (m *machine) authorityAfterSlashes(i int) error {
	for ; m.at(i) == '/' || m.at(i) == '\\'; i++ {
		m.report(SpecialSchemeMissingSolidus, i)
	}
	return m.authority(i)
}

// authority is the authority state. It parses the authority, which starts at m.text[i], and all that follows. The last
// "@" ends the login.
func (m *machine) authority(i int) error {
	end := m.authorityEnd(i)
	if at := strings.LastIndexByte(m.text[i:end], '@'); at >= 0 {
		if !m.probe {
			m.login(i, i+at)
		}
		i += at + 1
		if i == end {
			return m.fail(HostMissing, i)
		}
	}
	return m.hostAndPort(i, end)
}

// authorityEnd returns the offset of the delimiter that ends the authority at m.text[i], or len(m.text).
func (m *machine) authorityEnd(i int) int {
	if m.url.special {
		return indexIn(m.text, i, authorityEnd)
	}
	for !m.isEnd(i) && m.text[i] != '/' && m.text[i] != '?' && m.text[i] != '#' {
		i++
	}
	return i
}

// login sets the user name and the password to the text m.text[i:end], escaped. It reports the "@" at m.text[end] and
// each "@" before it.
func (m *machine) login(i, end int) {
	login := m.text[i:end]
	m.report(InvalidCredentials, end)
	for j := range len(login) {
		if login[j] == '@' {
			m.report(InvalidCredentials, i+j)
		}
	}
	user, password, _ := strings.Cut(login, ":")
	m.url.username = PercentEncode(user, UserinfoSet)
	m.url.password = PercentEncode(password, UserinfoSet)
}

// hostAndPort is the host state and the port state. It parses the host and the port in m.text[i:end], and then all that
// follows.
func (m *machine) hostAndPort(i, end int) error {
	host := m.text[i:end]
	port, hasPort := "", false
	if colon := hostColon(host); colon >= 0 {
		host, port, hasPort = host[:colon], host[colon+1:], true
	}
	if host == "" && (hasPort || m.url.special) {
		return m.fail(HostMissing, i)
	}
	var err error
	if m.url.host, err = m.parseHost(host, !m.url.special, i); err != nil {
		return err
	}
	m.url.hasHost = true
	if hasPort {
		if err := m.port(port, i+len(host)+1); err != nil {
			return err
		}
	}
	return m.pathAt(end)
}

// hostColon returns the offset of the colon between the host and the port in s, or -1 if there is no such colon. A
// colon between brackets is part of the host.
func hostColon(s string) int {
	brackets := false
	for i := range len(s) {
		switch s[i] {
		case '[':
			brackets = true
		case ']':
			brackets = false
		case ':':
			if !brackets {
				return i
			}
		}
	}
	return -1
}

// port sets m.url.port to digits, which start at m.text[i], without leading zeros. It leaves m.url.port unchanged for
// no digits and for the default port of the scheme. A byte that is not a digit, or a number above 65535, is a failure.
func (m *machine) port(digits string, i int) error {
	number := 0
	for j := range len(digits) {
		if !ascii.IsDigit(digits[j]) {
			return m.fail(PortInvalid, i+j)
		}
		number = min(number*10+int(digits[j]-'0'), 1<<16)
	}
	if number > 1<<16-1 {
		return m.fail(PortOutOfRange, i)
	}
	if standard, _ := defaultPort(m.url.scheme); digits != "" && number != standard {
		m.url.port = cmp.Or(strings.TrimLeft(digits, "0"), "0")
	}
	return nil
}

// file is the file state. It parses m.text[i:], the rest of a file URL after its scheme, or a reference without a
// scheme whose base is a file URL.
func (m *machine) file(i int) error {
	m.url.hasHost = true
	fromBase := m.hasBase && m.base.scheme == "file"
	switch {
	case m.isSlash(i):
		m.reportBackslash(i)
		return m.fileSlash(i + 1)
	case m.probe:
		return nil
	case !fromBase:
		return m.segments(i)
	}
	m.url.host = m.base.host
	switch {
	case m.takeBasePath(i):
		return m.tail(i)
	case startsWithDrive(m.text[i:]):
		m.report(FileInvalidDriveLetter, i)
		m.path.cut(0)
	default:
		m.shorten()
	}
	return m.segments(i)
}

// fileSlash is the file slash state. It parses m.text[i:], the rest of a file URL after its first slash.
func (m *machine) fileSlash(i int) error {
	if m.isSlash(i) {
		m.reportBackslash(i)
		return m.fileHost(i + 1)
	}
	if m.probe {
		return nil
	}
	if m.hasBase && m.base.scheme == "file" {
		m.url.host = m.base.host
		if drive := firstSegment(m.base.path); !startsWithDrive(m.text[i:]) && isNormalDrive(drive) {
			m.path.put("/")
			m.path.put(drive)
		}
	}
	return m.segments(i)
}

// fileHost is the file host state. It parses m.text[i:], the rest of a file URL after two slashes. A drive letter there
// is not a host but starts the path. The host "localhost" becomes empty.
func (m *machine) fileHost(i int) error {
	end := m.authorityEnd(i)
	host := m.text[i:end]
	switch {
	case isDrive(host):
		m.report(FileInvalidDriveLetterAsHost, i)
		return m.segments(i)
	case host != "":
		var err error
		if m.url.host, err = m.parseHost(host, false, i); err != nil {
			return err
		}
		if m.url.host == "localhost" {
			m.url.host = ""
		}
	}
	return m.pathAt(end)
}

// tail parses the query, if there is a "?" at m.text[i], and the fragment that follows. It always succeeds.
func (m *machine) tail(i int) error {
	if m.at(i) != '?' {
		return m.fragment(i)
	}
	end := len(m.text)
	if hash := strings.IndexByte(m.text[i:], '#'); hash >= 0 {
		end = i + hash
	}
	m.checkUnits(i+1, end)
	m.url.query = url.Some(m.encodeQuery(m.text[i+1 : end]))
	return m.fragment(end)
}

// fragment parses the fragment, if there is a "#" at m.text[i]. It always succeeds.
func (m *machine) fragment(i int) error {
	if m.at(i) == '#' {
		m.checkUnits(i+1, len(m.text))
		m.url.fragment = url.Some(PercentEncode(m.text[i+1:], FragmentSet))
	}
	return nil
}

// encodeQuery returns s escaped for a query. In a special URL it uses m.encode, the legacy encoding, if there is one.
// ws and wss URLs always use UTF-8.
func (m *machine) encodeQuery(s string) string {
	set := QuerySet
	if m.url.special {
		set = SpecialQuerySet
	}
	if m.encode == nil || m.url.scheme == "ws" || m.url.scheme == "wss" || !m.url.special {
		return PercentEncode(s, set)
	}
	return string(encodeLegacy(s, set, m.encode))
}
