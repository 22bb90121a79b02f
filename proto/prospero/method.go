package prospero

import (
	"strings"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A method is one way to get an object. A server sends it as the values of the attribute
// ACCESS-METHOD:
//
//	AFTP INTERNET-D ftp.example.org ASCII '/pub/README' BINARY
//	name host-type       host       type     hsoname   arguments
type method struct {
	name      string
	server    scheme.Host // Port is 0 for the default port of the protocol
	hsoname   string
	arguments []string
}

const contentsMethod = "PROSPERO-CONTENTS" // the object is fetched over Prospero itself

// defaultPortOf returns the default port of the protocol of an access method, such as 21
// for "AFTP" and "FTP". It returns 0 for an unknown protocol.
func defaultPortOf(name string) uint16 {
	name = strings.TrimPrefix(strings.ToLower(name), "a")
	s, _ := scheme.Lookup(name)
	return s.Port
}

// parseMethod parses the values of an ACCESS-METHOD of the link l, which the server from
// sent. An empty host or hsoname is taken from l. ok is false if there are fewer than five
// values, or if the host is invalid.
func parseMethod(values []string, l Link, from scheme.Host) (m method, ok bool) {
	if len(values) < 5 {
		return method{}, false
	}
	host, hsoname := withoutNull(values[2]), withoutNull(values[4])
	if host == "" {
		host = withoutNull(l.Host)
	}
	if hsoname == "" {
		hsoname = withoutNull(l.Hsoname)
	}
	m = method{name: strings.ToUpper(values[0]), hsoname: hsoname, arguments: values[5:]}
	server, ok := parseHost(host, from, scheme.Host{Name: from.Name})
	m.server = withoutDefaultPort(server, defaultPortOf(m.name))
	return m, ok
}

// url returns the URL of the object. ok is false if no URL can express the method, or if the
// method is unknown. LOCAL has no URL, because its files can only be read on the server's
// machine.
func (m method) url() (u url.URL, ok bool) {
	switch m.name {
	case "AFTP":
		return m.anonymousFTP()
	case "FTP":
		return m.ftp()
	case "GOPHER":
		return m.gopher()
	case "WAIS":
		return m.wais()
	case "HTTP":
		return m.http()
	case "TELNET", "TN3270":
		return m.terminal()
	}
	return url.URL{}, false
}

// argument returns the first argument of the method, or "" if it has no arguments.
func (m method) argument() string {
	if len(m.arguments) == 0 {
		return ""
	}
	return m.arguments[0]
}

// anonymousFTP returns the ftp URL for the hsoname, a path that begins in the directory of an
// anonymous user after login. ok is false if the hsoname contains CR, LF or NUL.
func (m method) anonymousFTP() (url.URL, bool) {
	m.hsoname = strings.TrimPrefix(m.hsoname, "/")
	parts := strings.Split(m.hsoname, "/")
	return m.ftpURL(parts[:len(parts)-1], parts[len(parts)-1])
}

// ftp returns the ftp URL for the hsoname. An hsoname that starts with "/" is a path from the
// root of the machine, so the first CWD of the URL is "/…". The result is false if the hsoname
// contains CR, LF or NUL.
func (m method) ftp() (url.URL, bool) {
	path, isAbsolute := strings.CutPrefix(m.hsoname, "/")
	parts := strings.Split(path, "/")
	if isAbsolute {
		parts[0] = "/" + parts[0]
	}
	return m.ftpURL(parts[:len(parts)-1], parts[len(parts)-1])
}

// ftpURL returns the ftp URL with these directories, this name, and the transfer type that
// the argument of the method says. ok is false if the hsoname contains CR, LF or NUL.
func (m method) ftpURL(dirs []string, name string) (u url.URL, ok bool) {
	if wire.CheckArgument("path", m.hsoname, "") != nil {
		return url.URL{}, false
	}
	codes := map[string]string{"BINARY": "i", "TEXT": "a", "ASCII": "a", "DIRECTORY": "d"}
	return scheme.FTP{Host: m.server, Dirs: dirs, Name: name, Type: codes[strings.ToUpper(m.argument())]}.URL(), true
}

// gopher returns the gopher URL whose selector is the hsoname. A single character as the argument
// is the item type. Otherwise the selector's first character is the item type, because most
// servers start their selectors with it. gopher returns false if there is no such URL.
//
// QUIRK: the draft defines the item type as the argument. The gateway of 1994 sends TEXT or
// BINARY instead.
func (m method) gopher() (url.URL, bool) {
	if wire.CheckArgument("selector", m.hsoname, "\t") != nil {
		return url.URL{}, false
	}
	itemType := byte('1')
	if m.hsoname != "" {
		itemType = m.hsoname[0]
	}
	switch argument := strings.ToUpper(m.argument()); {
	case len(m.argument()) == 1:
		itemType = m.argument()[0]
	case argument == "TEXT" && strings.IndexByte("046ceM", itemType) < 0:
		itemType = '0'
	case argument == "BINARY" && strings.IndexByte("59gIs;:dPp", itemType) < 0:
		itemType = '9'
	}
	if itemType <= ' ' || itemType > '~' {
		return url.URL{}, false
	}
	return scheme.Gopher{Host: m.server, Type: itemType, Selector: m.hsoname}.URL(), true
}

// wais returns the wais URL of an hsoname of the WAIS gateway. It returns false if the hsoname
// has another form:
//
//	WAIS-GW/wais.example.org(210)/TEXT/database/document-id
//
// The document-id is escaped in the hsoname.
//
// QUIRK: some servers put GETFILE before the type.
func (m method) wais() (url.URL, bool) {
	name, ok := strings.CutPrefix(m.hsoname, "WAIS-GW/")
	if !ok {
		return url.URL{}, false
	}
	host, name, _ := strings.Cut(name, "/")
	parts := strings.SplitN(strings.TrimPrefix(name, "GETFILE/"), "/", 3)
	server, ok := parseHost(host, m.server, scheme.Host{Name: m.server.Name})
	if !ok || len(parts) < 3 {
		return url.URL{}, false
	}
	unescaped := url.RFC1738.Unreserved()
	id := strings.Split(parts[2], "%")
	for i := range id {
		id[i] = url.Escape(id[i], unescaped.With(";/:@&="))
	}
	path := url.Escape(parts[1], unescaped) + "/" + url.Escape(parts[0], unescaped) + "/" + strings.Join(id, "%")
	u, err := url.Parse("wais://" + strings.TrimSuffix(server.Address(210), ":210") + "/" + path)
	if err != nil {
		return url.URL{}, false
	}
	_, err = scheme.ParseWAIS(u)
	return u, err == nil
}

// http returns the http URL whose path and query are the hsoname. ok is false if the hsoname
// does not start with "/".
func (m method) http() (u url.URL, ok bool) {
	return scheme.HTTP{Host: m.server, Target: m.hsoname}.URL(), strings.HasPrefix(m.hsoname, "/")
}

// terminal returns the telnet or tn3270 URL of the host; the result is always true. The URL
// has no user, because the arguments in which some servers name the user are meant for people
// to read.
func (m method) terminal() (url.URL, bool) {
	return scheme.Telnet{Scheme: strings.ToLower(m.name), Host: m.server}.URL(), true
}

// A methodTarget says how to get an object with an access method.
type methodTarget struct {
	isContents bool    // fetch the contents over Prospero
	url        url.URL // or open this URL
	name       string  // of the method
}

// methodTargets returns the targets of all supported access methods among the attributes of
// the link l, which the server from sent. They are in the server's order of preference.
func methodTargets(attributes []Attribute, l Link, from scheme.Host) []methodTarget {
	var all []methodTarget
	for _, v := range values(attributes, "ACCESS-METHOD") {
		m, ok := parseMethod(v, l, from)
		if len(v) > 0 && strings.EqualFold(v[0], contentsMethod) {
			all = append(all, methodTarget{isContents: true, name: contentsMethod})
			continue
		}
		if !ok {
			continue
		}
		if to, ok := m.url(); ok {
			all = append(all, methodTarget{url: to, name: m.name})
		}
	}
	return all
}

// methodNames returns the names of all access methods among the attributes, separated by ",
// ", for an error text. It is shortened and has no control characters. It is "" if there are
// no access methods.
func methodNames(attributes []Attribute) string {
	var names []string
	for _, v := range values(attributes, "ACCESS-METHOD") {
		if len(v) > 0 {
			names = append(names, v[0])
		}
	}
	shown := access.Reply{Text: strings.Join(names, ", ")}
	return shown.String()
}

// kindOf returns the kind of the resource that u names, as far as its scheme and its type
// tell. It returns Unknown for the zero URL.
func kindOf(u url.URL) access.Kind {
	switch u.Scheme() {
	case "":
		return access.Unknown
	case "telnet", "tn3270":
		return access.Terminal
	case "gopher":
		v, _ := scheme.ParseGopher(u)
		switch v.Type {
		case '1':
			return access.Directory
		case '7':
			return access.Search
		}
	case "ftp":
		if v, _ := scheme.ParseFTP(u); v.Type == "d" || v.Name == "" {
			return access.Directory
		}
	}
	return access.Object
}
