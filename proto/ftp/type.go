package ftp

import (
	"path"
	"strings"
)

// typeCode returns the type code for a download, in lower case. It is the
// URL's, or a guess by the name (RFC 1738 §3.2.3).
func (o *operation) typeCode() string {
	switch {
	case o.view.Type != "":
		return o.view.Type
	case o.client.Binary:
		return "i"
	}
	switch strings.ToLower(path.Ext(o.view.Name)) {
	case ".txt", ".text", ".htm", ".html":
		return "a"
	}
	return "i"
}

// typeArgument returns the argument of TYPE for a type code. "a" is "A", "an"
// is "A N", "l8" is "L 8" (RFC 1630, "The space is omitted from the URL").
func typeArgument(code string) string {
	code = strings.ToUpper(code)
	if len(code) == 1 {
		return code
	}
	return code[:1] + " " + code[1:]
}
