package prospero

import (
	"strings"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A method is a way to get at an object: the values of ACCESS-METHOD.
//
//	AFTP INTERNET-D ftp.example.org ASCII '/pub/README' BINARY
//	name host-type       host       type     hsoname   arguments
type method struct {
	name      string
	place     scheme.Host // without the port that is usual
	hsoname   string
	arguments []string
}

const contentsMethod = "PROSPERO-CONTENTS" // over this protocol itself

// methods are the ways to get at an object that url can write as a URL.
var methods = map[string]func(method) (url.URL, bool){
	"AFTP":   method.anonymousFTP,
	"FTP":    method.ftp,
	"GOPHER": method.gopher,
	"WAIS":   method.wais,
	"HTTP":   method.http,
	"TELNET": method.telnet,
	"TN3270": method.tn3270,
}

// portOf gives the usual port of a method.
func portOf(name string) uint16 {
	name = strings.TrimPrefix(strings.ToLower(name), "a")
	s, _ := scheme.Lookup(name)
	return s.Port
}

// parseMethod reads the values of an ACCESS-METHOD. What they leave empty is
// that of the link. asked is the server that gave it.
func parseMethod(values []string, l Link, asked scheme.Host) (method, bool) {
	if len(values) < 5 {
		return method{}, false
	}
	host, hsoname := blank(values[2]), blank(values[4])
	if host == "" {
		host = blank(l.Host)
	}
	if hsoname == "" {
		hsoname = blank(l.Hsoname)
	}
	m := method{name: strings.ToUpper(values[0]), hsoname: hsoname, arguments: values[5:]}
	place, ok := parsePlace(host, asked, scheme.Host{Name: asked.Name})
	m.place = usual(place, portOf(m.name))
	return m, ok
}

// url returns the URL that the method stands for; ok is false if there is none.
// A LOCAL file is one of the server's machine, and none of ours.
func (m method) url() (u url.URL, ok bool) {
	write, known := methods[m.name]
	if !known {
		return url.URL{}, false
	}
	return write(m)
}

func (m method) argument() string {
	if len(m.arguments) == 0 {
		return ""
	}
	return m.arguments[0]
}

// anonymousFTP has a path below the root of the anonymous user.
func (m method) anonymousFTP() (url.URL, bool) {
	m.hsoname = strings.TrimPrefix(m.hsoname, "/")
	parts := strings.Split(m.hsoname, "/")
	return m.ftpURL(parts[:len(parts)-1], parts[len(parts)-1])
}

// ftp has a path of the machine, for a user who logs in.
func (m method) ftp() (url.URL, bool) {
	path, rooted := strings.CutPrefix(m.hsoname, "/")
	parts := strings.Split(path, "/")
	if rooted {
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

// gopher has the selector in the hsoname, as it is sent, which begins with the
// type for most servers.
//
// QUIRK: after the draft the argument is the type; the gateway of 1994 says TEXT
// or BINARY instead.
func (m method) gopher() (url.URL, bool) {
	if wire.CheckArgument("selector", m.hsoname, "\t") != nil {
		return url.URL{}, false
	}
	first := byte('1')
	if m.hsoname != "" {
		first = m.hsoname[0]
	}
	switch argument := strings.ToUpper(m.argument()); {
	case len(m.argument()) == 1:
		first = m.argument()[0]
	case argument == "TEXT" && strings.IndexByte("046ceM", first) < 0:
		first = '0'
	case argument == "BINARY" && strings.IndexByte("59gIs;:dPp", first) < 0:
		first = '9'
	}
	if first <= ' ' || first > '~' {
		return url.URL{}, false
	}
	return scheme.Gopher{Host: m.place, Type: first, Selector: m.hsoname}.URL(), true
}

// wais has the hsoname that the gateway to WAIS makes:
//
//	WAIS-GW/wais.example.org(210)/TEXT/database/document-id
//
// QUIRK: some put GETFILE before the type. The document-id has its escapes.
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
	keep := url.RFC1738.Unreserved()
	id := strings.Split(parts[2], "%")
	for i := range id {
		id[i] = url.Escape(id[i], keep.With(";/:@&="))
	}
	path := url.Escape(parts[1], keep) + "/" + url.Escape(parts[0], keep) + "/" + strings.Join(id, "%")
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

// telnet names the user, if at all, in an argument for people to read.
func (m method) telnet() (url.URL, bool) { return scheme.Telnet{Host: m.place}.URL(), true }

func (m method) tn3270() (url.URL, bool) { return scheme.TN3270{Host: m.place}.URL(), true }

// A way is what can be done to get an object.
type way struct {
	contents bool    // ask for it over this protocol
	to       url.URL // or open this
	name     string
}

// ways returns the ways to get the object of a link, in the order of the
// server's preference, without those that cannot be gone.
func ways(attributes []Attribute, l Link, asked scheme.Host) []way {
	var all []way
	for _, v := range values(attributes, "ACCESS-METHOD") {
		m, ok := parseMethod(v, l, asked)
		if len(v) > 0 && strings.EqualFold(v[0], contentsMethod) {
			all = append(all, way{contents: true, name: contentsMethod})
			continue
		}
		if !ok {
			continue
		}
		if to, ok := m.url(); ok {
			all = append(all, way{to: to, name: m.name})
		}
	}
	return all
}

// methodNames gives the names of all, for people.
func methodNames(attributes []Attribute) string {
	var names []string
	for _, v := range values(attributes, "ACCESS-METHOD") {
		if len(v) > 0 {
			names = append(names, v[0])
		}
	}
	return strings.Join(names, ", ")
}

// kindOf returns what opening the URL of an access method gives, as far as that
// tells.
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
