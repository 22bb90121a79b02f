// Package tex reads TeX.
package tex

import (
	"bytes"

	"locus/extract/document/internal/emit"
	"locus/internal/ascii"
	"locus/internal/markup"
)

// Read searches the text of TeX. It removes a backslash before # $ % & _ { } and ~. Comments and the contents of
// verbatim, lstlisting, \verb and \lstinline count as code.
func Read(d *emit.Emitter) {
	d.InOrder = true
	if d.Options.SkipCode {
		skipTeXCode(d)
	}
	for at, end := range d.Unskipped {
		for from, to := range emit.Spaced(d.Text, at, end) {
			d.ReadText(emit.ReplaceEscapes(d.Text[from:to], from, '\\', unescapeTeX), "")
		}
	}
}

// unescapeTeX returns the size of the escape at the start of rest, and the character that it stands for. A backslash
// that starts another command stands for itself.
func unescapeTeX(rest []byte) (size int, resolved string) {
	if len(rest) > 1 && bytes.IndexByte([]byte("#$%&_{}~"), rest[1]) >= 0 {
		return 2, string(rest[1:2])
	}
	return 1, `\`
}

// texVerbatim are the environments that hold code.
var texVerbatim = []string{"verbatim", "lstlisting", "minted", "comment"}

// skipTeXCode skips the comments, and the contents of verbatim environments and commands, in d.Text.
func skipTeXCode(d *emit.Emitter) {
	until := "" // the start of the line that ends the code, or ""
	for at, line := range emit.Lines(d.Text, 0) {
		text := bytes.TrimSpace(line)
		switch {
		case until != "":
			d.Skip(at, at+len(line))
			if bytes.HasPrefix(text, []byte(until)) {
				until = ""
			}
		case bytes.HasPrefix(text, []byte("%")):
			d.Skip(at, at+len(line))
		case bytes.HasPrefix(text, []byte(`\begin{`)):
			for _, name := range texVerbatim {
				if bytes.HasPrefix(text, []byte(`\begin{`+name)) {
					until = `\end{` + name
					d.Skip(at, at+len(line))
				}
			}
		default:
			skipVerb(d, line, at)
			skipTeXComment(d, line, at)
		}
	}
}

// skipVerb skips the text of \verb|…| and \lstinline|…| in a line at offset at. Instead of "|" any byte except a
// letter, a digit, white space and "{" may be used.
func skipVerb(d *emit.Emitter, line []byte, at int) {
	for _, command := range [][]byte{[]byte(`\verb`), []byte(`\lstinline`)} {
		for from := 0; ; {
			n := bytes.Index(line[from:], command)
			if n < 0 {
				break
			}
			from += n + len(command)
			if from < len(line) && line[from] == '*' {
				from++
			}
			if from == len(line) || ascii.IsLetterOrDigit(line[from]) || markup.IsSpace(line[from]) || line[from] == '{' {
				continue
			}
			length := bytes.IndexByte(line[from+1:], line[from])
			if length < 0 {
				break
			}
			d.Skip(at+from, at+from+1+length+1)
			from += 1 + length + 1
		}
	}
}

// skipTeXComment skips a comment that follows white space in a line at offset at.
func skipTeXComment(d *emit.Emitter, line []byte, at int) {
	for i := 1; i < len(line); i++ {
		if line[i] == '%' && markup.IsSpace(line[i-1]) {
			d.Skip(at+i, at+len(line))
			return
		}
	}
}
