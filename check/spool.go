package check

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"math"
	"strings"
	"sync"
)

// A Spool is a Queue of one process, in files: jobs, links and results are
// written there and read when they are wanted. In memory there are some twelve
// octets for each URL, and buffers. It ends with the process. Its methods may be
// called by several goroutines at once.
//
// Pages that are walked through are handed out first. When none is left it is
// known of every other URL whether a fragment of it is linked to, so each is
// opened once.
type Spool struct {
	mu      sync.Mutex
	change  sync.Cond
	texts   texts   // of links, jobs and documents
	walks   pending // jobs that bring more
	others  pending
	links   journal
	results journal
	left    left
	level   int                // how deep the walks are that are handed out now
	deeper  int64              // where the first of walks is that was left out because it is deeper
	taken   map[int64]struct{} // texts of jobs that were handed out and are not done
	share   share
}

// NewSpool returns an empty queue that makes its files, each when it is needed,
// by calling create. They are closed by Close, and then of no more use. If
// create is nil all stays in memory.
func NewSpool(create func() (File, error)) *Spool {
	j := journal{create: create}
	s := &Spool{
		texts: newTexts(create), walks: pending{journal: j}, others: pending{journal: j}, links: j, results: j,
		taken: make(map[int64]struct{}), deeper: math.MaxInt64,
	}
	s.change.L = &s.mu
	return s
}

// NewMemory returns an empty queue in memory. Its methods may be called by several
// goroutines at once, as those of every Queue.
func NewMemory() *Spool { return NewSpool(nil) }

// The state of a text: what was done about it, where its result is, if there is
// one, in the low bits: its place + 1; and in the high bits how deep it is walked
// through.
const (
	isLink    = 1 << (atBits + iota)
	isPlain   // it is one of others
	isAnchors // its fragments are wanted, too
	isWalk    // it is one of walks
	isTold    // it is in the report that was made last
	hasMore   // its result says more than that it is good
	hasAnchors
)

const (
	statusBit  = atBits + 7 // Status, 2 bits
	statusMask = 3 << statusBit
	isWalked   = 1 << (atBits + 9)  // it was walked through
	isLooked   = 1 << (atBits + 10) // it was looked at
	depthBit   = atBits + 12
	mostDepth  = 1<<(64-depthBit) - 1
)

// entry returns what stands for a link or a job in texts. What is no URL is kept
// with its reason.
func entry(u, bad string) string {
	if bad == "" {
		return u
	}
	return u + "\x00" + bad
}

// ofEntry is the inverse of entry.
func ofEntry(s string) (u, bad string) {
	if i := strings.LastIndexByte(s, 0); i >= 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

// Seed takes a document, and the jobs that were not taken before.
func (s *Spool) Seed(_ context.Context, from Source, jobs []Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.change.Broadcast()
	return s.add(from.Document, Found{from.Links, jobs})
}

// Next returns the jobs that walk, and then the others, in the order in which
// they came.
func (s *Spool) Next(ctx context.Context) (Job, error) {
	stop := context.AfterFunc(ctx, s.wake)
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		j, err := s.next()
		switch {
		case !errors.Is(err, io.EOF):
			return j, err
		case ctx.Err() != nil:
			return Job{}, context.Cause(ctx)
		case s.finished():
			return Job{}, io.EOF
		}
		s.change.Wait()
	}
}

// finished reports whether all jobs are done, and no more can come.
func (s *Spool) finished() bool { return s.left.walks+s.left.others == 0 && !s.share.more }

func (s *Spool) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change.Broadcast()
}

// next returns a job, or io.EOF if there is none at this time.
func (s *Spool) next() (Job, error) {
	if s.share.more {
		return Job{}, io.EOF
	}
	if level := s.left.level(); level != s.level {
		s.level = level
		s.walks.at = min(s.walks.at, s.deeper)
		s.deeper = math.MaxInt64
	}
	j, err := s.from(&s.walks, isWalked)
	if !errors.Is(err, io.EOF) || s.left.walks > 0 {
		return j, err
	}
	return s.from(&s.others, isWalk|isLooked)
}

// from returns the next job of a journal. It leaves out those that are deeper than
// those that are walked through now, those that have a bit of done in their state,
// those that were handed out, and those of others.
func (s *Spool) from(p *pending, done uint64) (Job, error) {
	for {
		at, part, err := p.peek()
		if err != nil {
			return Job{}, err
		}
		if _, taken := s.taken[at]; taken || !s.share.own(part) {
			p.skip()
			continue
		}
		text, state, err := s.texts.text(at)
		switch {
		case err != nil:
			return Job{}, unexpected(err)
		case state&done != 0:
			p.skip()
			continue
		case p == &s.walks && int(state>>depthBit) > s.level:
			s.deeper = min(s.deeper, p.at)
			p.skip()
			continue
		}
		p.skip()
		s.taken[at] = struct{}{}
		u, bad := ofEntry(text)
		return Job{URL: u, Bad: bad, Walk: p == &s.walks, Anchors: p == &s.others && state&isAnchors != 0, Depth: int(state >> depthBit)}, nil
	}
}

// Done keeps what came of a job. A job that is done already is left as it is. A
// Result without a URL is not kept.
func (s *Spool) Done(_ context.Context, j Job, r Result, found Found) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.change.Broadcast()
	what, bit := entry(j.URL, j.Bad), uint64(isLooked)
	if j.Walk {
		bit = isWalked
	}
	at, before, err := s.texts.put(what)
	if err != nil {
		return err
	}
	delete(s.taken, at)
	if before&bit != 0 {
		return nil
	}
	if err := s.add(j.URL, found); err != nil {
		return err
	}
	if at, before, err = s.texts.put(what); err != nil { // it may link to itself
		return err
	}
	after := before | bit
	if r.URL != "" {
		if after, err = s.result(after, r); err != nil {
			return err
		}
	}
	s.left.change(before, after)
	return s.texts.mark(what, at, after)
}

// result keeps a result, and returns the state that tells of it. Of two about
// one URL the one that says more is kept.
func (s *Spool) result(state uint64, r Result) (uint64, error) {
	if state&hasAnchors != 0 {
		return state, nil
	}
	data, err := json.Marshal(r)
	if err != nil {
		return state, err
	}
	place, err := s.results.write(append(binary.AppendUvarint(nil, uint64(len(data))), data...))
	if err != nil {
		return state, err
	}
	state = state&^(atMask|statusMask|hasMore) | uint64(place+1) | uint64(r.Status)<<statusBit
	if r.Status != Good || r.Moved() != "" || r.Anchors != nil {
		state |= hasMore
	}
	if r.Anchors != nil {
		state |= hasAnchors
	}
	return state, nil
}

// add keeps the links of a document, and jobs that were not taken before.
func (s *Spool) add(document string, found Found) error {
	if err := s.addLinks(document, found.Links); err != nil {
		return err
	}
	for _, j := range found.Jobs {
		if err := s.addJob(j); err != nil {
			return err
		}
	}
	return nil
}

func (s *Spool) addLinks(document string, links []Link) error {
	if len(links) == 0 {
		return nil
	}
	from, _, err := s.texts.put(document)
	if err != nil {
		return err
	}
	record := binary.AppendUvarint(nil, uint64(from))
	record = binary.AppendUvarint(record, uint64(len(links)))
	for _, l := range links {
		to, err := s.marked(entry(l.URL, l.Bad), isLink)
		if err != nil {
			return err
		}
		record = binary.AppendUvarint(record, uint64(to))
		record = binary.AppendUvarint(record, uint64(max(l.Line, 0)))
		record = binary.AppendUvarint(record, uint64(max(l.Column, 0)))
	}
	_, err = s.links.write(record)
	return err
}

// marked keeps a text with a bit of its state set.
func (s *Spool) marked(text string, bit uint64) (at int64, err error) {
	at, state, err := s.texts.put(text)
	if err != nil || state&bit != 0 {
		return at, err
	}
	return at, s.texts.mark(text, at, state|bit)
}

func (s *Spool) addJob(j Job) error {
	what := entry(j.URL, j.Bad)
	at, before, err := s.texts.put(what)
	if err != nil {
		return err
	}
	after := before | stateOf(j)
	if before&isWalk == 0 && j.Walk {
		after |= uint64(min(max(j.Depth, 0), mostDepth)) << depthBit
	}
	if after == before {
		return nil
	}
	s.left.change(before, after)
	if err := s.texts.mark(what, at, after); err != nil {
		return err
	}
	switch {
	case j.Walk:
		return s.walks.add(at, s.Part(j.URL))
	case before&isPlain == 0:
		return s.others.add(at, s.Part(j.URL))
	}
	return nil // only its fragments are wanted now, too
}

// stateOf returns the bits that a job adds to the state of its text.
func stateOf(j Job) uint64 {
	switch {
	case j.Walk:
		return isWalk
	case j.Anchors:
		return isPlain | isAnchors
	}
	return isPlain
}

// left counts the jobs that are not done, by the states of their texts.
type left struct {
	walks, others int
	levels        []int // of walks, by their depth
	lowest        int   // no level below has any
}

// change tells of a state that changes.
func (l *left) change(before, after uint64) {
	l.others += isLeft(after, isPlain, isLooked|isWalk) - isLeft(before, isPlain, isLooked|isWalk)
	more := isLeft(after, isWalk, isWalked) - isLeft(before, isWalk, isWalked)
	if more == 0 {
		return
	}
	depth := int(after >> depthBit)
	for len(l.levels) <= depth {
		l.levels = append(l.levels, 0)
	}
	l.walks += more
	l.levels[depth] += more
	l.lowest = min(l.lowest, depth)
}

// isLeft returns 1 if a job that was wanted is not done, else 0.
func isLeft(state, wanted, done uint64) int {
	if state&wanted != 0 && state&done == 0 {
		return 1
	}
	return 0
}

// level returns the depth of the walks that are done now, before all deeper ones.
func (l *left) level() int {
	for l.lowest < len(l.levels)-1 && l.levels[l.lowest] == 0 {
		l.lowest++
	}
	return l.lowest
}

// pending is a journal of jobs that are taken from its start.
type pending struct {
	journal
	at int64
}

// A record of pending is the place of a text, in 40 bits, and a part.
const pendingSize = atBits/8 + 1

func (p *pending) add(text int64, part int) error {
	record := binary.LittleEndian.AppendUint64(nil, uint64(text)|uint64(part)<<atBits)
	_, err := p.write(record[:pendingSize])
	return err
}

// peek returns the next job; io.EOF if there is none.
func (p *pending) peek() (text int64, part int, err error) {
	if p.at == p.size() {
		return 0, 0, io.EOF
	}
	var record [8]byte
	if _, err := p.ReadAt(record[:pendingSize], p.at); err != nil {
		return 0, 0, unexpected(err)
	}
	n := binary.LittleEndian.Uint64(record[:])
	return int64(n & atMask), int(n >> atBits), nil
}

func (p *pending) skip() { p.at += pendingSize }

// sequence returns what reads a journal from its start.
func sequence(j *journal) *bufio.Reader {
	return bufio.NewReaderSize(io.NewSectionReader(j, 0, j.size()), 64<<10)
}

// Results yields what came of the jobs so far, in the order in which they were
// done. No other method may be called meanwhile.
func (s *Spool) Results(context.Context) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		from := sequence(&s.results)
		for {
			r, err := readResult(from)
			if errors.Is(err, io.EOF) || !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// readResult returns io.EOF if there is nothing left.
func readResult(from *bufio.Reader) (r Result, err error) {
	n, err := binary.ReadUvarint(from)
	if err != nil {
		return r, err
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(from, data); err != nil {
		return r, unexpected(err)
	}
	return r, json.Unmarshal(data, &r)
}

// resultAt returns the result that a state tells of.
func (s *Spool) resultAt(state uint64) (Result, error) {
	at := int64(state&atMask) - 1
	r, err := readResult(bufio.NewReaderSize(io.NewSectionReader(&s.results, at, s.results.size()-at), 512))
	return r, unexpected(err)
}

// Sources yields the documents in the order in which they came. No other method
// may be called meanwhile.
func (s *Spool) Sources(context.Context) iter.Seq2[Source, error] {
	return func(yield func(Source, error) bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for group, err := range s.groups() {
			if err != nil {
				yield(Source{}, err)
				return
			}
			from, err := s.source(group)
			if !yield(from, err) || err != nil {
				return
			}
		}
	}
}

// A linkGroup is the links of a document, as places of their texts.
type linkGroup struct {
	document int64
	links    []linkAt
}

type linkAt struct {
	text         int64
	line, column int
}

// groups yields what addLinks has kept. A group is used before the next.
func (s *Spool) groups() iter.Seq2[linkGroup, error] {
	return func(yield func(linkGroup, error) bool) {
		var g linkGroup
		from := sequence(&s.links)
		for {
			document, err := binary.ReadUvarint(from)
			if errors.Is(err, io.EOF) {
				return
			}
			g.document, g.links = int64(document), g.links[:0]
			n := numbers{from: from, err: err}
			for left := n.next(); left > 0 && n.err == nil; left-- {
				g.links = append(g.links, linkAt{int64(n.next()), int(n.next()), int(n.next())})
			}
			if !yield(g, n.err) || n.err != nil {
				return
			}
		}
	}
}

// numbers reads numbers until there is an error.
type numbers struct {
	from *bufio.Reader
	err  error
}

func (n *numbers) next() uint64 {
	if n.err != nil {
		return 0
	}
	v, err := binary.ReadUvarint(n.from)
	n.err = unexpected(err)
	return v
}

func (s *Spool) source(g linkGroup) (from Source, err error) {
	if from.Document, _, err = s.texts.text(g.document); err != nil {
		return from, err
	}
	for _, l := range g.links {
		text, _, err := s.texts.text(l.text)
		if err != nil {
			return from, err
		}
		u, bad := ofEntry(text)
		from.Links = append(from.Links, Link{URL: u, Line: l.line, Column: l.column, Bad: bad})
	}
	return from, nil
}

// Close closes the files. The queue is not used any more.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all error
	for _, j := range []*journal{&s.texts.journal, &s.walks.journal, &s.others.journal, &s.links, &s.results} {
		all = errors.Join(all, j.close())
	}
	return all
}
