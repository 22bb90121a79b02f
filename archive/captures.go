package archive

import (
	"iter"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"locus/access"
	"locus/internal/weburl"
	"locus/url"
)

// Captures yields an entry for each URL that the archive opens, in the order of the URLs. The Title is
// the URL, and ModTime is the time of the capture that the archive opens. The Header has the
// status of a response other than 200, and the number of captures if there are several.
func (a *Archive) Captures() iter.Seq[access.Entry] {
	return func(yield func(access.Entry) bool) {
		for _, key := range a.keys() {
			if e, ok := a.entryOf(a.captures[key]); ok && !yield(e) {
				return
			}
		}
	}
}

// Recorded returns the time of the capture that the archive opens for u. ok is false if the archive
// cannot open u.
func (a *Archive) Recorded(u url.URL) (at time.Time, ok bool) {
	e, err := a.find(&access.Request{Op: access.Get, URL: u})
	if err != nil {
		e, err = a.find(&access.Request{Op: access.Stat, URL: u})
	}
	return e.date, err == nil
}

// keys returns the keys of captures, sorted. It sorts them only once, because an archive may have
// millions.
func (a *Archive) keys() []string {
	a.sort.Do(func() { a.sorted = slices.Sorted(maps.Keys(a.captures)) })
	return a.sorted
}

// entryOf returns the entry for a URL in the list of captures. captures are the captures of the
// URL. The entry describes the best capture, and counts the captures that Get can open. ok is false
// if Get cannot open any.
func (a *Archive) entryOf(captures []entry) (listed access.Entry, ok bool) {
	var best entry
	rank, n := 0, 0
	for _, e := range captures {
		r := a.rankOf(e, access.Get)
		if r > 0 {
			n++
		}
		if r > 0 && r >= rank {
			best, rank = e, r
		}
	}
	u, err := weburl.Parse(best.target)
	if rank == 0 || err != nil {
		return access.Entry{}, false
	}
	listed = access.Entry{Title: best.target, URL: u, Kind: access.Object, Type: bareType(best.mime), Size: -1, ModTime: best.date}
	switch {
	case best.mime == mediaListing:
		listed.Kind, listed.Type = access.Directory, ""
	case best.mime == mediaMoved:
		listed.Kind, listed.Type = access.Link, ""
	}
	if best.status != 0 && best.status != http.StatusOK {
		listed.Header = append(listed.Header, access.Field{Name: "Status", Value: strconv.Itoa(best.status)})
	}
	if n > 1 {
		listed.Header = append(listed.Header, access.Field{Name: "Captures", Value: strconv.Itoa(n)})
	}
	return listed, true
}
