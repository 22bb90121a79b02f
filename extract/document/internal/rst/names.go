package rst

import (
	"bytes"
	"regexp"
	"strings"

	"locus/extract/document/dialect"
	"locus/extract/document/internal/emit"
	"locus/extract/document/internal/slug"
	"locus/internal/lazy"
)

// maxObjectLine is the length in bytes of the longest line that may describe an object.
const maxObjectLine = 4 << 10

// readNames calls Options.Anchor, which must not be nil, with the names of the section, the target or the objects that
// a line defines. An underline defines the section whose title is the line before it.
func (r *reader) readNames(bare []byte) {
	rest := bytes.TrimLeft(bare, " \t")
	isUnderlined := len(r.title) > 0 && isUnderline(bare, len(r.title))
	if isUnderlined {
		r.addSection(titleText(string(bytes.TrimSpace(r.title))))
	}
	r.title = append(r.title[:0], bare...)
	if isUnderline(bare, 0) {
		r.title = r.title[:0]
	}
	if len(bare) <= maxObjectLine {
		r.objects.readLine(rest, len(bare)-len(rest), r.Options.Anchor)
	}
	if name, ok := bytes.CutPrefix(rest, []byte(":name:")); ok {
		addTargetName(r.Emitter, name)
	}
	if name, ok := bytes.CutPrefix(rest, []byte(".. _")); ok {
		if n := targetNameLength(append(name[:len(name):len(name)], '\n')); n > 0 {
			addTargetName(r.Emitter, name[:n-1])
		}
	}
}

// addInlineTargets calls Options.Anchor, which must not be nil, with the names of targets such as _`name` in d.Text. A
// name may continue in the next line.
func addInlineTargets(d *emit.Emitter) {
	mark := []byte("_`")
	for at := 0; ; {
		n := bytes.Index(d.Text[at:], mark)
		if n < 0 {
			return
		}
		at += n + len(mark)
		near := d.Text[at:min(len(d.Text), at+emit.MaxLabel)]
		if end := bytes.IndexByte(near, '`'); end > 0 && !d.IsSkipped(at) {
			addTargetName(d, bytes.Join(bytes.Fields(near[:end]), []byte(" ")))
		}
	}
}

// addSection adds the ids that docutils derives from title and, unless Options.Roles is set, the ids of GitHub, which
// shows files outside of manuals.
func (r *reader) addSection(title string) {
	r.AddHeading(dialect.Docutils, slug.Plain(title))
	if !r.Options.Roles {
		r.AddHeading(dialect.GitHub, slug.Plain(title))
	}
}

var (
	// roleText matches text in backquotes, such as the text of a role. Its group is the text.
	roleText = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile("(?::[a-z][\\w:.+-]*:)?`+([^`]+)`+_{0,2}") }}

	// reference matches the end of a reference to a target. Its groups are the text around the mark.
	reference = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`([\pL\pN|])_{1,2}([^\pL\pN_]|$)`) }}

	// emphasis removes the marks of emphasis and substitutions.
	emphasis = lazy.Value[*strings.Replacer]{Make: func() *strings.Replacer { return strings.NewReplacer("*", "", "|", "") }}
)

// titleText returns the text of a title as Sphinx shows it, without roles, targets and emphasis.
func titleText(title string) string {
	if !strings.ContainsAny(title, "`_*|") {
		return title
	}
	title = roleText.Get().ReplaceAllStringFunc(title, func(text string) string {
		inside := roleText.Get().FindStringSubmatch(text)[1]
		if at := strings.LastIndex(inside, " <"); at > 0 && strings.HasSuffix(inside, ">") {
			return inside[:at]
		}
		if name, ok := strings.CutPrefix(inside, "~"); ok {
			return name[strings.LastIndexByte(name, '.')+1:]
		}
		return strings.TrimPrefix(inside, "!")
	})
	title = reference.Get().ReplaceAllString(title, "$1$2")
	return emphasis.Get().Replace(title)
}

// addTargetName calls Options.Anchor with the name of a target, both without its escapes and as an id.
func addTargetName(d *emit.Emitter, raw []byte) {
	name := rstEscapes.Get().Replace(string(bytes.Trim(raw, " \t`")))
	if id := slug.Docutils(name); id != "" {
		d.Options.Anchor(id)
	}
	if name != "" {
		d.Options.Anchor(name)
	}
}

// isUnderline reports whether text repeats one punctuation character, and is long enough to underline a title of the
// given length in bytes. Four characters are always enough.
func isUnderline(text []byte, title int) bool {
	if len(text) < min(max(title, 1), 4) || !isPunctuation(text[0]) {
		return false
	}
	for _, c := range text[1:] {
		if c != text[0] {
			return false
		}
	}
	return true
}
