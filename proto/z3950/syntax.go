package z3950

import (
	"fmt"
	"strings"
)

// A syntax is a record syntax.
type syntax struct {
	name      string // as in a URL: "usmarc"
	mediaType string
	isMARC    bool // ISO 2709
}

// The object identifiers of syntaxes that this package reads itself.
const (
	syntaxUNIMARC = "1.2.840.10003.5.1"
	syntaxUSMARC  = "1.2.840.10003.5.10"
	syntaxExplain = "1.2.840.10003.5.100"
	syntaxSUTRS   = "1.2.840.10003.5.101"
	syntaxOPAC    = "1.2.840.10003.5.102"
	syntaxGRS1    = "1.2.840.10003.5.105"
	syntaxXML     = "1.2.840.10003.5.109.10"
)

const (
	marcType = "application/marc"
	textType = "text/plain"
)

// syntaxes are the known record syntaxes, by their object identifiers.
var syntaxes = map[string]syntax{
	syntaxUNIMARC:            {"unimarc", marcType, true},
	"1.2.840.10003.5.2":      {"intermarc", marcType, true},
	syntaxUSMARC:             {"usmarc", marcType, true},
	"1.2.840.10003.5.11":     {"ukmarc", marcType, true},
	"1.2.840.10003.5.12":     {"normarc", marcType, true},
	"1.2.840.10003.5.13":     {"librismarc", marcType, true},
	"1.2.840.10003.5.14":     {"danmarc", marcType, true},
	"1.2.840.10003.5.15":     {"finmarc", marcType, true},
	"1.2.840.10003.5.16":     {"mab", marcType, true},
	"1.2.840.10003.5.17":     {"canmarc", marcType, true},
	"1.2.840.10003.5.18":     {"sbn", marcType, true},
	"1.2.840.10003.5.19":     {"picamarc", marcType, true},
	"1.2.840.10003.5.20":     {"ausmarc", marcType, true},
	"1.2.840.10003.5.21":     {"ibermarc", marcType, true},
	"1.2.840.10003.5.22":     {"catmarc", marcType, true},
	"1.2.840.10003.5.23":     {"malmarc", marcType, true},
	"1.2.840.10003.5.24":     {"jpmarc", marcType, true},
	"1.2.840.10003.5.25":     {"swemarc", marcType, true},
	"1.2.840.10003.5.28":     {"rusmarc", marcType, true},
	syntaxExplain:            {"explain", textType, false},
	syntaxSUTRS:              {"sutrs", textType, false},
	syntaxOPAC:               {"opac", textType, false},
	syntaxGRS1:               {"grs-1", textType, false},
	"1.2.840.10003.5.109.1":  {"pdf", "application/pdf", false},
	"1.2.840.10003.5.109.2":  {"postscript", "application/postscript", false},
	"1.2.840.10003.5.109.3":  {"html", "text/html", false},
	"1.2.840.10003.5.109.4":  {"tiff", "image/tiff", false},
	"1.2.840.10003.5.109.5":  {"gif", "image/gif", false},
	"1.2.840.10003.5.109.6":  {"jpeg", "image/jpeg", false},
	"1.2.840.10003.5.109.7":  {"png", "image/png", false},
	"1.2.840.10003.5.109.8":  {"mpeg", "video/mpeg", false},
	"1.2.840.10003.5.109.9":  {"sgml", "text/sgml", false},
	syntaxXML:                {"xml", "application/xml", false},
	"1.2.840.10003.5.109.11": {"application-xml", "application/xml", false},
}

// syntaxAliases returns further names of syntaxes.
func syntaxAliases() map[string]string {
	return map[string]string{"marc21": "usmarc", "marc": "usmarc", "grs1": "grs-1", "text": "sutrs"}
}

// usualSyntaxes are asked for if neither the URL nor the Client names a syntax. The last one,
// "", lets the server choose.
var usualSyntaxes = []string{syntaxUSMARC, syntaxUNIMARC, syntaxXML, syntaxSUTRS, syntaxGRS1, ""}

// Syntaxes returns the names of the record syntaxes that this package knows.
func Syntaxes() []string {
	byName := map[string]bool{}
	for _, s := range syntaxes {
		byName[s.name] = true
	}
	return names(byName)
}

// maxSyntaxes is the maximum number of syntaxes in a URL, because each may cost a request.
const maxSyntaxes = 20

// findSyntaxes returns the object identifiers of the syntaxes in list, which are names in URLs or
// object identifiers. An unknown name is an error.
func findSyntaxes(list []string) ([]string, error) {
	if len(list) > maxSyntaxes {
		return nil, fmt.Errorf("%d record syntaxes, the limit is %d", len(list), maxSyntaxes)
	}
	var oids []string
	for _, name := range list {
		oid := findSyntax(strings.ToLower(name))
		if oid == "" {
			return nil, fmt.Errorf("record syntax %q is not one of %s", name, strings.Join(Syntaxes(), ", "))
		}
		oids = append(oids, oid)
	}
	return oids, nil
}

// findSyntax returns the object identifier of a syntax, or "" if the syntax is unknown. name is its
// name in lower case, an alias, or the object identifier.
func findSyntax(name string) string {
	if isOID(name) {
		return name
	}
	if alias := syntaxAliases()[name]; alias != "" {
		name = alias
	}
	for oid, s := range syntaxes {
		if s.name == name {
			return oid
		}
	}
	return ""
}

// CheckSyntaxes returns an error if a name is unknown as a record syntax, or if there are more
// than 20 names. Client.Syntaxes has the same limits.
func CheckSyntaxes(names []string) error {
	_, err := findSyntaxes(names)
	return err
}
