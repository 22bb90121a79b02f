package url

import (
	"slices"
	"strings"
)

// Relative returns the shortest reference from which u.Resolve makes the URL to. If no shorter one exists, this is the
// text of to itself. to is read by u's standard. If no reference leads to it, because its path contains "/../", the
// error is a [*SyntaxError] at that place in to.
//
// By whatwg.Standard there always is a reference. Relative returns the shortest one that keeps the parts of to as they
// are written and that browsers call valid.
func (u URL) Relative(to URL) (string, error) {
	std := u.std
	if to.std != std {
		var err error
		if to, err = std.Parse(to.text); err != nil {
			return "", err
		}
	}
	if u.scheme == 0 || std == RFC1738 && u.auth == 0 {
		return "", u.failBase()
	}
	forms := std.partialForms(u, to)
	slices.SortStableFunc(forms, func(a, b string) int { return len(a) - len(b) })
	for _, form := range forms {
		if v, err := u.Resolve(form); err == nil && v == to {
			return form, nil
		}
	}
	at := max(0, strings.Index(to.Path(), "/."))
	return "", to.fail(int(to.path)+at, std.rules().sections[Path], "a URL that a partial form can stand for")
}

// partialForms returns candidates for a reference from base to u. The shortest correct reference is among them, but
// some candidates resolve to other URLs.
func (std Standard) partialForms(base, u URL) []string {
	forms := []string{u.text, u.text[u.scheme:]}
	if std.foreign() != nil {
		forms = append(forms, webForms(u)...)
	}
	if base.text[:base.scheme] != u.text[:u.scheme] {
		return forms
	}
	if std == RFC1630 {
		forms = append(forms, slashForms(base, u)...)
	}
	if base.text[base.scheme:base.path] != u.text[u.scheme:u.path] {
		return forms
	}
	path, tail := u.Path(), u.text[u.pathEnd():]
	forms = append(std.pathForms(base, path, tail), forms...)
	forms = append(forms, u.text[u.path:], "/."+u.text[u.path:])
	if path == base.Path() {
		forms = append(forms, tail, u.text[u.queryEnd():])
	}
	if std == RFC1738 {
		before, params := cutParams(path)
		if same, _ := cutParams(base.Path()); same == before {
			forms = append(forms, params+tail)
		}
		forms = append(forms, "//"+u.text[u.path:])
	}
	return forms
}

// webForms returns the references to u that only browsers resolve to u: u without the path "/", and the path of a file
// URL without its drive letter.
func webForms(u URL) []string {
	path, tail := u.Path(), u.text[u.pathEnd():]
	var forms []string
	if path == "/" {
		forms = append(forms, u.text[:u.path]+tail, u.text[u.scheme:u.path]+tail)
	}
	if len(path) > len("/C:") && path[len("/C")] == ':' {
		forms = append(forms, path[len("/C:"):]+tail)
	}
	return forms
}

// pathForms returns the relative references from the directory of base to path: "../" for each level up, then the
// segments down to path. tail, the query and the fragment, ends each reference.
func (std Standard) pathForms(base URL, path, tail string) []string {
	var forms []string
	dir := std.dir(base)
	if std == RFC1738 {
		before, params := cutParams(path)
		path, tail = before, params+tail
	}
	if std == RFC1630 && path+"/" == dir {
		forms = append(forms, "."+tail)
	}
	same := 0
	for i := 0; i < min(len(dir), len(path)) && dir[i] == path[i]; i++ {
		if dir[i] == '/' {
			same = i + 1
		}
	}
	up, rest := strings.Repeat("../", strings.Count(dir[same:], "/")), path[same:]
	forms = append(forms, up+rest+tail, "./"+up+rest+tail)
	if rest == "" {
		forms = append(forms, strings.TrimSuffix("./"+up, "/")+tail)
		forms = append(forms, strings.TrimSuffix(up, "/")+tail)
	}
	return forms
}

// dir returns the directory of base from which relative paths start: the path of base up to its last slash, without the
// dot segments that the standard removes. For an empty path after an authority it returns "/".
func (std Standard) dir(base URL) string {
	text := []byte(base.Path())
	switch std {
	case RFC1738:
		path, _ := cutParams(base.Path())
		text = append([]byte(path[:strings.LastIndexByte(path, '/')+1]), '.')
		text = std.foldDots(text, 0)
	case RFC1630:
		text = append(text[:strings.LastIndexByte(base.Path(), '/')+1], 'x')
		text = std.foldDots(text, 0)
		text = text[:len(text)-1]
	default:
		text = removeDots(append(text[:strings.LastIndexByte(base.Path(), '/')+1], '.'), 0)
	}
	if len(text) == 0 && base.auth != 0 {
		return "/"
	}
	return string(text)
}

// slashForms returns references by RFC 1630 that start with a run of slashes. Such a reference keeps base up to the
// first run of the same length. So slashForms returns a reference for each length of a run whose first run in base
// starts before the first difference between base and u.
func slashForms(base, u URL) []string {
	var forms []string
	common := commonLength(base.text, u.text)
	seen := map[int]bool{}
	for i := int(base.path); i < min(common, int(base.pathEnd())); {
		run := len(base.text[i:base.pathEnd()]) - len(strings.TrimLeft(base.text[i:base.pathEnd()], "/"))
		if run > 0 && !seen[run] {
			seen[run] = true
			forms = append(forms, u.text[i:])
		}
		i += max(run, 1)
	}
	return forms
}
