package run

import (
	"encoding/binary"
	"io"
	"slices"

	"locus/retry"

	"locus/internal/spill"
)

// openJobs counts the jobs that are not done.
type openJobs struct {
	crawls, others int
	levels         []int // crawls by depth
	lowest         int   // no level below has any
}

// update counts the jobs of a text whose state changes.
func (o *openJobs) update(before, after uint64) {
	o.others += count(isOpenCheck(after)) - count(isOpenCheck(before))
	more := count(isOpenCrawl(after)) - count(isOpenCrawl(before))
	if more == 0 {
		return
	}
	depth := int(after >> depthBit)
	for len(o.levels) <= depth {
		o.levels = append(o.levels, 0)
	}
	o.crawls += more
	o.levels[depth] += more
	o.lowest = min(o.lowest, depth)
}

// isOpenCrawl reports whether a page is still to be crawled.
func isOpenCrawl(state uint64) bool { return state&(isCrawl|isCrawled) == isCrawl }

// isOpenCheck reports whether a URL is still to be checked, and not crawled. One that was
// checked is checked again if its anchors are needed later.
func isOpenCheck(state uint64) bool {
	return state&isPlain != 0 && state&isCrawl == 0 && (state&isChecked == 0 || state&needsAnchors != 0 && state&isRead == 0)
}

// count returns 1 for true.
func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// level returns the smallest depth of the open crawls.
func (o *openJobs) level() int {
	for o.lowest < len(o.levels)-1 && o.levels[o.lowest] == 0 {
		o.lowest++
	}
	return o.lowest
}

// A jobQueue is a journal of jobs, read from its start.
type jobQueue struct {
	spill.Log
	pos int64 // offset of the next record

	window   []byte // records that were read together
	windowAt int64  // their offset
}

// jobsTogether is how many records are read together.
const jobsTogether = 1024

// A record of a jobQueue is the offset of a text, in 40 bits.
const jobSize = spill.OffsetBits / 8

func (q *jobQueue) add(text int64) error {
	b := binary.LittleEndian.AppendUint64(nil, uint64(text))
	_, err := q.Append(b[:jobSize])
	return err
}

// next reads the next job; io.EOF if there is none.
func (q *jobQueue) next() (text int64, err error) {
	if q.pos == q.Size() {
		return 0, io.EOF
	}
	text, err = q.read(q.pos)
	q.pos += jobSize
	return text, err
}

// read reads the job at an offset.
func (q *jobQueue) read(pos int64) (text int64, err error) {
	if pos < q.windowAt || pos+jobSize > q.windowAt+int64(len(q.window)) {
		q.window = slices.Grow(q.window[:0], jobsTogether*jobSize)[:min(jobsTogether*jobSize, q.Size()-pos)]
		if _, err := q.ReadAt(q.window, pos); err != nil {
			q.window = nil
			return 0, retry.UnexpectedEOF(err)
		}
		q.windowAt = pos
	}
	var b [8]byte
	copy(b[:jobSize], q.window[pos-q.windowAt:])
	return int64(binary.LittleEndian.Uint64(b[:])), nil
}
