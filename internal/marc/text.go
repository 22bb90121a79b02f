package marc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Line is a field in a form for people.
type Line struct {
	Tag   string // "245"; "" for the kind of the record
	Name  string // "Title"; the tag if the name is unknown
	Value string // one line
}

// briefTags are the fields that ParseBrief reads: the number, and the fields that Title, Author
// and Date read.
var briefTags = [...][]string{
	MARC21:  {"001", "008", "100", "110", "111", "245", "260", "264", "700", "710", "711"},
	UNIMARC: {"001", "100", "200", "210", "214", "219", "700", "701", "702", "710", "711", "712"},
}

// Title returns the title with its subtitle on one line, or "" if the record has no title.
func (r Record) Title() string {
	if r.Format == UNIMARC {
		return join(": ", r.Field("200"), "a", "e", "h", "i")
	}
	return trimEnd(join(" ", r.Field("245"), "a", "b", "n", "p"))
}

// Author returns the name of the first author, a person, a body or a conference, or "" if the
// record names no author.
func (r Record) Author() string {
	if r.Format == UNIMARC {
		for _, tag := range []string{"700", "701", "702", "710", "711", "712"} {
			if name := join(", ", r.Field(tag), "a", "b"); name != "" {
				return name
			}
		}
		return line(r.Field("200").Get("f"))
	}
	for _, tag := range []string{"100", "110", "111", "700", "710", "711"} {
		if name := trimEnd(join(" ", r.Field(tag), "a")); name != "" {
			return name
		}
	}
	return ""
}

// Date returns the date of publication as the record has it: "1994", "[199-?]"; "" if it is
// unknown.
func (r Record) Date() string {
	tags, code := []string{"260", "264"}, "c"
	if r.Format == UNIMARC {
		tags, code = []string{"210", "214", "219"}, "d"
	}
	for _, f := range r.Fields {
		if date := line(f.Get(code)); slices.Contains(tags, f.Tag) && date != "" {
			return strings.TrimRight(date, " .,;:")
		}
	}
	return r.codedDate()
}

// codedDate returns the four digits of the year in the coded data, or "" if the data has no year.
func (r Record) codedDate() string {
	coded, at := r.Field("008").Value, 7
	if r.Format == UNIMARC {
		coded, at = r.Field("100").Get("a"), 9
	}
	if len(coded) < at+4 {
		return ""
	}
	if _, ok := number([]byte(coded[at : at+4])); !ok {
		return ""
	}
	return coded[at : at+4]
}

// Text returns Lines as a text, in two columns: the names and the values. The text may contain
// every character of the record, so it must be cleaned before a terminal shows it.
func (r Record) Text() string {
	lines := r.Lines()
	width := 0
	for _, l := range lines {
		width = max(width, utf8.RuneCountInString(l.Name))
	}
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%-*s  %s\n", width, l.Name, l.Value)
	}
	return b.String()
}

// Lines returns the fields in a form for people: the description first, then the numbers and
// codes. A field with a known tag is shown without the codes of its subfields and without links
// to other records. [Record.XML] has the whole record.
func (r Record) Lines() []Line {
	var description, numbers []Line
	if kind := r.Kind(); kind != "" {
		description = append(description, Line{Name: "Kind", Value: kind})
	}
	for _, f := range r.Fields {
		l := r.line(f)
		switch {
		case l.Value == "":
		case f.Tag < r.firstDescription():
			numbers = append(numbers, l)
		default:
			description = append(description, l)
		}
	}
	return append(description, numbers...)
}

// firstDescription returns the first tag of the descriptive fields: "200" in UNIMARC and "100" in
// MARC 21. Fields before it have numbers and codes.
func (r Record) firstDescription() string {
	if r.Format == UNIMARC {
		return "200"
	}
	return "100"
}

// Kind returns the kind of the material, such as "Book" or "Map", or "" if the leader does not
// say.
func (r Record) Kind() string {
	if len(r.Leader) != leaderLen {
		return ""
	}
	const language, serial = 'a', 's' // material; level
	if r.Leader[6] == language && r.Leader[7] == serial {
		return "Serial"
	}
	return kinds[r.Leader[6]]
}

// line returns a field in a form for people. Its Value may be "".
func (r Record) line(f Field) Line {
	name, other := names.Get()[r.Format][f.Tag], ""
	if f.Tag == "880" && r.Format == MARC21 { // the field of $6 in another script
		tag, _, _ := strings.Cut(f.Get("6"), "-")
		name, other = names.Get()[MARC21][tag], " (other script)"
	}
	if f.IsControl() {
		return Line{f.Tag, cmp.Or(name, f.Tag), controlText(f)}
	}
	if name == "" {
		return Line{f.Tag, f.Tag, codedText(f)}
	}
	return Line{f.Tag, name + other, namedText(f)}
}

// controlText returns the value of a control field on one line. It formats the time in field 005
// as "2004-05-19 12:30:11".
func controlText(f Field) string {
	v := f.Value
	if _, ok := number([]byte(strings.TrimSuffix(v, ".0"))); f.Tag == "005" && ok && len(v) == len("20040519123011.0") {
		return v[:4] + "-" + v[4:6] + "-" + v[6:8] + " " + v[8:10] + ":" + v[10:12] + ":" + v[12:14]
	}
	return line(v)
}

// codedText returns the subfields of f with their codes, such as "$a Title $b rest".
func codedText(f Field) string {
	parts := make([]string, 0, len(f.Subfields))
	for _, s := range f.Subfields {
		parts = append(parts, strings.TrimRight("$"+line(s.Code)+" "+line(s.Value), " "))
	}
	return strings.Join(parts, " ")
}

// namedText returns the values of the subfields of f without their codes. It omits subfields
// whose code is a digit, because they link to other records or name the authority of a heading.
// In a subject, whose tag begins with "6", " — " precedes a subdivision.
func namedText(f Field) string {
	isSubject := strings.HasPrefix(f.Tag, "6")
	var b strings.Builder
	for _, s := range f.Subfields {
		value := line(s.Value)
		if value == "" || len(s.Code) == 1 && s.Code[0] >= '0' && s.Code[0] <= '9' {
			continue
		}
		switch {
		case b.Len() == 0:
		case isSubject && strings.Contains("vxyz", s.Code):
			b.WriteString(" — ")
		default:
			b.WriteByte(' ')
		}
		b.WriteString(value)
	}
	return b.String()
}

// join returns the values of the subfields of f with one of these codes, in the order of the
// field, with separator between them. It omits empty values.
func join(separator string, f Field, codes ...string) string {
	var values []string
	for _, s := range f.Subfields {
		if v := line(s.Value); v != "" && slices.Contains(codes, s.Code) {
			values = append(values, v)
		}
	}
	return strings.Join(values, separator)
}

// line returns a value on one line, without the marks around words that sorting ignores.
func line(value string) string {
	value = strings.Map(func(r rune) rune {
		if r == '\u0098' || r == '\u009c' {
			return -1
		}
		return r
	}, value)
	return strings.Join(strings.Fields(value), " ")
}

// trimEnd returns value without the punctuation that catalogues write at the end of a field. It
// keeps the period after an initial or "Jr.", and three periods.
func trimEnd(value string) string {
	value = strings.TrimRight(value, " /:;,=")
	if rest, ok := strings.CutSuffix(value, "."); ok {
		word := rest[strings.LastIndexAny(rest, " .-")+1:]
		if len(word) > len("Jr") {
			return rest
		}
	}
	return value
}
