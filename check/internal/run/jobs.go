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

// update changes the counts when the state of a text changes.
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

// isOpenCrawl reports whether the page of a text must still be crawled.
func isOpenCrawl(state uint64) bool { return state&(isCrawl|isCrawled) == isCrawl }

// isOpenCheck reports whether a URL must still be checked by a job that does not crawl. A URL that was checked is
// checked again if a later link needs its anchors.
func isOpenCheck(state uint64) bool {
	return state&isPlain != 0 && state&isCrawl == 0 && (state&isChecked == 0 || state&needsAnchors != 0 && state&isRead == 0)
}

// count returns 1 for true and 0 for false.
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

// add appends a job. text is the offset of its text.
func (q *jobLog) add(text int64) error {
	b := binary.LittleEndian.AppendUint64(nil, uint64(text))
	_, err := q.Append(b[:jobSize])
	return err
}

// next reads the next job and returns the number of its text. The error is io.EOF if all jobs were read.
func (q *jobLog) next() (text int64, err error) {
	if q.pos == q.Size() {
		return 0, io.EOF
	}
	text, err = q.read(q.pos)
	q.pos += jobSize
	return text, err
}

// read reads the job at an offset of the log and returns the number of its text.
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
