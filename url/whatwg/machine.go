package whatwg

import (
	"cmp"
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// A machine is the basic URL parser of the URL Standard. Each of its states is a
// method that reads one part of the text, from m.text[i] on.
type machine struct {
	reporter func(Error)               // Parser.Report
	encode   func(rune) ([]byte, rune) // Parser.Encode
	base     record
	hasBase  bool

	text     string // without controls and spaces at its ends, and without tabs and newlines
	url      record
	path     buffer // the path of url, unless url.path has it
	probe    bool   // stop after the port, as nothing after it can fail; url is not filled in
	override bool   // a setter reads the path: "?" and "#" do not end it

	start   int   // the offset of text in the original
	removed []int // the offsets of tabs and newlines in the original
}

// parse reads the text into m.url and m.path.
func (m *machine) parse(text string) error {
	m.clean(text)
	return m.scheme()
}

// clean removes what the parser ignores.
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

// removeBreaks removes tabs and newlines.
func (m *machine) removeBreaks() {
	for i := range len(m.text) {
		if setsOf[m.text[i]]&lineBreak != 0 {
			m.removed = append(m.removed, m.start+i)
			m.reportAt(InvalidURLUnit, m.start+i)
		}
	}
	m.text = withoutBreaks(m.text)
}

// report reports a validation error at m.text[i].
func (m *machine) report(name Name, i int) {
	if m.reporter != nil {
		m.reportAt(name, m.origin(i))
	}
}

func (m *machine) reportAt(name Name, offset int) {
	if m.reporter != nil {
		m.reporter(Error{Name: name, Offset: offset})
	}
}

// fail reports and returns the validation error at m.text[i], which ends the
// parse.
func (m *machine) fail(name Name, i int) error {
	if m.probe {
		return errProbe
	}
	e := Error{Name: name, Offset: m.origin(i), Failure: true}
	if m.reporter != nil {
		m.reporter(e)
	}
	return &e
}

// origin returns the offset of m.text[i] in the original.
func (m *machine) origin(i int) int {
	i += m.start
	for _, r := range m.removed {
		if r > i {
			break
		}
		i++
	}
	return i
}

// at returns m.text[i], or 0 at the end. No state gives a NUL a meaning.
func (m *machine) at(i int) byte {
	if i < len(m.text) {
		return m.text[i]
	}
	return 0
}

func (m *machine) ended(i int) bool { return i >= len(m.text) }

// slash reports whether m.text[i] is a "/", or a "\" that is read as one.
func (m *machine) slash(i int) bool {
	return m.at(i) == '/' || m.at(i) == '\\' && m.url.special
}

// reverse reports a "\" that is read as a "/".
func (m *machine) reverse(i int) {
	if m.at(i) == '\\' {
		m.report(InvalidReverseSolidus, i)
	}
}

// schemeEnd returns the offset of the colon after the scheme; -1 if s has none.
func schemeEnd(s string) int {
	if s == "" || !ascii.IsLetter(s[0]) {
		return -1
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case c == ':':
			return i
		case !ascii.IsLetter(c) && !ascii.IsDigit(c) && c != '+' && c != '-' && c != '.':
			return -1
		}
	}
	return -1
}

// scheme is the scheme start state and the scheme state.
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

// relative is the relative state and the relative slash state.
func (m *machine) relative(i int) error {
	m.url.scheme, m.url.special = m.base.scheme, m.base.special
	if m.slash(i) {
		m.reverse(i)
		if m.slash(i + 1) {
			m.reverse(i + 1)
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
	if m.hasBasePath(i) {
		return m.tail(i)
	}
	m.shorten()
	return m.segments(i)
}

// hasBasePath takes the path of the base, and its query if none follows. It reports
// whether the text has no path of its own.
func (m *machine) hasBasePath(i int) bool {
	m.path.put(m.base.path)
	if m.ended(i) || m.at(i) == '#' {
		m.url.query = m.base.query
		return true
	}
	return m.at(i) == '?'
}

// takeAuthority copies the login, the host and the port of the base.
func (m *machine) takeAuthority() {
	m.url.username, m.url.password = m.base.username, m.base.password
	m.url.host, m.url.hasHost, m.url.port = m.base.host, m.base.hasHost, m.base.port
}

// authorityAfterSlashes is the special authority ignore slashes state.
func (m *machine) authorityAfterSlashes(i int) error {
	for ; m.at(i) == '/' || m.at(i) == '\\'; i++ {
		m.report(SpecialSchemeMissingSolidus, i)
	}
	return m.authority(i)
}

// authority is the authority state. The last "@" ends the login.
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

func (m *machine) authorityEnd(i int) int {
	if m.url.special {
		return indexIn(m.text, i, authorityEnd)
	}
	for !m.ended(i) && m.text[i] != '/' && m.text[i] != '?' && m.text[i] != '#' {
		i++
	}
	return i
}

// login reads m.text[i:end], the user name and the password.
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

// hostAndPort is the host state and the port state.
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

// hostColon returns the offset of the colon after the host; -1 if there is none.
// A colon between brackets is part of the host.
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

// file is the file state.
func (m *machine) file(i int) error {
	m.url.hasHost = true
	fromBase := m.hasBase && m.base.scheme == "file"
	switch {
	case m.slash(i):
		m.reverse(i)
		return m.fileSlash(i + 1)
	case m.probe:
		return nil
	case !fromBase:
		return m.segments(i)
	}
	m.url.host = m.base.host
	switch {
	case m.hasBasePath(i):
		return m.tail(i)
	case startsWithDrive(m.text[i:]):
		m.report(FileInvalidDriveLetter, i)
		m.path.cut(0)
	default:
		m.shorten()
	}
	return m.segments(i)
}

// fileSlash is the file slash state.
func (m *machine) fileSlash(i int) error {
	if m.slash(i) {
		m.reverse(i)
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

// fileHost is the file host state.
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

// tail reads the query, if m.text[i] starts one, and the fragment.
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

// fragment reads the fragment, if m.text[i] starts one.
func (m *machine) fragment(i int) error {
	if m.at(i) == '#' {
		m.checkUnits(i+1, len(m.text))
		m.url.fragment = url.Some(PercentEncode(m.text[i+1:], FragmentSet))
	}
	return nil
}

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
