package prospero

import (
	"errors"
	"fmt"
	"strings"

	"locus/access"
	"locus/proto/internal/wire"
	"locus/scheme"
	"locus/url"
)

// A target identifies an object in requests.
type target struct {
	place     scheme.Host // Port 0 means 1525
	nameType  string
	hsoname   string
	version   string
	selection string // the SELECT lines after a command
}

const defaultPort = 1525

func (t target) address() string { return t.place.Address(defaultPort) }

// parse returns the target of u. It refuses what cannot be sent.
func parse(u url.URL) (target, error) {
	if u.Scheme() != "prospero" {
		return target{}, access.ErrNoScheme
	}
	v, err := scheme.ParseProspero(u)
	if err != nil {
		return target{}, err
	}
	t := target{place: v.Host, nameType: "ASCII", hsoname: v.Hsoname, version: "0"}
	if n := objectVersion(v); n != "" {
		t.version = n
	}
	if strings.Trim(t.version, "0123456789") != "" {
		return target{}, fmt.Errorf("object version %q is not a number", t.version)
	}
	if strings.Contains(t.hsoname, "\x00") {
		return target{}, errors.New("the name of the object contains NUL")
	}
	for _, f := range v.Fields {
		if err := t.addField(strings.ToUpper(f.Name), f.Value); err != nil {
			return target{}, err
		}
	}
	return t, nil
}

// addField adds a field of the URL. The version has been parsed already.
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

// greeting starts every request.
const greeting = "VERSION 5 locus\nAUTHENTICATE '' UNAUTHENTICATED guest\n"

// resolve asks what the object is, and then lists it in case it is a directory.
// Listing comes last, because the first failure ends the reply.
func (t target) resolve() string {
	return greeting + t.info("#ALL") + t.directory()
}

func (t target) list() string { return greeting + t.directory() }

func (t target) contents() string { return greeting + t.info("CONTENTS") }

func (t target) info(attributes string) string {
	return "GET-OBJECT-INFO " + attributes + " " + t.name() + t.selection
}

func (t target) directory() string {
	return "DIRECTORY " + t.name() + t.selection + "LIST ATTRIBUTES COMPONENTS\n"
}

func (t target) name() string {
	return t.nameType + " " + quote(t.hsoname) + " " + t.version + "\n"
}

// objectVersion returns the version of the object that v asks for, from RFC 1630's
// "%00" or the field OBJECT-VERSION or VERSION; "" if v asks for none.
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
