package retry

import (
	"fmt"
	"hash/maphash"

	"locus/access"
)

// resetEntries is the number of new entries that reset the count of failures.
const resetEntries = 100

// A listing is the Body and the List of a resource. After a transient failure it opens the resource again, reads the
// entries that it has returned before, and compares them.
type listing struct {
	*body
	list    access.Lister // of the last attempt
	count   int           // the number of entries that have been returned
	sum     maphash.Hash  // the hash of these entries
	listErr error         // why the list broke off; nil if list can be read
}

// Next returns the next entry, and io.EOF after the last one. After a transient failure it opens the resource again
// and continues after the entries that it has returned.
func (l *listing) Next() (access.Entry, error) {
	for {
		if l.listErr != nil {
			if err := l.reopenList(); err != nil {
				return access.Entry{}, err
			}
		}
		e, err := l.list.Next()
		switch {
		case err == nil:
			l.add(e)
			return e, nil
		case access.IsEnd(err):
			return access.Entry{}, err
		}
		l.listErr = err
		l.conn.Close()
	}
}

// add counts e as an entry that Next returns and adds it to the hash, with which skip compares the entries of a
// later attempt. Every resetEntries entries it resets the count of failures.
func (l *listing) add(e access.Entry) {
	addEntry(&l.sum, e)
	l.count++
	l.attempts.received = true
	if l.count%resetEntries == 0 {
		l.attempts.reset()
	}
}

// addEntry adds e to the hash sum: its title, URL, kind, size and time, to the second.
func addEntry(sum *maphash.Hash, e access.Entry) {
	fmt.Fprintf(sum, "%q %q %d %d %d\n", e.Title, e.URL, e.Kind, e.Size, e.ModTime.Unix())
}

// reopenList waits, and opens the list after the entries that have been returned, with retries, after Next failed
// with listErr. If it succeeds, it sets listErr to nil.
func (l *listing) reopenList() error {
	err := l.attempts.wait(l.ctx, l.listErr)
	if err == nil {
		err = l.attempts.repeat(l.ctx, l.openAtEntry)
	}
	if err == nil {
		l.listErr = nil
	}
	return err
}

// openAtEntry makes one attempt to open the list and to skip the entries that have been returned. It sets l.list if
// it succeeds.
func (l *listing) openAtEntry() error {
	r, err := l.do(&l.req)
	if err != nil {
		return err
	}
	if err := l.skip(r.List); err != nil {
		r.Body.Close()
		return err
	}
	l.list = r.List
	return nil
}

// skip reads as many entries from list as have been returned. The error wraps access.ErrChanged if the entries
// differ, if list has fewer, or if list is nil.
func (l *listing) skip(list access.Lister) error {
	changed := &access.Error{Op: "list", URL: l.req.URL, Err: access.ErrChanged}
	if list == nil {
		return changed
	}
	var again maphash.Hash
	again.SetSeed(l.sum.Seed())
	for range l.count {
		e, err := list.Next()
		if access.IsEnd(err) {
			return changed
		}
		if err != nil {
			return err
		}
		addEntry(&again, e)
	}
	if again.Sum64() != l.sum.Sum64() {
		return changed
	}
	return nil
}
