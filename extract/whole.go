package extract

import "bytes"

// maxAfter is how many bytes after a URL isBeginning reads.
const maxAfter = 16

// isBeginning reports whether the URL at [start, end) of text is only the beginning of a URL, to which a program adds
// the rest. Such a URL stands in quotation marks. It ends with a colon for a port, or other text is joined to it:
//
//	"http://h:" + port   'http://h/'+x   "http://h/" . $x   "http://h/"$x   "http://h/" .. x
func isBeginning(text []byte, start, end int) bool {
	quote := byteBefore(text, start)
	if quote != '"' && quote != '\'' && quote != '`' {
		return false
	}
	rest := text[end:min(end+maxAfter, len(text))]
	rest, hasColon := bytes.CutPrefix(rest, []byte{':'})
	if len(rest) == 0 || rest[0] != quote {
		return false
	}
	rest = rest[1:]
	joined := bytes.TrimLeft(rest, " ")
	isAny := func(text []byte, starts ...string) bool {
		for _, start := range starts {
			if bytes.HasPrefix(text, []byte(start)) {
				return true
			}
		}
		return false
	}
	return hasColon || isAny(rest, "$", "{") || isAny(joined, "+", "..", ". $")
}
