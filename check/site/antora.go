package site

import (
	"path"
	"slices"
	"strings"
)

// OtherComponent is the reason why a resource id of Antora is not checked.
const OtherComponent = "it is in another component or version"

// families are the families of resources in a module of Antora. The folder of a family has its plural as its name.
var families = []string{"page", "image", "attachment", "example", "partial"}

// A resourceID is the id of a resource of Antora:
//
//	1.0@tea:pots:image$cups/a.svg#x
//	────────┼───┼─────┼──────────
//	   │      │     │        └ name  the name in the folder of the family
//	   │      │     └ family         page if it is left out in a cross reference
//	   │      └ module               the module of the file if it is left out
//	   └ component                   with its version; "" for the component of the file
type resourceID struct{ component, module, family, name string }

// parseResource parses a resource id without its fragment. family is the family of the result if the id names none.
func parseResource(id, family string) (r resourceID) {
	r.family, r.name = family, id
	switch parts := strings.SplitN(id, ":", 3); len(parts) {
	case 3:
		r.component, r.module, r.name = parts[0]+":", parts[1], parts[2]
		if r.module == "" {
			r.module = "ROOT"
		}
	case 2:
		r.module, r.name = parts[0], parts[1]
	}
	for _, part := range []*string{&r.module, &r.name} {
		if version, rest, ok := strings.Cut(*part, "@"); ok {
			r.component, *part = r.component+version+"@", rest
		}
	}
	if name, rest, ok := strings.Cut(r.name, "$"); ok {
		r.family, r.name = name, rest
	}
	return r
}

// resource returns the target of a resource id in the named file. place is the Match.Place of the id. If the id names
// another component or version, why is OtherComponent, and target is the id. ok is false if id is not a resource id, so
// that it is resolved as the name of a file.
func (p *Project) resource(file, place, id string) (target, why string, ok bool) {
	family := ""
	switch place {
	case "xref":
		family = "page"
	case "image":
		family = "image"
	}
	id, fragment, hasFragment := strings.Cut(id, "#")
	r := parseResource(id, family)
	module, below := moduleOf(file)
	switch {
	case id == "" || strings.Contains(id, "://") || !slices.Contains(families, r.family) || module == "":
		return "", "", false
	case r.component != "":
		return id, OtherComponent, true
	case r.module != "":
		module = r.module
	}
	if r.family == "page" && path.Ext(r.name) == "" {
		r.name += ".adoc"
	}
	if strings.HasPrefix(r.name, "./") || strings.HasPrefix(r.name, "../") {
		r.name = path.Join(path.Dir(below), r.name)
	}
	if hasFragment {
		fragment = "#" + fragment
	}
	return p.urlOf(path.Join("modules", module, r.family+"s", r.name), fragment), "", true
}

// moduleOf returns the module of the file named file, and the file's name in the folder of its family. Both are "" if
// the file is in no module.
func moduleOf(file string) (module, name string) {
	rest, ok := strings.CutPrefix(file, "modules/")
	if !ok {
		return "", ""
	}
	module, rest, _ = strings.Cut(rest, "/")
	_, name, _ = strings.Cut(rest, "/")
	return module, name
}
