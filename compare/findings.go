package compare

import (
	"net/netip"
	"slices"
	"sort"
	"strings"
	"unicode"

	"locus/internal/ascii"
	"locus/internal/facts"
	"locus/url"
)

// findings returns the reasons for which the readings of c differ, in the order of their offsets and at most one for
// each class. A finding over which parsers in use differ takes precedence over a note of the same class.
func findings(c *Comparison) []Finding {
	f := finder{text: c.Text}
	f.divide()
	_, agreed := c.Agree()
	inUse, all := c.Readings[RFC3986:], c.Readings[:]

	f.disagrees = true
	if !agreed {
		f.beforePath()
	}
	f.parts(inUse)
	if refusedLate(inUse) {
		f.fromPath(inUse)
	}
	if c.Readings[Perl].Origin.Host != "" {
		f.opaqueHost()
	}
	if len(f.found) == 0 && (!agreed || c.differAny()) {
		f.other()
	}

	f.disagrees = false
	if agreed && c.isNoted() {
		f.beforePath()
	}
	f.parts(all)
	f.otherParsers()
	sort.SliceStable(f.found, func(i, j int) bool { return f.found[i].Offset < f.found[j].Offset })
	return f.found
}

// differAny reports whether parsers in use differ over the login, the path, the query or the fragment.
func (c *Comparison) differAny() bool {
	return slices.ContainsFunc([]url.PartName{url.User, url.Password, url.Path, url.Query, url.Fragment}, c.Differ)
}

// refusedLate reports whether any of the readings refuses the text because of an error after the authority. Only the
// readings of the RFCs, WHATWG and net/url can, because the other parsers do not say where the error is.
func refusedLate(readings []Reading) bool {
	return slices.ContainsFunc(readings, func(r Reading) bool { return r.Err != nil && r.Sure })
}

// beforePath adds the findings for the oddities before the path.
func (f *finder) beforePath() {
	f.beforeAuthority()
	f.emptyLogin()
	f.login()
	f.host()
	f.port()
	f.oddBytes(0, f.wide)
}

// parts adds the findings for the reasons for which the readings have different logins, paths, queries or fragments. It
// adds no findings about parts on which the readings agree.
func (f *finder) parts(readings []Reading) {
	if differ(readings, url.User) || differ(readings, url.Password) {
		f.emptyLogin()
	}
	if differ(readings, url.Path) || differ(readings, url.Query) || differ(readings, url.Fragment) {
		f.fromPath(readings)
		f.hostPort()
	}
}

// hostPort adds HostPort if PHP reads the scheme as a host, because one to five digits follow its colon, up to a "/" or
// the end.
func (f *finder) hostPort() {
	port, _, _ := strings.Cut(f.text[f.start:], "/")
	if f.end == f.start && port != "" && len(port) <= 5 && strings.Trim(port, "0123456789") == "" {
		f.add(HostPort, f.start)
	}
}

// opaqueHost adds OpaqueHost if text without a slash follows the scheme.
func (f *finder) opaqueHost() {
	if f.isOpaque() {
		f.add(OpaqueHost, f.start)
	}
}

// isOpaque reports whether the text has a scheme, no authority, and no "/" after the colon.
func (f *finder) isOpaque() bool {
	return f.scheme != "" && f.end == f.start && !strings.HasPrefix(f.text[f.start:], "/")
}

// opaqueNote adds OpaqueHost if text without a slash follows the scheme and url.parse of Node.js reads a host in it. It
// leaves out known schemes whose URLs have no host, or in which "@" is data.
func (f *finder) opaqueNote() {
	if s := facts.Of(f.scheme); !f.isOpaque() || s.Name != "" && (!s.Has(facts.Host) || s.Has(facts.AtIsData)) {
		return
	}
	if p, err := nodeParts(f.text); err == nil && p.Host.Text != "" {
		f.add(OpaqueHost, f.start)
	}
}

// other adds a finding for a difference that no other finding explains: IllegalCharacter for an apostrophe after the
// authority, which some parsers escape, or else Other.
func (f *finder) other() {
	f.addAt(IllegalCharacter, f.end, strings.IndexByte(f.text[f.end:], '\''))
	if len(f.found) == 0 {
		f.add(Other, 0)
	}
}

// A finder looks for the text that parsers read differently.
//
//	http://user@host:80?@x/path
//	\___/  \__________/\__/
//	scheme start       end wide
//	                   where the authority ends by WHATWG, and by RFC 1738
type finder struct {
	text      string
	scheme    string
	start     int // the start of the authority; equal to end if there is no authority
	end       int // the end of the authority by WHATWG
	wide      int // the end of the authority by RFC 1738
	name      int // the start of the host, past the last "@" of the authority
	colon     int // the colon before the port; equal to end if there is no port
	found     []Finding
	disagrees bool // parsers in use disagree about the findings that are added now
}

// add adds a finding at an offset of the text, unless there already is one of the class.
func (f *finder) add(class Class, offset int) {
	if !slices.ContainsFunc(f.found, func(have Finding) bool { return have.Class == class }) {
		f.found = append(f.found, Finding{Class: class, Offset: offset, Disagrees: f.disagrees})
	}
}

// addAt adds a finding at text[from+i], unless i is negative.
func (f *finder) addAt(class Class, from, i int) {
	if i >= 0 {
		f.add(class, from+i)
	}
}

// divide sets the scheme and the offsets of f, as browsers divide the text.
func (f *finder) divide() {
	if i := strings.IndexAny(f.text, `:/?#\@`); i >= 0 && f.text[i] == ':' {
		f.scheme = strings.ToLower(strings.Map(dropSpace, f.text[:i]))
		f.start = i + 1
	}
	slashes := len(f.text[f.start:]) - len(strings.TrimLeft(f.text[f.start:], "/\\\t\n\r"))
	if !f.isSpecial() || f.scheme == "file" {
		slashes = min(slashes, len("//"))
		if f.text[f.start:f.start+slashes] != "//" {
			f.end, f.wide, f.name, f.colon = f.start, f.start, f.start, f.start
			return
		}
	}
	f.start += slashes
	f.end = f.upTo(`/\?#`)
	f.wide = f.upTo("/")
	authority := f.text[f.start:f.end]
	f.name = f.start + strings.LastIndexByte(authority, '@') + 1
	f.colon = f.end
	hostport := f.text[f.name:f.end]
	if strings.HasPrefix(hostport, "[") && !strings.Contains(hostport, "]") {
		return
	}
	bracket := strings.LastIndexByte(hostport, ']') + 1
	if i := strings.IndexByte(hostport[bracket:], ':'); i >= 0 {
		f.colon = f.name + bracket + i
	}
}

// upTo searches the text from f.start on for a byte that is one of ends, and returns its offset in the text. It returns
// the length of the text if there is no such byte.
func (f *finder) upTo(ends string) int {
	if i := strings.IndexAny(f.text[f.start:], ends); i >= 0 {
		return f.start + i
	}
	return len(f.text)
}

// dropSpace returns r, or -1 for a space or a control character, which strings.Map then drops. WHATWG drops these
// before and inside a scheme.
func dropSpace(r rune) rune {
	if r <= ' ' {
		return -1
	}
	return r
}

// isSpecial reports whether the scheme is special by WHATWG, as http, ftp and file are.
func (f *finder) isSpecial() bool {
	return facts.Of(f.scheme).Has(facts.Special)
}

// beforeAuthority adds the finding for the first oddity before the authority: UnicodeSpace for white space beyond ASCII
// at the start, the findings of reference if there is no scheme, or Slashes if a special scheme other than file is not
// followed by two slashes or backslashes.
func (f *finder) beforeAuthority() {
	if f.leadingSpace() {
		return
	}
	if f.scheme == "" {
		f.reference()
		return
	}
	before := f.text[:f.start]
	slashes := strings.Count(before, "/") + strings.Count(before, `\`)
	if f.isSpecial() && f.scheme != "file" && slashes != len("//") {
		f.add(Slashes, strings.IndexByte(f.text, ':')+1)
	}
}

// reference adds the finding for a text without a scheme: SchemeRelative if the text begins with two slashes or
// backslashes, and NoScheme if it does not. It also adds Backslash if one of the two is a backslash.
func (f *finder) reference() {
	i := len(f.text) - len(strings.TrimLeftFunc(f.text, func(r rune) bool { return r <= ' ' }))
	first := f.text[i:min(i+len("//"), len(f.text))]
	if len(first) < len("//") || strings.Trim(first, `/\`) != "" {
		f.add(NoScheme, i)
		return
	}
	f.add(SchemeRelative, i)
	f.addAt(Backslash, i, strings.IndexByte(first, '\\'))
}

// emptyLogin adds EmptyPart for a login without text, and for a password without text.
func (f *finder) emptyLogin() {
	if login := f.text[f.start:f.name]; login == "@" || strings.HasSuffix(login, ":@") {
		f.add(EmptyPart, f.name-1)
	}
}

// login adds Userinfo at the first "@", unless the login is empty, and MultipleAt at the last of several "@". It then
// calls boundary.
func (f *finder) login() {
	if login := f.text[f.start:f.wide]; !strings.HasPrefix(login, "@") {
		f.addAt(Userinfo, f.start, strings.IndexByte(login, '@'))
	}
	if authority := f.text[f.start:f.upTo("/?#")]; strings.Count(authority, "@") > 1 {
		f.addAt(MultipleAt, f.start, strings.LastIndexByte(authority, '@'))
	}
	f.boundary()
}

// boundary adds Boundary if a "?" or "#" ends the authority, and a "/" or "@" follows it later. RFC 1738 lets the
// authority run to the next "/", so other parsers may find another host.
func (f *finder) boundary() {
	if f.end < f.wide && f.text[f.end] != '\\' && (f.wide < len(f.text) || strings.Contains(f.text[f.end:], "@")) {
		f.add(Boundary, f.end)
	}
}

// host adds the findings for the oddities of the host: an empty host, brackets, dots and letters beyond ASCII, escapes,
// characters that a host name does not have, and numbers.
func (f *finder) host() {
	host := f.text[f.name:f.colon]
	if host == "" && !facts.Of(f.scheme).Has(facts.EmptyHost) && (f.isSpecial() || f.start > 0 && f.text[f.start-1] == '/') {
		f.add(EmptyPart, f.name)
	}
	f.addAt(BracketedHost, f.name, strings.IndexAny(host, "[]"))
	f.addAt(UnicodeDot, f.name, strings.IndexAny(host, "。．｡․"))
	f.addAt(IDNA, f.name, strings.IndexFunc(host, func(r rune) bool { return r >= 0x80 }))
	if strings.HasPrefix(host, "[") {
		return
	}
	f.addAt(PercentHost, f.name, strings.IndexByte(host, '%'))
	f.addAt(HostCharacter, f.name, strings.IndexFunc(host, func(r rune) bool {
		return ' ' < r && r < 0x7f && strings.IndexByte("%-.\\[]", byte(r)) < 0 && !isAlphanumeric(byte(r))
	}))
	f.number(host)
}

// number adds IPv4Shorthand if programs may read host as an IPv4 address, although it is not written as four decimal
// numbers. It also adds LeadingZeros if a number of such a host starts with a zero.
func (f *finder) number(host string) {
	labels := strings.Split(strings.ToLower(strings.TrimSuffix(host, ".")), ".")
	isNumeric := func(label string) bool {
		return label != "" && strings.Trim(label, "0123456789") == "" || strings.HasPrefix(label, "0x") && strings.Trim(label[2:], "0123456789abcdef") == ""
	}
	if !isNumeric(labels[len(labels)-1]) {
		return
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return
	}
	zeros := slices.ContainsFunc(labels, func(label string) bool { return len(label) > 1 && label[0] == '0' && label[1] != 'x' })
	if zeros {
		f.add(LeadingZeros, f.name)
	}
	f.add(IPv4Shorthand, f.name)
}

// port adds EmptyPart for an empty port, PortSyntax for characters other than digits, or PortRange for a number over
// 65535.
func (f *finder) port() {
	if f.colon >= f.end {
		return
	}
	port := strings.Map(dropSpace, f.text[f.colon+1:f.end])
	digits := strings.TrimLeft(port, "0")
	switch {
	case port == "":
		f.add(EmptyPart, f.colon)
	case strings.Trim(port, "0123456789") != "":
		f.add(PortSyntax, f.colon)
	case len(digits) > 5 || len(digits) == 5 && digits > "65535":
		f.add(PortRange, f.colon)
	}
}

// oddBytes adds the findings for the bytes in text[from:to] that a browser drops, replaces or escapes, and that other
// parsers refuse: white space, "\" and control characters.
func (f *finder) oddBytes(from, to int) {
	text := f.text[from:to]
	f.addAt(Newline, from, strings.IndexAny(text, "\t\n\r"))
	f.addAt(Whitespace, from, strings.IndexByte(text, ' '))
	f.addAt(Backslash, from, strings.IndexByte(text, '\\'))
	f.addAt(Control, from, strings.IndexFunc(text, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0x7f
	}))
}

// fromPath adds the findings for the oddities in the path, the query and the fragment. It adds Boundary for a "?" only
// if the readings have different queries.
func (f *finder) fromPath(readings []Reading) {
	f.oddBytes(f.end, len(f.text))
	text := f.text[f.end:]
	f.addAt(NonASCII, f.end, strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }))
	f.addAt(IllegalCharacter, f.end, strings.IndexAny(text, "\"<>^`{|}[]"))
	path, fragment, ok := strings.Cut(text, "#")
	if ok {
		f.addAt(IllegalCharacter, f.end+len(path)+1, strings.IndexByte(fragment, '#'))
	}
	for i := range len(text) {
		if text[i] == '%' && !ascii.HasEscape(text, i) {
			f.add(BadEscape, f.end+i)
			break
		}
	}
	path, _, asked := strings.Cut(path, "?")
	if asked && differ(readings, url.Query) {
		f.add(Boundary, f.end+len(path))
	}
	if f.scheme == "file" && !strings.HasPrefix(path, "/") {
		f.add(Slashes, f.end)
	}
	f.dots(path)
}

// dots adds DotSegments at the first segment "." or ".." of path, the text at f.end. The dots may be escaped.
func (f *finder) dots(path string) {
	for at := 0; at < len(path); {
		segment := path[at : at+indexAny(path[at:], `/\`)]
		plain := strings.ReplaceAll(strings.ToLower(segment), "%2e", ".")
		if plain == "." || plain == ".." {
			f.add(DotSegments, f.end+at)
			return
		}
		at += len(segment) + len("/")
	}
}

// otherParsers adds the notes for text that parsers outside this package are known to read differently.
func (f *finder) otherParsers() {
	f.leadingSpace()
	f.trailingSpace()
	f.boundary()
	f.opaqueNote()
	if f.scheme == "url" {
		f.add(Prefix, 0)
	}
	if login := f.text[f.start:f.name]; looksLikeHost(strings.TrimSuffix(login, "@")) {
		f.add(Userinfo, f.name-1)
	}
	host := f.text[f.name:f.colon]
	if !strings.HasPrefix(host, "[") {
		f.number(host)
		f.addAt(HostCharacter, f.name, strings.IndexAny(host, "!$&'()*+,;="))
	}
	if port := f.text[min(f.colon+1, f.end):f.end]; len(port) > 1 && port[0] == '0' {
		f.add(LeadingZeros, f.colon+1)
	}
}

// looksLikeHost reports whether a person could mistake login, which has no "@", for a host, or for a host and a port.
func looksLikeHost(login string) bool {
	user, password, _ := strings.Cut(login, ":")
	return strings.ContainsAny(login, ".[") || strings.Contains(user, "-") || strings.EqualFold(user, "localhost") ||
		user != "" && strings.Trim(user, "0123456789") == "" || password != "" && '0' <= password[0] && password[0] <= '9'
}

// leadingSpace adds UnicodeSpace if the text starts with white space beyond ASCII, which many programs trim and these
// parsers do not. It reports whether the text starts with such a space.
func (f *finder) leadingSpace() bool {
	found := strings.TrimLeftFunc(f.text, isUnicodeSpace) != f.text
	if found {
		f.add(UnicodeSpace, 0)
	}
	return found
}

// trailingSpace adds UnicodeSpace if the text ends with white space beyond ASCII.
func (f *finder) trailingSpace() {
	if trimmed := strings.TrimRightFunc(f.text, isUnicodeSpace); trimmed != f.text {
		f.add(UnicodeSpace, len(trimmed))
	}
}

// isUnicodeSpace reports whether r is white space beyond ASCII, or a character without width that looks like white
// space.
func isUnicodeSpace(r rune) bool {
	return r >= 0x80 && (unicode.IsSpace(r) || strings.ContainsRune("\u180e\u200b\u2060\ufeff", r))
}
