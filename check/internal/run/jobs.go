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
	lowest         int   // levels below this one are 0
}

// update changes the counts when the state of a text changes from before to after.
func (o *openJobs) update(before, after uint64) {
	o.others += oneIf(isOpenCheck(after)) - oneIf(isOpenCheck(before))
	more := oneIf(isOpenCrawl(after)) - oneIf(isOpenCrawl(before))
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

// isOpenCrawl reports whether a text with this state has a job that crawls and is not done.
func isOpenCrawl(state uint64) bool { return state&(isCrawl|isCrawled) == isCrawl }

// isOpenCheck reports whether a text with this state has a job that does not crawl and must still be done. A URL that
// was checked is checked again if a later link needs its anchors.
func isOpenCheck(state uint64) bool {
	return state&isPlain != 0 && state&isCrawl == 0 && (state&isChecked == 0 || state&needsAnchors != 0 && state&isRead == 0)
}

// oneIf returns 1 for true and 0 for false.
func oneIf(is bool) int {
	if is {
		return 1
	}
	return 0
}

// level returns the smallest depth of the open crawls; any depth if there are none.
func (o *openJobs) level() int {
	for o.lowest < len(o.levels)-1 && o.levels[o.lowest] == 0 {
		o.lowest++
	}
	return o.lowest
}

// A jobLog contains jobs in the order in which they were added. It is read from its start while jobs are added to its
// end.
type jobLog struct {
	spill.Log
	pos int64 // the offset of the job that next reads

	window   []byte // jobs that were read together
	windowAt int64  // the offset of window
}

// jobsTogether is how many jobs are read together.
const jobsTogether = 1024

// jobSize is the size of a job in a jobLog: the offset of its text, in 40 bits.
const jobSize = spill.OffsetBits / 8

// add appends a job. text is the offset of the job's text.
func (q *jobLog) add(text int64) error {
	b := binary.LittleEndian.AppendUint64(nil, uint64(text))
	_, err := q.Append(b[:jobSize])
	return err
}

// next reads the job at pos, and moves pos to the next job. It returns the offset of the job's text. The error is
// io.EOF if all jobs were read.
func (q *jobLog) next() (text int64, err error) {
	if q.pos == q.Size() {
		return 0, io.EOF
	}
	text, err = q.read(q.pos)
	q.pos += jobSize
	return text, err
}

// read returns the offset of the text of the job at pos, an offset in the log. It does not move q.pos.
func (q *jobLog) read(pos int64) (text int64, err error) {
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
