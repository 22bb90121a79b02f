package emit

import (
	"bytes"

	"locus/internal/markup"
)

// FrontMatter returns the length of the YAML or TOML at the start of a document, including the two lines "---" or the
// two lines "+++" around it and a byte order mark. It returns 0 if the document has no front matter.
func FrontMatter(text []byte) int {
	if rest, ok := bytes.CutPrefix(text, []byte("\ufeff")); ok {
		if n := FrontMatter(rest); n > 0 {
			return n + len("\ufeff")
		}
		return 0
	}
	var mark []byte
	first := true
	for at, line := range Lines(text, 0) {
		bare := bytes.TrimRight(line, " \t\r\n")
		switch {
		case at == 0 && (string(bare) == "---" || string(bare) == "+++"):
			mark = bare
		case at == 0 || at > maxFrontMatter:
			return 0
		case bytes.Equal(bare, mark) || string(mark) == "---" && string(bare) == "...":
			return at + len(line)
		case first && len(bare) > 0:
			if !isMatter(bare, mark[0]) {
				return 0
			}
			first = false
		}
	}
	return 0
}

// maxFrontMatter is the size of the largest front matter, in bytes.
const maxFrontMatter = 64 << 10

// isMatter reports whether a line may be the first line of YAML (mark '-') or TOML (mark '+'): a comment, a name with a
// value or, in TOML, a table. The line must not be empty.
func isMatter(line []byte, mark byte) bool {
	if line[0] == '#' {
		return true
	}
	if mark == '+' {
		return line[0] == '[' || bytes.IndexByte(line, '=') > 0
	}
	end := bytes.IndexByte(line, ':')
	return line[0] != '[' && end > 0 && (end+1 == len(line) || markup.IsSpace(line[end+1]))
}
