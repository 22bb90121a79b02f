package get

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"

	"locus/access"
	"locus/cmd/locus/internal/cli"
	"locus/internal/marc"
	"locus/internal/render"
)

// hasRecords reports whether the body of r has records of library catalogues (MARC). It looks at
// the media type or, if the type says little, at the first bytes. It replaces r.Body so that
// reading it still returns all bytes.
func (g *getter) hasRecords(r *access.Resource) (bool, error) {
	if r.List != nil || g.Offset > 0 {
		return false, nil
	}
	base, _, err := mime.ParseMediaType(r.Type)
	if err != nil {
		base = ""
	}
	switch base {
	case "application/marc":
		return true, nil
	case "", "application/octet-stream", "text/plain":
	default:
		return false, nil
	}
	in := bufio.NewReader(r.Body)
	start, err := in.Peek(marc.LookLen)
	if err != nil && !access.IsEnd(err) {
		return false, err
	}
	r.Body = &peeked{in, r.Body}
	return marc.LooksLike(start), nil
}

// A peeked is a body whose beginning was already read. Reader returns the whole body.
type peeked struct {
	io.Reader
	io.Closer
}

// showRecords writes the records of r as text, with the names of fields, to stdout, which is a terminal.
func (g *getter) showRecords(r *access.Resource) error {
	isFirst := true
	for record, err := range g.records(r) {
		if err != nil {
			return err
		}
		if !isFirst {
			fmt.Fprintln(g.Out)
		}
		isFirst = false
		w := render.CleanWriter(g.Out)
		if _, err := io.WriteString(w, record.Text()); err != nil {
			return err
		}
		if err := errors.Join(w.Close(), g.Out.Flush()); err != nil {
			return err
		}
	}
	return nil
}

// writeMARCXML writes the records of r as one document of MARCXML. It returns an error if r has no records.
func (g *getter) writeMARCXML(w io.Writer, r *access.Resource) error {
	if r.List != nil {
		return g.notMARC(r)
	}
	end := ""
	for record, err := range g.records(r) {
		if err != nil {
			return err
		}
		if end == "" {
			end = marc.CollectionEnd
			if _, err := io.WriteString(w, marc.CollectionStart); err != nil {
				return err
			}
		}
		if _, err := w.Write(record.ElementXML()); err != nil {
			return err
		}
	}
	if end == "" {
		return g.notMARC(r)
	}
	_, err := io.WriteString(w, end)
	return err
}

// notMARC returns the error for a resource without records.
func (g *getter) notMARC(r *access.Resource) error {
	return fmt.Errorf("%s does not contain MARC records", r.URL.Redacted())
}

// records yields the records of r. It tells the user about problems of a record that can be read. If records cannot be
// read, it continues with the next ones. Of these errors it yields the last one after all records, and tells the user
// the others.
func (g *getter) records(r *access.Resource) iter.Seq2[marc.Record, error] {
	return func(yield func(marc.Record, error) bool) {
		body, problem := io.Reader(r.Body), error(nil)
		if g.MaxSize != nil {
			body = &limited{body, *g.MaxSize, g.tooLarge(r)}
		}
		n := 0
		for record, err := range marc.Read(body) {
			n++
			if err != nil {
				err = fmt.Errorf("%s: record %d: %w", r.URL.Redacted(), n, err)
				if problem != nil {
					g.Say(problem.Error())
				}
				problem = err
				continue
			}
			for _, p := range record.Problems {
				g.Say(fmt.Sprintf("%s: record %d: %s", r.URL.Redacted(), n, p))
			}
			if !yield(record, nil) {
				return
			}
		}
		switch {
		case problem == nil:
		case g.MARCXML:
			yield(marc.Record{}, problem)
		default:
			yield(marc.Record{}, &cli.Hinted{Err: problem, Hint: "--raw writes the bytes unchanged"})
		}
	}
}
