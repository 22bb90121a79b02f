package document

import "bytes"

// tex reads the text of TeX. A backslash before one of # $ % & _ { } ~ is removed. Code
// are comments, and what stands in verbatim, lstlisting, \verb and \lstinline.
func (d *document) tex() {
	d.inOrder = true
	if d.options.SkipCode {
		d.skipTeXCode()
	}
	for at, end := range d.unskipped {
		for from, to := range spaced(d.text, at, end) {
			d.readText(replaceEscapes(d.text[from:to], from, '\\', unescapeTeX), "")
		}
	}
}

// unescapeTeX returns the size of the escape at the start of a text, and what it stands
// for. Other commands stand for themselves.
func unescapeTeX(rest []byte) (size int, resolved string) {
	if len(rest) > 1 && bytes.IndexByte([]byte("#$%&_{}~"), rest[1]) >= 0 {
		return 2, string(rest[1:2])
	}
	return 1, `\`
}

// texVerbatim are the environments that hold code.
var texVerbatim = []string{"verbatim", "lstlisting", "minted", "comment"}

func (d *document) skipTeXCode() {
	until := "" // the line that ends the code
	for at, line := range lines(d.text, 0) {
		text := bytes.TrimSpace(line)
		switch {
		case until != "":
			d.skip(at, at+len(line))
			if bytes.HasPrefix(text, []byte(until)) {
				until = ""
			}
		case bytes.HasPrefix(text, []byte("%")):
			d.skip(at, at+len(line))
		case bytes.HasPrefix(text, []byte(`\begin{`)):
			for _, name := range texVerbatim {
				if bytes.HasPrefix(text, []byte(`\begin{`+name)) {
					until = `\end{` + name
					d.skip(at, at+len(line))
				}
			}
		default:
			d.skipVerb(line, at)
			d.skipTeXComment(line, at)
		}
	}
}

// skipVerb skips the text of \verb|…| and \lstinline|…| in a line. Any byte but a letter, a space
// and "{" stands for "|".
func (d *document) skipVerb(line []byte, at int) {
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
			if from == len(line) || isWord(line[from]) || isSpace(line[from]) || line[from] == '{' {
				continue
			}
			length := bytes.IndexByte(line[from+1:], line[from])
			if length < 0 {
				break
			}
			d.skip(at+from, at+from+1+length+1)
			from += 1 + length + 1
		}
	}
}

// skipTeXComment skips a comment after white space in a line.
func (d *document) skipTeXComment(line []byte, at int) {
	for i := 1; i < len(line); i++ {
		if line[i] == '%' && isSpace(line[i-1]) {
			d.skip(at+i, at+len(line))
			return
		}
	}
}
