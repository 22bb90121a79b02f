package prospero

import (
	"strings"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A method is one way to get an object, from the values of an ACCESS-METHOD:
//
//	AFTP INTERNET-D ftp.example.org ASCII '/pub/README' BINARY
//	name host-type       host       type     hsoname   arguments
type method struct {
	name      string
	place     scheme.Host // Port is 0 for the default port
	hsoname   string
	arguments []string
}

const contentsMethod = "PROSPERO-CONTENTS" // over Prospero itself

func portOf(name string) uint16 {
	name = strings.TrimPrefix(strings.ToLower(name), "a")
	s, _ := scheme.Lookup(name)
	return s.Port
}

// parseMethod parses the values of an ACCESS-METHOD. Empty values are taken from
// the link. server is the server that sent the link.
func parseMethod(values []string, l Link, server scheme.Host) (method, bool) {
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
	m := method{name: strings.ToUpper(values[0]), hsoname: hsoname, arguments: values[5:]}
	place, ok := parsePlace(host, server, scheme.Host{Name: server.Name})
	m.place = withoutDefaultPort(place, portOf(m.name))
	return m, ok
}

// url returns the URL of the method. ok is false if there is none. LOCAL files
// have none, because they are on the server's machine.
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

func (m method) argument() string {
	if len(m.arguments) == 0 {
		return ""
	}
	return m.arguments[0]
}

// anonymousFTP returns the URL of a path below the anonymous user's root.
func (m method) anonymousFTP() (url.URL, bool) {
	m.hsoname = strings.TrimPrefix(m.hsoname, "/")
	parts := strings.Split(m.hsoname, "/")
	return m.ftpURL(parts[:len(parts)-1], parts[len(parts)-1])
}

// ftp returns the URL of a path below the root of the machine.
func (m method) ftp() (url.URL, bool) {
	path, isAbsolute := strings.CutPrefix(m.hsoname, "/")
	parts := strings.Split(path, "/")
	if isAbsolute {
		parts[0] = "/" + parts[0]
	}
	return m.ftpURL(parts[:len(parts)-1], parts[len(parts)-1])
}

func (m method) ftpURL(dirs []string, name string) (url.URL, bool) {
	if wire.CheckArgument("path", m.hsoname, "") != nil {
		return url.URL{}, false
	}
	codes := map[string]string{"BINARY": "i", "TEXT": "a", "ASCII": "a", "DIRECTORY": "d"}
	return scheme.FTP{Host: m.place, Dirs: dirs, Name: name, Type: codes[strings.ToUpper(m.argument())]}.URL(), true
}

// gopher returns the URL of a selector, which is the hsoname. Most servers start
// their selectors with the item type.
//
// QUIRK: in the draft the argument is the item type. The gateway of 1994 sends
// TEXT or BINARY instead.
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
	return scheme.Gopher{Host: m.place, Type: itemType, Selector: m.hsoname}.URL(), true
}

// wais parses the hsoname of the WAIS gateway:
//
//	WAIS-GW/wais.example.org(210)/TEXT/database/document-id
//
// The document-id is escaped.
//
// QUIRK: some servers put GETFILE before the type.
func (m method) wais() (url.URL, bool) {
	name, ok := strings.CutPrefix(m.hsoname, "WAIS-GW/")
	if !ok {
		return url.URL{}, false
	}
	host, name, _ := strings.Cut(name, "/")
	parts := strings.SplitN(strings.TrimPrefix(name, "GETFILE/"), "/", 3)
	place, ok := parsePlace(host, m.place, scheme.Host{Name: m.place.Name})
	if !ok || len(parts) < 3 {
		return url.URL{}, false
	}
	unescaped := url.RFC1738.Unreserved()
	id := strings.Split(parts[2], "%")
	for i := range id {
		id[i] = url.Escape(id[i], unescaped.With(";/:@&="))
	}
	path := url.Escape(parts[1], unescaped) + "/" + url.Escape(parts[0], unescaped) + "/" + strings.Join(id, "%")
	u, err := url.Parse("wais://" + strings.TrimSuffix(place.Address(210), ":210") + "/" + path)
	if err != nil {
		return url.URL{}, false
	}
	_, err = scheme.ParseWAIS(u)
	return u, err == nil
}

func (m method) http() (url.URL, bool) {
	return scheme.HTTP{Host: m.place, Target: m.hsoname}.URL(), strings.HasPrefix(m.hsoname, "/")
}

// terminal returns the URL without the user. Some servers name the user in an
// argument, but only for people to read.
func (m method) terminal() (url.URL, bool) {
	return scheme.Telnet{Scheme: strings.ToLower(m.name), Host: m.place}.URL(), true
}

// A methodTarget says how to get an object with an access method.
type methodTarget struct {
	isContents bool    // fetch the contents over Prospero
	url        url.URL // or open this URL
	name       string  // of the method
}

// methodTargets returns the targets of all supported access methods of a link, in
// the server's order of preference.
func methodTargets(attributes []Attribute, l Link, server scheme.Host) []methodTarget {
	var all []methodTarget
	for _, v := range values(attributes, "ACCESS-METHOD") {
		m, ok := parseMethod(v, l, server)
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

// methodNames lists the names of all access methods, fit for an error text.
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

// kindOf returns the kind of a resource, as far as its URL tells.
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
