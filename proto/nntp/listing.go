package nntp

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"

	"locus/access"
	"locus/access/engine"
	"locus/url"
)

// listGroups requests the listing of all groups (RFC 3977 §7.6.3). Its entries are read from the
// connection one by one, because the listing may be larger than memory. The Body owns the
// connection.
func (s *serverConn) listGroups() (*access.Resource, error) {
	if _, err := s.doExpect(215, "LIST"); err != nil {
		return nil, err
	}
	st := &stream{serverConn: s, data: &dotReader{r: s.replies.R}}
	body := &groupList{stream: st, lines: lineReader{bufio.NewReaderSize(st, maxLine)}}
	return &access.Resource{Entry: access.Entry{URL: s.req.URL, Type: "text/plain", Size: -1}, Body: body, List: body}, nil
}

// A groupList is the Body and the List of all groups. Its bytes are the lines of LIST.
type groupList struct {
	*stream
	lines lineReader
}

// Next returns the entry of the next newsgroup. It skips empty lines, and fails after maxEmpty of
// them in a row. The error is io.EOF after the last group.
func (l *groupList) Next() (access.Entry, error) {
	for range maxEmpty {
		line, err := l.lines.next()
		if errors.Is(err, access.ErrTooLong) {
			err = l.fail(err)
		}
		if err != nil {
			return access.Entry{}, err
		}
		if g, ok := parseGroup(line); ok {
			return g.entry(l.to), nil
		}
	}
	return access.Entry{}, l.fail(fmt.Errorf("%w: %d empty lines", access.ErrTooLong, maxEmpty))
}

// maxEmpty limits the empty lines in a row of a listing of groups.
const maxEmpty = 10_000

// parseGroup parses a line of LIST: "misc.test 3002322 3000234 y", which has the highest number
// before the lowest. It returns false for an empty line. A line with only a name is a group with
// unknown numbers.
func parseGroup(line string) (Group, bool) {
	f := strings.Fields(line)
	if len(f) == 0 {
		return Group{}, false
	}
	g := Group{Name: f[0], Low: 1}
	if len(f) >= 4 {
		g.High, _ = strconv.ParseUint(f[1], 10, 64) // an invalid number becomes 0, which is unknown
		g.Low, _ = strconv.ParseUint(f[2], 10, 64)
		g.Status = f[3]
	}
	return g, true
}

// entry returns the entry of a group, for a listing of the server in to. A group whose name is
// invalid in a URL becomes an entry of the kind Info.
func (g Group) entry(to target) access.Entry {
	e := access.Entry{Title: g.Name, URL: to.groupURL(g.Name), Kind: access.Directory, Size: -1, Header: g.fields(), Sys: g}
	if e.URL.IsZero() {
		e.Kind = access.Info
	}
	return e
}

// listGroup returns the listing of the group that the URL names: the newest articles in the URL's
// range of numbers, at most Client.Window. It reads all of them, and closes the connection if it
// succeeds.
func (s *serverConn) listGroup() (*access.Resource, error) {
	g, err := s.selectGroup()
	if err != nil {
		return nil, err
	}
	window := cmp.Or(s.client.Window, defaultWindow)
	if window < 0 {
		window = math.MaxInt
	}
	low, high := max(g.Low, s.to.first, 1), min(g.High, s.to.last)
	found, left, err := s.newestArticles(low, high, window)
	if err != nil {
		return nil, err
	}
	s.quit()
	return listingOf(s.ctx, s.to, s.req.URL, found, low, left, g), nil
}

// newestArticles returns the newest articles with numbers from low to high, newest first, at most
// limit. rest is the highest number that the remaining articles may have; 0 if no articles remain.
//
// It first asks for limit numbers, then for twice as many, and so on, because expired articles can
// leave large gaps between numbers.
func (s *serverConn) newestArticles(low, high uint64, limit int) (found []header, rest uint64, err error) {
	for span := uint64(limit); high >= low && len(found) < limit; span = max(span, 2*span) {
		from := low
		if high-low >= span {
			from = high - span + 1
		}
		batch, rest, err := s.overviewsOf(from, high, limit-len(found))
		if err != nil {
			return nil, 0, err
		}
		sort.SliceStable(batch, func(i, j int) bool { return compareNumbers(batch[j], batch[i]) < 0 })
		batch = slices.CompactFunc(batch, func(a, b header) bool { return a.number == b.number })
		found = append(found, batch...)
		if rest > 0 || from == low {
			return found, rest, nil
		}
		high = from - 1
	}
	if high < low {
		return found, 0, nil
	}
	return found, high, nil
}

// overviewsOf returns the last articles with numbers from first to last, at most limit. It uses
// OVER or XOVER, or else the header of each article. rest is the highest number that the remaining
// articles may have; 0 if no articles remain.
func (s *serverConn) overviewsOf(first, last uint64, limit int) (found []header, rest uint64, err error) {
	commands := []string{"XOVER", "OVER"}
	if s.capabilities["OVER"] {
		commands = []string{"OVER", "XOVER"}
	}
	for _, command := range commands {
		found, rest, err = s.askOverviews(command, first, last, limit)
		if !isUnknownCommand(err) {
			return found, rest, err
		}
	}
	return s.askHeads(first, last, limit)
}

// maxOddRows limits the rows of an overview beyond one for each number.
//
// QUIRK: servers were seen to break rows at line ends in subjects, and to send rows twice.
const maxOddRows = 1000

// askOverviews returns the last articles with numbers from first to last, at most limit. It asks
// with command, OVER or XOVER (RFC 3977 §8.3, RFC 2980 §2.8). If the server lacks the command,
// isUnknownCommand(err) is true. rest is the highest number that the remaining articles may have; 0
// if no articles remain. It skips rows that are invalid or have another number.
func (s *serverConn) askOverviews(command string, first, last uint64, limit int) (found []header, rest uint64, err error) {
	_, err = s.doExpect(224, fmt.Sprintf("%s %d-%d", command, first, last))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	newest := ring{max: limit}
	lines := s.multiline()
	for n := first; ; n++ {
		line, err := lines.next()
		if access.IsEnd(err) {
			found, rest = newest.all()
			return found, rest, nil
		}
		tooLong := errors.Is(err, access.ErrTooLong)
		if tooLong {
			err = lines.skip()
		}
		if err != nil {
			return nil, 0, err
		}
		if n > last && n-last > maxOddRows {
			return nil, 0, fmt.Errorf("%w: more articles than numbers from %d to %d", access.ErrProtocol, first, last)
		}
		h, ok := parseOverview(line)
		if tooLong {
			h = tooLongHeader(h.number, maxLine)
		}
		if ok && h.number >= first && h.number <= last {
			newest.add(h)
		}
	}
}

// askHeads returns the last articles with numbers from first to last, at most limit. It asks for
// the header of each article, because the server has neither OVER nor XOVER. rest is the highest
// number that the remaining articles may have; 0 if no articles remain.
func (s *serverConn) askHeads(first, last uint64, limit int) (found []header, rest uint64, err error) {
	numbered, rest, err := s.askNumbers(first, last, limit)
	if err != nil {
		return nil, 0, err
	}
	for _, empty := range numbered {
		_, err := s.doExpect(221, fmt.Sprintf("HEAD %d", empty.number))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		block := &dotReader{r: s.replies.R}
		h, err := readHeader(bufio.NewReaderSize(block, maxLine))
		if errors.Is(err, access.ErrTooLong) {
			h, err = tooLongHeader(empty.number, maxHeader), skipBlock(block)
		}
		if err != nil {
			return nil, 0, err
		}
		h.number = empty.number
		found = append(found, h)
	}
	return found, rest, nil
}

// askNumbers returns headers that have only a number: the last article numbers from first to last,
// at most limit. rest is the highest number that the remaining articles may have; 0 if no articles
// remain. If the server cannot list numbers (RFC 977), askNumbers returns the last limit numbers of
// the range, whether or not they have articles.
func (s *serverConn) askNumbers(first, last uint64, limit int) (found []header, rest uint64, err error) {
	newest := ring{max: limit}
	_, err = s.doExpect(211, "LISTGROUP "+s.to.group)
	if isUnknownCommand(err) {
		n := last
		for ; n >= first && len(found) < limit; n-- {
			found = append(found, header{number: n})
		}
		if n < first {
			n = 0
		}
		return found, n, nil
	}
	if err != nil {
		return nil, 0, err
	}
	lines := s.multiline()
	for {
		line, err := lines.next()
		if access.IsEnd(err) {
			found, rest = newest.all()
			return found, rest, nil
		}
		if err != nil {
			return nil, 0, err
		}
		n, err := strconv.ParseUint(strings.TrimSpace(line), 10, 64)
		if err == nil && n >= first && n <= last {
			newest.add(header{number: n})
		}
	}
}

// A ring keeps the last headers that were added, at most max.
type ring struct {
	max     int
	headers []header
	added   int
}

// add adds h. If the ring is full, h replaces the oldest header.
func (r *ring) add(h header) {
	if len(r.headers) < r.max {
		r.headers = append(r.headers, h)
	} else {
		r.headers[r.added%r.max] = h
	}
	r.added++
}

// all returns the kept headers in the order in which they were added. rest is the number before the
// lowest kept number; 0 if no header was dropped.
func (r *ring) all() (kept []header, rest uint64) {
	if r.added <= r.max {
		return r.headers, 0
	}
	at := r.added % r.max
	kept = slices.Concat(r.headers[at:], r.headers[:at])
	return kept, slices.MinFunc(kept, compareNumbers).number - 1
}

func compareNumbers(a, b header) int { return cmp.Compare(a.number, b.number) }

// A body is the Body of a resource that is in memory or in a file of the spool.
type body struct {
	io.Reader
	ctx    context.Context
	url    url.URL
	file   fs.File // the file that Reader reads; nil if Reader reads from memory
	closed atomic.Bool
}

// check returns an error with the URL if the body is closed or its context is done.
func (b *body) check() error {
	err := context.Cause(b.ctx)
	if err == nil && b.closed.Load() {
		err = fs.ErrClosed
	}
	return engine.Fail("read", b.url, err)
}

// Read reads from the body until ctx is done or the body is closed. Its errors name the URL.
func (b *body) Read(p []byte) (int, error) {
	if err := b.check(); err != nil {
		return 0, err
	}
	n, err := b.Reader.Read(p)
	return n, engine.FailReading("read", b.url, err)
}

// Close closes the file of the body, if it has a file. A second Close returns nil.
func (b *body) Close() error {
	if b.closed.Swap(true) || b.file == nil {
		return nil
	}
	return b.file.Close()
}

// A listing is the Body and the List of a window of a group, or of the groups of a spool. Its bytes
// are lines of OVER, newest first, or names of groups.
type listing struct {
	body
	to       target
	articles []header       // the articles that Next returns next
	entries  []access.Entry // the entries that Next returns after the articles
}

// listingOf returns a Resource that lists the articles found, in their order. g is their group,
// and u the URL of the listing. If rest is not 0, older articles have numbers from low to rest,
// and the last entry links to their listing.
func listingOf(ctx context.Context, to target, u url.URL, found []header, low, rest uint64, g Group) *access.Resource {
	l := &listing{body: body{ctx: ctx, url: u}, to: to, articles: found}
	var text strings.Builder
	for _, h := range found {
		text.WriteString(h.line())
		text.WriteString("\r\n")
	}
	if rest > 0 {
		l.entries = append(l.entries, access.Entry{
			Title: fmt.Sprintf("older articles, up to number %d", rest),
			URL:   to.windowURL(low, rest), Kind: access.Directory, Size: -1,
		})
	}
	l.Reader = strings.NewReader(text.String())
	return &access.Resource{Entry: access.Entry{URL: u, Type: "text/plain", Size: -1, Header: g.fields(), Sys: g}, Body: l, List: l}
}

// Next returns the articles, and then the other entries, such as the link to the next window. The
// error is io.EOF after the last one.
func (l *listing) Next() (access.Entry, error) {
	if err := l.check(); err != nil {
		return access.Entry{}, err
	}
	switch {
	case len(l.articles) > 0:
		e := l.articles[0].entry(l.to)
		l.articles = l.articles[1:]
		return e, nil
	case len(l.entries) > 0:
		e := l.entries[0]
		l.entries = l.entries[1:]
		return e, nil
	}
	return access.Entry{}, io.EOF
}
