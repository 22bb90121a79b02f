package ftp

import (
	"path"
	"strings"
)

// typeCode returns the type code of the file that the errand's URL names, in
// lower case: the URL's, or what its name lets guess (RFC 1738 §3.2.3).
func (e *errand) typeCode() string {
	switch {
	case e.view.Type != "":
		return e.view.Type
	case e.client.Binary:
		return "i"
	}
	switch strings.ToLower(path.Ext(e.view.Name)) {
	case ".txt", ".text", ".htm", ".html":
		return "a"
	}
	return "i"
}

// typeArgument returns the argument of TYPE for a type code: "a" is "A", "an" is
// "A N", "l8" is "L 8" (RFC 1630, "The space is omitted from the URL").
func typeArgument(code string) string {
	code = strings.ToUpper(code)
	if len(code) == 1 {
		return code
	}
	return code[:1] + " " + code[1:]
}
