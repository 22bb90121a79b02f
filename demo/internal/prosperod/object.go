package prosperod

import (
	"fmt"
	"io/fs"
	"maps"
	"net"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"locus/demo/internal/library"
)

// A link is an entry of a directory.
type link struct {
	target  string // FILE, DIRECTORY or EXTERNAL
	name    string
	host    string
	hsoname string
	method  string      // values of ACCESS-METHOD of an external link
	info    fs.FileInfo // nil if unknown
}

const defaultPort = "1525"

// hostToken returns the name of this server, whose address is a, in links. It is LOCALHOST, which
// means the host that the client has asked, and the port in parentheses if it is not the usual one.
func hostToken(a net.Addr) string {
	_, port, err := net.SplitHostPort(a.String())
	if err != nil || port == defaultPort {
		return "LOCALHOST"
	}
	return "LOCALHOST(" + port + ")"
}

// pathOf returns the path in Files for a hsoname. ok is false if the hsoname is not a path in
// Files.
func pathOf(hsoname string) (name string, ok bool) {
	if hsoname == "" || hsoname == "/" {
		return ".", true
	}
	name, ok = strings.CutPrefix(hsoname, "/")
	return name, ok && fs.ValidPath(name)
}

// isDir reports whether name, a path in Files, is a directory.
func (a *responder) isDir(name string) bool {
	info, err := fs.Stat(a.Files, name)
	return err == nil && info.IsDir()
}

// find returns the links of the directory dir that match the components, or all its links if
// components is empty. The components are the names of a path, or several names joined by slashes.
// All but the last one lead to a directory below dir. The last one may contain "*" and "?", or be a
// regular expression in parentheses.
func (a *responder) find(dir string, components []string) []link {
	matches := func(string) bool { return true }
	components = strings.FieldsFunc(strings.Join(components, "/"), func(c rune) bool { return c == '/' })
	if n := len(components); n > 0 {
		dir = path.Join(append([]string{dir}, components[:n-1]...)...)
		matches = pattern(components[n-1])
	}
	if !fs.ValidPath(dir) {
		return nil
	}
	return slices.DeleteFunc(a.links(dir), func(l link) bool { return !matches(l.name) })
}

// pattern returns a function that reports whether a name matches a component: the same name, a
// pattern with "*" and "?", or a regular expression in parentheses.
func pattern(component string) func(name string) bool {
	if re, err := regexp.Compile("^" + component + "$"); err == nil && strings.HasPrefix(component, "(") && strings.HasSuffix(component, ")") {
		return func(name string) bool { return name == component || re.MatchString(name) }
	}
	glob := strings.NewReplacer(`\`, `\\`, "[", `\[`).Replace(component)
	return func(name string) bool {
		fits, err := path.Match(glob, name)
		return name == component || err == nil && fits
	}
}

// links returns the links of a directory; nil if it cannot be read. The root also has links to
// other servers.
func (a *responder) links(dir string) []link {
	entries, err := fs.ReadDir(a.Files, dir)
	if err != nil {
		return nil
	}
	var links []link
	for _, e := range entries {
		l := link{target: "FILE", name: e.Name(), host: a.host, hsoname: "/" + path.Join(dir, e.Name())}
		if e.IsDir() {
			l.target = "DIRECTORY"
		}
		l.info, _ = e.Info()
		links = append(links, l)
	}
	for _, hsoname := range slices.Sorted(maps.Keys(a.Forwards)) {
		if path.Dir(hsoname) == "/"+strings.TrimPrefix(dir, ".") {
			links = append(links, link{target: "FILE", name: path.Base(hsoname), host: a.host, hsoname: hsoname})
		}
	}
	if dir == "." {
		for _, l := range a.Links {
			if m, ok := accessMethods()[l.Scheme]; ok {
				host := fmt.Sprintf("LOCALHOST(%d)", l.Port)
				links = append(links, link{target: "EXTERNAL", name: l.Title, host: host, hsoname: m.hsoname, method: m.method})
			}
		}
	}
	return links
}

// accessMethods returns, by scheme, the hsoname and the access method in a link to the root of
// another server.
func accessMethods() map[string]struct{ hsoname, method string } {
	return map[string]struct{ hsoname, method string }{
		"http":   {"/", "HTTP '' '' '' ''"},
		"ftp":    {"/", "AFTP '' '' '' '' DIRECTORY"},
		"gopher": {"", "GOPHER '' '' '' '' 1"},
	}
}

// info executes GET-OBJECT-INFO: it writes the attributes of an object that the command names. It
// returns false after a failure, such as a malformed command or an object that does not exist.
func (a *responder) info(l line, selections []line) bool {
	if len(l) < 4 {
		return a.invalid(l)
	}
	for _, s := range selections {
		hasNoType := len(s) > 3 && (s[3] == "ID" || s[3] == "VERSION")
		if len(s) > 4 && !hasNoType && !slices.Contains([]string{"SEQUENCE", "LINK", "FILTER", "ASCII"}, s[4]) {
			return a.fail("ERROR GET-OBJECT-INFO " + quote("Unknown Attribute Value type: "+s[4]))
		}
	}
	if to, ok := a.Forwards[l[3]]; ok {
		return a.forward(to)
	}
	name, ok := pathOf(l[3])
	if !ok {
		return a.fail("FAILURE NOT-AUTHORIZED")
	}
	info, err := fs.Stat(a.Files, name)
	if err != nil {
		return a.fail("FAILURE NOT-FOUND")
	}
	wanted := strings.Split(l[1], "+")
	before := a.out.Len()
	if slices.Contains(wanted, "CONTENTS") && !info.IsDir() && !a.contents(name) {
		return a.fail("FAILURE SERVER-FAILED the file cannot be read")
	}
	for _, attribute := range a.attributes(name, info) {
		if slices.Contains(wanted, attribute.name) || slices.Contains(wanted, "#ALL") || slices.Contains(wanted, "#OBJECT") {
			a.say("ATTRIBUTE OBJECT " + attribute.space + " " + attribute.name + " SEQUENCE " + attribute.value)
		}
	}
	if a.out.Len() == before {
		a.say("NONE-FOUND")
	}
	return true
}

// contents writes the attribute CONTENTS, the bytes of a file. It returns false if the file cannot
// be read.
func (a *responder) contents(name string) bool {
	data, err := fs.ReadFile(a.Files, name)
	if err != nil {
		return false
	}
	a.say("ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA " + quote(string(data)))
	return true
}

type attribute struct{ space, name, value string }

// large is the size from which other access methods are better than datagrams.
const large = 1 << 20

// attributes returns the attributes of a file or a directory, except for CONTENTS. Only a file has
// access methods and an OBJECT-INTERPRETATION.
func (a *responder) attributes(name string, info fs.FileInfo) []attribute {
	all := []attribute{
		{"INTRINSIC", "SIZE", sizeOf(info)},
		{"INTRINSIC", "NATIVE-OWNER", "user"},
		{"INTRINSIC", "NATIVE-GROUP", "user"},
		{"INTRINSIC", "LAST-MODIFIED", timeOf(info)},
		{"INTRINSIC", "UNIX-MODES", info.Mode().String()},
	}
	if info.IsDir() {
		return all
	}
	for _, method := range a.methods(name, info) {
		all = append(all, attribute{"INTRINSIC", "ACCESS-METHOD", method})
	}
	if interpretation := interpretations()[library.TypeOf(name)]; interpretation != "" {
		all = append(all, attribute{"APPLICATION", "OBJECT-INTERPRETATION", interpretation})
	}
	return all
}

// interpretations returns the values of OBJECT-INTERPRETATION by media type.
func interpretations() map[string]string {
	return map[string]string{
		"text/plain": "DOCUMENT TEXT ASCII",
		"image/gif":  "IMAGE GIF",
		"image/jpeg": "IMAGE JPEG",
		"image/png":  "IMAGE PNG",
	}
}

// methods returns the values of ACCESS-METHOD of a file, the best one first: by Prospero itself for
// small files, and by ftp for large ones.
func (a *responder) methods(name string, info fs.FileInfo) []string {
	methods := []string{"PROSPERO-CONTENTS '' '' '' ''"}
	for _, l := range a.Links {
		if l.Scheme == "ftp" {
			methods = append(methods, fmt.Sprintf("AFTP INTERNET-D LOCALHOST(%d) ASCII %s BINARY", l.Port, quote("/"+name)))
		}
	}
	if info.Size() > large {
		slices.Reverse(methods)
	}
	return methods
}

// sizeOf returns the value of the attribute SIZE, such as "'12 bytes'".
func sizeOf(info fs.FileInfo) string { return quote(strconv.FormatInt(info.Size(), 10) + " bytes") }

// timeOf returns the value of the attribute LAST-MODIFIED.
func timeOf(info fs.FileInfo) string { return info.ModTime().UTC().Format("20060102150405Z") }
