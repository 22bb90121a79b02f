package nntp

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"locus/access"
	"locus/url"
)

// listGroups opens the listing of all groups (RFC 3977 §7.6.3), which may be
// longer than memory.
func (s *session) listGroups() (*access.Resource, error) {
	if _, err := s.must(215, "LIST"); err != nil {
		return nil, err
	}
	st := &stream{session: s, block: &dots{r: s.replies.R}}
	body := &groupList{stream: st, lines: lines{bufio.NewReaderSize(st, maxLine)}}
	return &access.Resource{Entry: access.Entry{URL: s.req.URL, Type: "text/plain", Size: -1}, Body: body, List: body}, nil
}

// A groupList is the Body of the listing of all groups. Its octets are the lines
// of LIST.
type groupList struct {
	*stream
	lines lines
}

// Next returns the next group.
func (l *groupList) Next() (access.Entry, error) {
	for {
		line, err := l.lines.next()
		if errors.Is(err, access.ErrTooLong) {
			err = l.fail(err)
		}
		if err != nil {
			return access.Entry{}, err
		}
		if g, ok := readGroup(line); ok {
			return g.entry(l.to), nil
		}
	}
}

// readGroup reads a line of LIST: "misc.test 3002322 3000234 y".
func readGroup(line string) (Group, bool) {
	f := strings.Fields(line)
	if len(f) == 0 {
		return Group{}, false
	}
	g := Group{Name: f[0], Low: 1}
	if len(f) >= 4 {
		g.High, _ = strconv.ParseUint(f[1], 10, 64) // what is no number is unknown
		g.Low, _ = strconv.ParseUint(f[2], 10, 64)
		g.Status = f[3]
	}
	return g, true
}

// entry returns the entry for a group.
func (g Group) entry(to target) access.Entry {
	e := access.Entry{Title: g.Name, URL: to.groupURL(g.Name), Kind: access.Directory, Size: -1, Sys: g}
	if e.URL.IsZero() {
		e.Kind = access.Info
	}
	return e
}

// listGroup opens the window of a group that the URL names.
func (s *session) listGroup() (*access.Resource, error) {
	g, err := s.group()
	if err != nil {
		return nil, err
	}
	low, high := max(g.Low, s.to.first, 1), min(g.High, s.to.last)
	found, left, err := s.newest(low, high, s.client.window())
	if err != nil {
		return nil, err
	}
	s.quit()
	return listingOf(s.ctx, s.to, s.req.URL, found, low, left, g), nil
}

func (c Client) window() int {
	if c.Window > 0 {
		return c.Window
	}
	return defaultWindow
}

// newest returns the newest articles from low to high, the newest first, no more
// than most, and the number up to which more are left; 0 if none are.
//
// Numbers may have large gaps where articles have expired. It looks at as many
// numbers as it wants articles, and then at twice as many, and so on.
func (s *session) newest(low, high uint64, most int) (found []header, left uint64, err error) {
	for span := uint64(most); high >= low && len(found) < most; span = max(span, 2*span) {
		from := low
		if high-low >= span {
			from = high - span + 1
		}
		batch, left, err := s.overviews(from, high, most-len(found))
		if err != nil {
			return nil, 0, err
		}
		slices.SortStableFunc(batch, func(a, b header) int { return cmp.Compare(b.number, a.number) })
		found = append(found, batch...)
		if left > 0 {
			return found, left, nil
		}
		if from == low {
			return found, 0, nil
		}
		high = from - 1
	}
	if high < low {
		return found, 0, nil
	}
	return found, high, nil
}

// overviews returns the last articles from first to last, no more than most, and
// the number up to which others are left, 0 if none are, in the best way that the
// server knows.
func (s *session) overviews(first, last uint64, most int) (found []header, left uint64, err error) {
	commands := []string{"XOVER", "OVER"}
	if s.has("OVER") {
		commands = []string{"OVER", "XOVER"}
	}
	for _, command := range commands {
		found, left, err = s.over(command, first, last, most)
		if !isUnknown(err) {
			return found, left, err
		}
	}
	return s.heads(first, last, most)
}

// over asks for overviews (RFC 3977 §8.3, RFC 2980 §2.8).
func (s *session) over(command string, first, last uint64, most int) (found []header, left uint64, err error) {
	_, err = s.must(224, fmt.Sprintf("%s %d-%d", command, first, last))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	kept := ring[header]{most: most}
	lines := s.lines()
	for n := first; ; n++ {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return kept.all(), leftBy(kept, header.at), nil
		}
		tooLong := errors.Is(err, access.ErrTooLong)
		if tooLong {
			err = lines.skip()
		}
		if err != nil {
			return nil, 0, err
		}
		if n > last {
			return nil, 0, fmt.Errorf("%w: more articles than there are numbers from %d to %d", access.ErrProtocol, first, last)
		}
		h, ok := readOverview(line)
		if tooLong {
			h = unread(h.number, maxLine)
		}
		if ok && h.number >= first && h.number <= last {
			kept.add(h)
		}
	}
}

// heads asks for the header of each article, at servers that have no overviews.
func (s *session) heads(first, last uint64, most int) (found []header, left uint64, err error) {
	numbers, left, err := s.numbers(first, last, most)
	if err != nil {
		return nil, 0, err
	}
	for _, number := range numbers {
		_, err := s.must(221, fmt.Sprintf("HEAD %d", number))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		block := &dots{r: s.replies.R}
		h, err := readHeader(bufio.NewReaderSize(block, maxLine))
		if errors.Is(err, access.ErrTooLong) {
			h, err = unread(number, maxHeader), skipBlock(block)
		}
		if err != nil {
			return nil, 0, err
		}
		h.number = number
		found = append(found, h)
	}
	return found, left, nil
}

// numbers returns the last numbers from first to last that articles have, no
// more than most, and up to where others are left. At a server that does not list
// them (RFC 977) any number may be one.
func (s *session) numbers(first, last uint64, most int) (found []uint64, left uint64, err error) {
	kept := ring[uint64]{most: most}
	_, err = s.must(211, "LISTGROUP "+s.to.group)
	if isUnknown(err) {
		n := last
		for ; n >= first && len(found) < most; n-- {
			found = append(found, n)
		}
		if n < first {
			n = 0
		}
		return found, n, nil
	}
	if err != nil {
		return nil, 0, err
	}
	lines := s.lines()
	for {
		line, err := lines.next()
		if errors.Is(err, io.EOF) {
			return kept.all(), leftBy(kept, func(n uint64) uint64 { return n }), nil
		}
		if err != nil {
			return nil, 0, err
		}
		n, err := strconv.ParseUint(strings.TrimSpace(line), 10, 64)
		if err == nil && n >= first && n <= last {
			kept.add(n)
		}
	}
}

// A ring keeps the last of what is added.
type ring[T any] struct {
	most  int
	kept  []T
	added int
}

func (r *ring[T]) add(v T) {
	if len(r.kept) < r.most {
		r.kept = append(r.kept, v)
	} else {
		r.kept[r.added%r.most] = v
	}
	r.added++
}

// full reports whether more were added than are kept.
func (r *ring[T]) full() bool { return r.added > r.most }

// all returns what is kept, in the order it was added.
func (r *ring[T]) all() []T {
	if !r.full() {
		return r.kept
	}
	at := r.added % r.most
	return slices.Concat(r.kept[at:], r.kept[:at])
}

// leftBy returns the number before all that are kept, if others were not; 0 if
// all were.
func leftBy[T any](kept ring[T], number func(T) uint64) uint64 {
	if !kept.full() {
		return 0
	}
	lowest := number(kept.kept[0])
	for _, v := range kept.kept {
		lowest = min(lowest, number(v))
	}
	return lowest - 1
}

// A listing is the Body of a group: a window of it, and the way to the rest. Its
// octets are lines as OVER gives them, newest first.
type listing struct {
	ctx     context.Context
	url     url.URL
	entries []access.Entry
	text    *strings.Reader
	closed  atomic.Bool
}

// listingOf returns the listing of articles, after which those from low to left
// are left.
func listingOf(ctx context.Context, to target, u url.URL, found []header, low, left uint64, g Group) *access.Resource {
	l := &listing{ctx: ctx, url: u}
	var text strings.Builder
	for _, h := range found {
		l.entries = append(l.entries, h.entry(to))
		text.WriteString(h.line())
		text.WriteString("\r\n")
	}
	if left > 0 {
		l.entries = append(l.entries, access.Entry{
			Title: fmt.Sprintf("older articles, up to number %d", left),
			URL:   to.windowURL(low, left), Kind: access.Directory, Size: -1,
		})
	}
	l.text = strings.NewReader(text.String())
	return &access.Resource{Entry: access.Entry{URL: u, Type: "text/plain", Size: -1, Sys: g}, Body: l, List: l}
}

// Next returns the next entry.
func (l *listing) Next() (access.Entry, error) {
	if err := l.why(); err != nil {
		return access.Entry{}, err
	}
	if len(l.entries) == 0 {
		return access.Entry{}, io.EOF
	}
	e := l.entries[0]
	l.entries = l.entries[1:]
	return e, nil
}

func (l *listing) Read(p []byte) (int, error) {
	if err := l.why(); err != nil {
		return 0, err
	}
	return l.text.Read(p)
}

// why returns why there is no more; nil if there may be.
func (l *listing) why() error {
	err := l.ctx.Err()
	if err == nil && l.closed.Load() {
		err = fs.ErrClosed
	}
	if err == nil {
		return nil
	}
	return access.Fail("read", l.url, err)
}

// Close ends the listing.
func (l *listing) Close() error {
	l.closed.Store(true)
	return nil
}
