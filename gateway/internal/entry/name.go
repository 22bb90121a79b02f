package entry

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"locus/access"
	"locus/internal/render"
	"locus/internal/trail"
	"locus/url"
)

// Title returns the title of an entry, or else the name in its URL. The result may have control
// characters.
func Title(e access.Entry) string {
	if e.Title != "" {
		return e.Title
	}
	return render.Title(e.URL)
}

// Name returns the name of the resource at u for people. If u does not have a name, it returns the
// scheme and the host.
func Name(u url.URL) string {
	if steps := trail.Of(u); len(steps) > 0 {
		title := beforeControl(steps[len(steps)-1].Title)
		if !IsBlank(title) {
			return render.Clean(title)
		}
	}
	path := strings.TrimRight(u.Path(), "/")
	title, err := url.Unescape(path[strings.LastIndexByte(path, '/')+1:])
	if title = beforeControl(title); err != nil || IsBlank(title) {
		host, _ := u.Host()
		return u.Scheme() + "://" + host
	}
	return render.Clean(title)
}

// Words returns the words that u searches for, without control characters. It returns "" if u is not
// a search.
func Words(u url.URL) string { return render.Clean(trail.Words(u)) }

// beforeControl returns a text up to its first control character.
func beforeControl(text string) string {
	if i := strings.IndexFunc(text, unicode.IsControl); i >= 0 {
		return text[:i]
	}
	return text
}

// IsBlank reports whether all characters of a text are invisible, so that a link with this text
// could not be clicked.
func IsBlank(s string) bool {
	const brailleBlank = 0x2800
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) && r != brailleBlank
	})
}

// SafeName returns a name that every system takes for the name of one file in the current folder.
// The argument comes from a server, so it may be an attack.
func SafeName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0xfffd || r >= 0x80 && render.Clean(string(r)) != string(r) || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	name = withSafeEnd(strings.TrimLeft(name, " "))
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	if name == "" || isDevice(strings.TrimRight(stem, " ")) {
		return withSafeEnd("_" + name)
	}
	return name
}

// withSafeEnd cuts a name to 200 bytes, because systems allow 255. It removes spaces and periods at the end, because
// Windows drops them.
func withSafeEnd(name string) string {
	const most = 200
	if len(name) > most {
		name = strings.ToValidUTF8(name[:most], "")
	}
	return strings.TrimRight(name, " .")
}

// isDevice reports whether Windows takes a file for a device. stem is the name before its first dot,
// in lower case.
func isDevice(stem string) bool {
	switch stem {
	case "con", "prn", "aux", "nul", "conin$", "conout$":
		return true
	}
	digit, isPort := strings.CutPrefix(strings.Replace(stem, "lpt", "com", 1), "com")
	return isPort && utf8.RuneCountInString(digit) == 1 && strings.Contains("0123456789¹²³", digit)
}

// Used has the names of a folder in lower case, because names that differ only in case are the same
// on some systems. The value is the number that the next file with that name gets.
type Used map[string]int

// Take returns name and marks it as used. If name is used already, in any case of letters, Take
// returns it with a free number, such as "a (2).txt".
func (u Used) Take(name string) string {
	free, lower := name, strings.ToLower(name)
	n, isUsed := u[lower]
	for n = max(n, 2); isUsed; n++ {
		stem, end := name, ""
		if i := strings.LastIndexByte(name, '.'); i > 0 {
			stem, end = name[:i], name[i:]
		}
		free = fmt.Sprintf("%s (%d)%s", stem, n, end)
		_, isUsed = u[strings.ToLower(free)]
	}
	u[lower] = n
	u[strings.ToLower(free)] = max(u[strings.ToLower(free)], 2)
	return free
}
