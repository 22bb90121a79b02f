package slug

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// gitHub returns the id that GitHub derives from a heading: its letters, digits, hyphens and connectors in lower case,
// with a hyphen for each blank. Roman numerals and circled letters are letters.
func gitHub(text string) string {
	return webName(strings.ReplaceAll(text, "İ", "i\u0307"), unicode.Other_Alphabetic, unicode.Nl)
}

// joinedGitHub returns the id that gitHub derives from a heading, but keeps the joiners U+200C and U+200D, which are
// inside words of Persian and other languages and between the parts of an emoji. It returns "" if the heading has no
// joiner.
//
// QUIRK: reports disagree about the joiners in GitHub's ids. A link with them worked in 2019.
func joinedGitHub(text string) string {
	if !strings.ContainsFunc(text, isJoiner) {
		return ""
	}
	return webName(text, unicode.Other_Alphabetic, unicode.Nl, unicode.Join_Control)
}

// isJoiner reports whether c joins or separates the characters beside it, and is not shown.
func isJoiner(c rune) bool { return unicode.Is(unicode.Join_Control, c) }

// hugo returns the id that Hugo derives from a heading. It is the id of GitHub without the letters that Unicode counts
// as numbers and symbols, and "heading" if nothing is left.
func hugo(text string) string {
	if name := webName(strings.TrimSpace(text)); name != "" {
		return name
	}
	return "heading"
}

// trimmedGitHub returns the id that gitHub derives from text without the blanks at its ends.
func trimmedGitHub(text string) string { return gitHub(strings.TrimSpace(text)) }

// webName returns text in lower case with a hyphen for each blank. It keeps letters, marks, digits, hyphens, and the
// runes of further tables, and leaves out other runes.
func webName(text string, further ...*unicode.RangeTable) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == ' ' || c == '\t':
			return '-'
		case c == '-' || unicode.In(c, unicode.L, unicode.M, unicode.Nd, unicode.Pc) || unicode.In(c, further...):
			return unicode.ToLower(c)
		}
		return -1
	}, text)
}

// gitLab returns the id that GitLab derives from a heading: the id of GitHub with single hyphens. An id that would be a
// number gets "anchor-" before it.
func gitLab(text string) string {
	name := squeeze(trimmedGitHub(text))
	if name != "" && strings.Trim(name, "0123456789") == "" {
		return "anchor-" + name
	}
	return name
}

// jupyter returns the id that Jupyter derives from a heading: all characters, with a hyphen for each space.
func jupyter(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), " ", "-")
}

// bitbucket returns the id that Bitbucket derives from a heading: "markdown-header-" and the id of Python-Markdown.
func bitbucket(text string) string {
	return "markdown-header-" + pythonMarkdown(text)
}

// pythonMarkdown returns the id that Python-Markdown derives from a heading. It has the letters and digits of ASCII and
// "_", and a hyphen for each run of blanks and hyphens. A letter with an accent loses the accent.
func pythonMarkdown(text string) string {
	kept := strings.Map(func(c rune) rune {
		switch {
		case c > unicode.MaxASCII:
			return -1
		case unicode.IsSpace(c) || c == '-':
			return c
		case c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c):
			return unicode.ToLower(c)
		}
		return -1
	}, norm.NFKD.String(text))
	return hyphenated(strings.TrimSpace(kept))
}

// hyphenated returns text with one hyphen for each run of blanks and hyphens.
func hyphenated(text string) string {
	return squeeze(strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) {
			return '-'
		}
		return c
	}, text))
}

// mdBook returns the id that mdBook derives from a heading: its letters, numbers, "_" and "-" in lower case, with a
// hyphen for each blank.
func mdBook(text string) string { return strings.ToLower(mdBookASCII(text)) }

// mdBookASCII returns the id that mdBook derives from a heading before version 0.5, which wrote only the letters of
// ASCII in lower case.
func mdBookASCII(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return '-'
		case c >= 'A' && c <= 'Z':
			return c - 'A' + 'a'
		case c == '_' || c == '-' || unicode.In(c, unicode.L, unicode.N):
			return c
		}
		return -1
	}, strings.TrimSpace(text))
}

// pandoc returns the id that Pandoc derives from a heading. It has letters, numbers, "_", "-" and ".", and a hyphen for
// each run of blanks. It begins with the first letter, or is "section" if the heading lacks letters.
func pandoc(text string) string {
	kept := strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case strings.ContainsRune("_-.", c) || unicode.In(c, unicode.L, unicode.M, unicode.N):
			return unicode.ToLower(c)
		}
		return -1
	}, text)
	name := strings.Join(strings.Fields(kept), "-")
	if at := strings.IndexFunc(name, unicode.IsLetter); at >= 0 {
		return name[at:]
	}
	return "section"
}

// vitePress returns the id that VitePress derives from a heading. It is in lower case, and has a hyphen for each run of
// blanks and punctuation of ASCII, and letters without accents. An id that would begin with a digit gets "_" before it.
func vitePress(text string) string {
	kept := strings.Map(func(c rune) rune {
		switch {
		case c >= 0x300 && c <= 0x36f || c < ' ':
			return -1
		case unicode.IsSpace(c) || strings.ContainsRune("~`!@#$%^&*()-_+=[]{}|\\;:\"'“”‘’<>,.?/", c):
			return '-'
		}
		return c
	}, norm.NFKD.String(text))
	name := strings.ToLower(JoinHyphens(kept))
	if name != "" && name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
}

// zola returns the id that Zola derives from a heading. It has the letters and digits of ASCII in lower case, and a
// hyphen for each run of other characters. A letter with an accent loses the accent.
func zola(text string) string {
	return JoinHyphens(strings.Map(func(c rune) rune {
		switch {
		case unicode.Is(unicode.M, c):
			return -1
		case c <= unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c)):
			return unicode.ToLower(c)
		}
		return '-'
	}, norm.NFKD.String(similarLetters.Get().Replace(text))))
}

// squeeze returns text with one hyphen for each run of hyphens.
func squeeze(text string) string {
	for strings.Contains(text, "--") {
		text = strings.ReplaceAll(text, "--", "-")
	}
	return text
}

// JoinHyphens returns text with one hyphen for each run of hyphens, and without hyphens at its ends.
func JoinHyphens(text string) string { return strings.Trim(squeeze(text), "-") }
