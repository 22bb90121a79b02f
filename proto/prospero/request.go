package prospero

import (
	"fmt"
	"strings"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A target identifies an object, and builds the requests about it.
type target struct {
	server    scheme.Host // Port 0 means 1525
	nameType  string
	hsoname   string
	version   string
	selection string // the SELECT lines that follow a command
}

const defaultPort = 1525

// address returns the host and port of the server, host:port.
func (t target) address() string { return t.server.Address(defaultPort) }

// parseTarget returns the target that u names. It returns an error if a part of u cannot be
// sent, such as a name with CR, LF or NUL, or a version that is not a number.
func parseTarget(u url.URL) (target, error) {
	if u.Scheme() != "prospero" {
		return target{}, access.ErrNoScheme
	}
	v, err := scheme.ParseProspero(u)
	if err != nil {
		return target{}, err
	}
	t := target{server: v.Host, nameType: "ASCII", hsoname: v.Hsoname, version: "0"}
	if n := objectVersion(v); n != "" {
		t.version = n
	}
	if strings.Trim(t.version, "0123456789") != "" {
		return target{}, fmt.Errorf("object version %q is not a number", t.version)
	}
	if err := wire.CheckArgument("name", t.hsoname, ""); err != nil {
		return target{}, err
	}
	for _, f := range v.Fields {
		if err := t.addField(strings.ToUpper(f.Name), f.Value); err != nil {
			return target{}, err
		}
	}
	return t, nil
}

// addField adds a field of the URL to t; its name is in upper case. HSONAME-TYPE sets
// nameType, and other fields add a SELECT line. The fields for the version have no effect,
// because objectVersion reads them. It returns an error if the field cannot be sent.
func (t *target) addField(name, value string) error {
	switch {
	case name == "VERSION", name == "OBJECT-VERSION":
		return nil
	case !isWord(name):
		return fmt.Errorf("field %q is not an attribute name", name)
	case name == "HSONAME-TYPE" && !isWord(value):
		return fmt.Errorf("field %q has an invalid value", name)
	case name == "HSONAME-TYPE":
		t.nameType = strings.ToUpper(value)
		return nil
	}
	if err := wire.CheckArgument("field "+name, value, ""); err != nil {
		return err
	}
	t.selection += "SELECT OBJECT FIELD " + name + " SEQUENCE"
	for element := range strings.SplitSeq(value, " ") {
		t.selection += " " + word(element)
	}
	t.selection += "\n"
	return nil
}

// greeting is the beginning of every request.
const greeting = "VERSION 5 locus\nAUTHENTICATE '' UNAUTHENTICATED guest\n"

// resolveRequest returns a request for all attributes of the object and for its links. The
// links come last, because the request for them fails if the object is not a directory, and
// the first failure ends the reply.
func (t target) resolveRequest() string {
	return greeting + t.infoCommand("#ALL") + t.listCommand()
}

// listRequest returns a request for the links of a directory.
func (t target) listRequest() string { return greeting + t.listCommand() }

// contentsRequest returns a request for the attribute with the contents of an object.
func (t target) contentsRequest() string { return greeting + t.infoCommand("CONTENTS") }

// infoCommand returns a command for attributes of the object, which are named as in
// "CONTENTS"; "#ALL" means all.
func (t target) infoCommand(attributes string) string {
	return "GET-OBJECT-INFO " + attributes + " " + t.nameLine() + t.selection
}

// listCommand returns a command for the links of a directory.
func (t target) listCommand() string {
	return "DIRECTORY " + t.nameLine() + t.selection + "LIST ATTRIBUTES COMPONENTS\n"
}

// nameLine returns the type of the name, the quoted hsoname, the version of the object, and
// LF. They end the line of a command.
func (t target) nameLine() string {
	return t.nameType + " " + quote(t.hsoname) + " " + t.version + "\n"
}

// objectVersion returns the version of the object in a URL: the text after RFC 1630's "%00",
// or else the value of the field OBJECT-VERSION or VERSION. It returns "" if the URL has no
// version.
func objectVersion(v scheme.Prospero) string {
	if v.Version.Present {
		return v.Version.Text
	}
	for _, f := range v.Fields {
		if strings.EqualFold(f.Name, "OBJECT-VERSION") || strings.EqualFold(f.Name, "VERSION") {
			return f.Value
		}
	}
	return ""
}
