package dict

import (
	"io"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// A definitions is the Body of the definitions of a word.
//
//	151 "tea" wn "WordNet (r) 3.0 (2006)"     From WordNet (r) 3.0 (2006) [wn]:
//	tea
//	    n 1: a beverage …                     tea
//	.                                             n 1: a beverage …
//	250 ok
type definitions struct {
	*connection
	url    url.URL
	wanted uint64 // the number of the only definition to return; 0 means all
	found  uint64 // the number of the current definition
	inText bool   // the lines of a definition follow
	out    []byte // the data for the next Read
	err    error  // the error after out
}

// start reads up to the first line of the first wanted definition, so that Read has data. It returns a
// numberError if the server has fewer definitions than wanted.
func (d *definitions) start() error {
	for len(d.out) == 0 && d.err == nil {
		d.err = d.advance()
	}
	if len(d.out) > 0 {
		return nil
	}
	if access.IsEnd(d.err) {
		return numberError(d.wanted, d.found)
	}
	return d.err
}

// Read reads the text of the wanted definitions. It returns io.EOF after the last definition. Its
// other errors name the URL.
func (d *definitions) Read(p []byte) (int, error) {
	if err := d.Err(); err != nil {
		return 0, engine.FailReading("read", d.url, err)
	}
	for len(d.out) == 0 && len(p) > 0 {
		if d.err != nil {
			return 0, engine.FailReading("read", d.url, d.err)
		}
		d.err = d.advance()
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	return n, nil
}

// advance reads a line or a reply, and appends its text to out if the current definition is wanted.
// The error is io.EOF after the last definition.
func (d *definitions) advance() error {
	if !d.inText {
		return d.nextDefinition()
	}
	line, err := d.textLine()
	switch {
	case access.IsEnd(err):
		d.inText = false
		return nil
	case err != nil:
		return err
	case d.isWanted():
		d.out = append(append(d.out, line...), "\r\n"...)
	}
	return nil
}

// isWanted reports whether to return the current definition, which has the number found.
func (d *definitions) isWanted() bool { return d.wanted == 0 || d.found == d.wanted }

// nextDefinition reads the reply before the next definition, and increments found. If the definition
// is wanted, it appends a line with the name of the database to out. The error is io.EOF if the
// reply ends the definitions.
func (d *definitions) nextDefinition() error {
	r, err := d.replies.Read()
	switch {
	case err != nil:
		return err
	case r.Code == completed:
		return io.EOF
	case r.Code != definition:
		return &engine.Refusal{Reply: r, Means: meaning(r.Code)}
	}
	d.inText = true
	d.found++
	if !d.isWanted() {
		return nil
	}
	_, rest := cutWord(r.Text)
	database, rest := cutWord(rest)
	title, _ := cutWord(rest)
	if d.found > 1 && d.wanted == 0 {
		d.out = append(d.out, "\r\n"...)
	}
	d.out = append(d.out, "From "+title+" ["+database+"]:\r\n\r\n"...)
	return nil
}
