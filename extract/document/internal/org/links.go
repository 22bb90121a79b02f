package org

import (
	"bytes"
	"strings"

	"locus/extract/document/internal/emit"
	"locus/internal/ascii"
	"locus/internal/markup"
	"locus/url"
)

// maxAbbreviations is how many abbreviations of links are kept.
const maxAbbreviations = 100

// readKeyword reads a keyword, such as INCLUDE, whose value is at offset at: it adds the file that the value names,
// reads the value as HTML, or keeps the abbreviation of links that it defines. Other keywords have no effect.
func (r *reader) readKeyword(keyword string, value []byte, at int) {
	switch keyword {
	case "INCLUDE", "SETUPFILE", "BIBLIOGRAPHY":
		file, _, _ := bytes.Cut(value, []byte(" "))
		if quoted, ok := bytes.CutPrefix(value, []byte(`"`)); ok {
			file, _, _ = bytes.Cut(quoted, []byte(`"`))
			at++
		}
		r.addFile(string(file), at, at+len(file), strings.ToLower(keyword))
	case "HTML":
		r.readHTML(at, at+len(value))
	case "LINK":
		name, base := cutAbbreviation(string(value))
		if name != "" && base != "" && len(r.abbreviations) < maxAbbreviations && len(base) <= emit.MaxLabel {
			r.abbreviations[name] = base
		}
		r.Skip(at, at+len(value)) // because it is the start of URLs
	}
}

// cutAbbreviation returns the name and the base in the value of the keyword LINK. A name with blanks is in quotes. name
// or base is "" if the value lacks it.
func cutAbbreviation(value string) (name, base string) {
	if quoted, ok := strings.CutPrefix(value, `"`); ok {
		name, base, _ = strings.Cut(quoted, `"`)
		return name, strings.TrimSpace(base)
	}
	end := strings.IndexAny(value, " \t")
	if end < 0 {
		return value, ""
	}
	return value[:end], strings.TrimSpace(value[end:])
}

// readLinks adds the links in a line, [from, to), reads its snippets of HTML, and skips its code if Options.SkipCode is
// set.
func (r *reader) readLinks(from, to int) {
	lastEnd := bytes.LastIndex(r.Text[from:to], []byte("]]")) + from
	for i := from; i < to; {
		next := 0
		switch c := r.Text[i]; {
		case c == '[' && i < lastEnd && i+1 < to && r.Text[i+1] == '[':
			next = r.readLink(i, to)
		case c == '~' || c == '=':
			next = r.readCode(i, from, to)
		case c == '@' && bytes.HasPrefix(r.Text[i:to], []byte("@@html:")):
			next = r.readSnippet(i+len("@@html:"), to)
		}
		i = max(i+1, next)
	}
}

// readLink adds the target of the link that starts at an offset, such as [[target][text]], in a line that ends at to.
// It returns the offset after the target and its brackets, or 0 if the text there is not a link.
func (r *reader) readLink(at, to int) (next int) {
	from := at + len("[[")
	end := from
	for end < to && r.Text[end] != ']' && r.Text[end] != '[' {
		if r.Text[end] == '\\' {
			end++
		}
		end++
	}
	if end+1 >= to || r.Text[end] != ']' || r.Text[end+1] != ']' && r.Text[end+1] != '[' {
		return 0
	}
	r.addLink(unescaped(string(r.Text[from:end])), from, end)
	if r.Text[end+1] == '[' { // the text may be a link, too: an image
		return end + len("][")
	}
	return end + len("]]")
}

// unescaped returns a target without the backslashes that escape brackets and backslashes.
func unescaped(target string) string {
	if strings.IndexByte(target, '\\') < 0 {
		return target
	}
	return strings.NewReplacer(`\[`, "[", `\]`, "]", `\\`, `\`).Replace(target)
}

// addLink adds a reference to target, the target of a link at [from, to): a URL, a file, or a name in this document. It
// leaves out targets that only Emacs can open.
func (r *reader) addLink(target string, from, to int) {
	target, ok := r.expand(strings.TrimSpace(target))
	if !ok {
		return
	}
	name, rest, hasName := strings.Cut(target, ":")
	switch {
	case target == "" || target[0] == '(': // a place in a block of code
		r.Skip(from, to)
	case target[0] == '#':
		r.AddReference(from, to, target, "link")
	case hasName && name == "file":
		r.addFile(rest, from, to, "link")
	case target[0] == '/' || target[0] == '.' || target[0] == '~':
		r.addFile(target, from, to, "link")
	case hasName && ascii.IsScheme(name) && len(name) > 1:
		if !isLocal(name) {
			r.AddReference(from, to, target, "link")
		}
	default:
		r.AddReference(from, to, "#"+escaped(targetName(target)), "link")
	}
}

// expand returns the target for which target stands: an abbreviation, alone or followed by ":" or "::" and text. The
// text replaces the first "%s" of the abbreviation's base, or escaped its first "%h", or is added at the end of the
// base. Other targets are returned unchanged. ok is false for a base with "%(", which calls a function of Emacs.
func (r *reader) expand(target string) (expanded string, ok bool) {
	name, text, _ := strings.Cut(target, ":")
	base, isShort := r.abbreviations[name]
	if !isShort || strings.HasPrefix(text, "//") {
		return target, true
	}
	text = strings.TrimPrefix(text, ":")
	if strings.Contains(base, "%(") {
		return "", false
	}
	if before, after, ok := strings.Cut(base, "%s"); ok {
		return before + text + after, true
	}
	if before, after, ok := strings.Cut(base, "%h"); ok {
		return before + url.Escape(text, url.RFC3986.Unreserved()) + after, true
	}
	return base + text, true
}

// isLocal reports whether only Emacs can open links of this type, such as "id" and "elisp", by a program or by an
// index.
func isLocal(name string) bool {
	switch name {
	case "id", "info", "elisp", "shell", "help", "docview", "attachment", "bbdb", "rmail", "mhe", "gnus", "notmuch", "mu4e", "cite", "color", "eww", "ref", "eqref", "fn":
		return true
	}
	return false
}

// addFile adds a reference at [from, to) to a file, which may be followed by "::" and a heading or a custom id in the
// file. name becomes Match.Place. Other text after "::", such as a line number, is dropped. addFile ignores files in a
// home directory and on other machines.
func (r *reader) addFile(file string, from, to int, name string) {
	file, place, hasPlace := strings.Cut(file, "::")
	if file == "" || file[0] == '~' || strings.HasPrefix(file, "/ssh:") || strings.HasPrefix(file, "/sudo:") {
		return
	}
	if !strings.Contains(file, "://") { // "#", "?" and blanks are letters of a file's name
		file = escaped(strings.NewReplacer("#", "%23", "?", "%3F").Replace(file))
	}
	switch {
	case !hasPlace || place == "":
	case place[0] == '#':
		file += place
	case place[0] == '*':
		file += "#" + escaped("*"+targetName(place[1:]))
	}
	r.AddReference(from, to, file, name)
}

// escaped returns text with "%20" for each space.
func escaped(text string) string { return strings.ReplaceAll(text, " ", "%20") }

// readCode returns the offset after the code that starts with the mark at an offset, such as ~code~ and =text=, in the
// line [from, to), or 0 if the mark does not start code. It searches the code between the marks, unless
// Options.SkipCode is set.
func (r *reader) readCode(at, from, to int) (next int) {
	mark := r.Text[at]
	if at > from && strings.IndexByte(" \t-({'\"", r.Text[at-1]) < 0 || at+1 >= to || markup.IsSpace(r.Text[at+1]) {
		return 0
	}
	near := r.Text[at+1 : min(to, at+emit.MaxLabel)]
	for end := 1; end < len(near); end++ {
		n := bytes.IndexByte(near[end:], mark)
		if n < 0 {
			return 0
		}
		end += n
		if !markup.IsSpace(near[end-1]) && (end+1 == len(near) || strings.IndexByte(" \t\r\n-.,;:!?'\")}[", near[end+1]) >= 0) {
			past := at + 1 + end + 1
			if !r.Options.SkipCode {
				r.ReadText(emit.Slice(r.Text, at+1, past-1), "")
			}
			r.Skip(at, past)
			return past
		}
	}
	return 0
}

// readSnippet reads the HTML between from and the next "@@" in a line that ends at to. It returns the offset of the
// "@@", or 0 if it is missing.
func (r *reader) readSnippet(from, to int) (next int) {
	n := bytes.Index(r.Text[from:to], []byte("@@"))
	if n < 0 {
		return 0
	}
	r.readHTML(from, from+n)
	return from + n
}
