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

// A target is an object as requests name it.
type target struct {
	place     scheme.Host // the port is 1525 if none is written
	nameType  string
	hsoname   string
	version   string
	selection string // the SELECT lines after a command
}

const defaultPort = 1525

func (t target) address() string { return t.place.Address(defaultPort) }

// parse returns what u names, if all of it can be sent.
func parse(u url.URL) (target, error) {
	if u.Scheme() != "prospero" {
		return target{}, access.ErrNoScheme
	}
	v, err := scheme.ParseProspero(u)
	if err != nil {
		return target{}, err
	}
	t := target{place: v.Host, nameType: "ASCII", hsoname: v.Hsoname, version: "0"}
	if n := v.ObjectVersion(); n != "" {
		t.version = n
	}
	if strings.Trim(t.version, "0123456789") != "" {
		return target{}, fmt.Errorf("object version %q is no number", t.version)
	}
	if strings.Contains(t.hsoname, "\x00") {
		return target{}, errors.New("the name of the object has a NUL in it")
	}
	for _, f := range v.Fields {
		if err := t.field(strings.ToUpper(f.Name), f.Value); err != nil {
			return target{}, err
		}
	}
	return t, nil
}

// field adds what a field of the URL says, other than the version.
func (t *target) field(name, value string) error {
	switch {
	case name == "VERSION", name == "OBJECT-VERSION":
		return nil
	case !isWord(name):
		return fmt.Errorf("field %q is no name of an attribute", name)
	case name == "HSONAME-TYPE" && !isWord(value):
		return fmt.Errorf("field %q has no value that can be sent", name)
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

// greeting begins every request.
const greeting = "VERSION 5 locus\nAUTHENTICATE '' UNAUTHENTICATED guest\n"

// resolve asks what the object is, and lists it if it is a directory. The
// first failure ends the reply, and so what cannot be listed is asked for last.
func (t target) resolve() string {
	return greeting + t.info("#ALL") + t.directory()
}

// list asks for what is in a directory.
func (t target) list() string { return greeting + t.directory() }

// contents asks for the octets of an object.
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
