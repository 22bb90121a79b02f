package report

import (
	"bufio"
	"container/heap"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"locus/check"
	"locus/internal/render"
)

// A Part describes the report of one part of a run that several machines have divided, each for the hosts of its part.
type Part struct {
	Number int // from 1 to Of
	Of     int // the number of parts

	// IsWhole means that the report has every link, and not only the links that need attention.
	IsWhole bool

	// IsIncomplete means that some links may be missing, such as the links of a file that could not be read.
	IsIncomplete bool
}

// A partHead is the first line of the report of a part.
type partHead struct {
	Part       int            `json:"part"`
	Of         int            `json:"of"`
	All        bool           `json:"all"`
	Incomplete bool           `json:"incomplete"`
	Counts     map[string]int `json:"counts"` // by the words of statuses
	Moved      int            `json:"moved"`
	NotCrawled int            `json:"not_crawled"`
	Failures   int            `json:"failures"`
}

// WritePart writes the report of a part for [Join]: a line about the part, and then the findings as [JSON] writes them.
func WritePart(w io.Writer, r *check.Report, p Part) error {
	head := partHead{
		Part: p.Number, Of: p.Of, All: p.IsWhole, Incomplete: p.IsIncomplete, Counts: make(map[string]int),
		Moved: r.Moved, NotCrawled: r.NotCrawled, Failures: r.Failures,
	}
	for status, n := range r.Counts {
		head.Counts[check.Status(status).String()] = n //nolint:gosec // there are few statuses
	}
	if err := render.NewEncoder(w).Encode(head); err != nil {
		return err
	}
	return JSON(w, r)
}

// Join returns the report of a run whose parts WritePart wrote. Each function opens the report of one part, and may be
// called several times. Join reads the first line of each. The findings are read, and merged in the order of their links
// without passwords, when the Report is read. The Part that Join returns tells whether the joined report is whole and
// complete. Its Number is 0. The error is a [*PartError] if the reports are not all parts of one run.
func Join(parts []func() (io.ReadCloser, error)) (*check.Report, Part, error) {
	all := &check.Report{Findings: func(yield func(check.Finding, error) bool) { mergeParts(parts, yield) }}
	joined := Part{Of: len(parts), IsWhole: true}
	seen := make(map[int]bool)
	for i, open := range parts {
		head, err := readHead(open)
		switch {
		case err != nil:
			return nil, joined, err
		case head.Of != len(parts):
			return nil, joined, &PartError{i, fmt.Sprintf("it is part %d of %d, and the number of reports is %d", head.Part, head.Of, len(parts))}
		case head.Part < 1 || head.Part > head.Of:
			return nil, joined, &PartError{i, fmt.Sprintf("%d of %d is not a part", head.Part, head.Of)}
		case seen[head.Part]:
			return nil, joined, &PartError{i, fmt.Sprintf("another report is part %d of %d, too", head.Part, head.Of)}
		}
		seen[head.Part] = true
		joined.IsWhole = joined.IsWhole && head.All
		joined.IsIncomplete = joined.IsIncomplete || head.Incomplete
		for status := range all.Counts {
			all.Counts[status] += head.Counts[check.Status(status).String()] //nolint:gosec // there are few statuses
		}
		all.Moved += head.Moved
		all.NotCrawled += head.NotCrawled
		all.Failures += head.Failures
	}
	return all, joined, nil
}

// A PartError says why a report cannot be joined.
type PartError struct {
	Index  int // of the report in the argument of Join
	Reason string
}

// Error returns the reason.
func (e *PartError) Error() string { return e.Reason }

// readHead opens the report of a part, and reads its first line. The error is errNoPart if the line does not describe a
// part.
func readHead(open func() (io.ReadCloser, error)) (head partHead, err error) {
	in, err := open()
	if err != nil {
		return head, err
	}
	defer in.Close()
	err = json.NewDecoder(in).Decode(&head)
	if err == nil && head.Of == 0 {
		err = errNoPart
	}
	return head, err
}

var errNoPart = errors.New("the report does not say which part it is")

// mergeParts opens the reports of all parts, and yields their findings in the order of their links. After an error,
// which it also yields, it stops. It closes the files.
func mergeParts(parts []func() (io.ReadCloser, error), yield func(check.Finding, error) bool) {
	var open partHeap
	defer func() {
		for _, p := range open {
			_ = p.file.Close() // it was only read
		}
	}()
	for _, part := range parts {
		p, err := openPart(part)
		if err != nil {
			yield(check.Finding{}, err)
			return
		}
		open = append(open, p)
	}
	heap.Init(&open)
	for len(open) > 0 {
		p := open[0]
		if p.err == io.EOF {
			_ = heap.Pop(&open).(*partFindings).file.Close() // it was only read
			continue
		}
		if !yield(p.finding, p.err) || p.err != nil {
			return
		}
		p.next()
		heap.Fix(&open, 0)
	}
}

// partFindings reads the findings of a part.
type partFindings struct {
	file    io.Closer
	lines   *json.Decoder
	finding check.Finding // the next finding
	err     error         // why there is no next finding; io.EOF at the end
}

// openPart opens the report of a part, and reads its first finding. The caller closes the file of the result.
func openPart(open func() (io.ReadCloser, error)) (*partFindings, error) {
	in, err := open()
	if err != nil {
		return nil, err
	}
	p := &partFindings{file: in, lines: json.NewDecoder(bufio.NewReaderSize(in, 64<<10))}
	if err := p.lines.Decode(new(partHead)); err != nil {
		return nil, errors.Join(err, in.Close())
	}
	p.next()
	return p, nil
}

// next reads the next finding into p.finding, or sets p.err, which is io.EOF at the end of the report.
func (p *partFindings) next() {
	var j findingJSON
	p.finding, p.err = check.Finding{}, p.lines.Decode(&j)
	if p.err == nil {
		p.finding = j.finding()
	}
}

// finding returns the finding from which jsonOf made j. It lacks passwords and the part of a duration that is shorter
// than a millisecond.
func (j findingJSON) finding() check.Finding {
	f := check.Finding{
		Link: j.URL, Relative: j.Relative, Fails: j.Fails, Change: j.Change, Archived: valueOf(j.Copy), Places: j.Places,
		Result: check.Result{
			Status: j.Status, Code: valueOf(j.Code), Class: valueOf(j.Class), Reason: valueOf(j.Reason), Hops: j.Hops,
			Tries: j.Tries, Known: j.Known, Time: j.Time, Duration: time.Duration(j.Millis) * time.Millisecond,
		},
	}
	if f.URL, _, _ = strings.Cut(j.URL, "#"); len(j.Hops) == 0 {
		f.URL = j.Final
	}
	return f
}

// valueOf returns *p, or the zero value if p is nil.
func valueOf[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

// A partHeap orders parts by their next links. A part with an error comes first.
type partHeap []*partFindings

func (h partHeap) Len() int      { return len(h) }
func (h partHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h partHeap) Less(i, j int) bool {
	return h[i].err != nil || h[j].err == nil && h[i].finding.Link < h[j].finding.Link
}
func (h *partHeap) Push(x any) { *h = append(*h, x.(*partFindings)) }

func (h *partHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
