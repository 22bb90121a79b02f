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

// Next returns the next entry. After a transient failure it opens the resource again.
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

// add records that Next returns e, so that skip can recognise e in a list that is opened again.
func (l *listing) add(e access.Entry) {
	addEntry(&l.sum, e)
	l.count++
	l.attempts.received = true
	if l.count%resetEntries == 0 {
		l.attempts.reset()
	}
}

// addEntry adds to sum the fields by which two entries differ.
func addEntry(sum *maphash.Hash, e access.Entry) {
	fmt.Fprintf(sum, "%q %q %d %d %d\n", e.Title, e.URL, e.Kind, e.Size, e.ModTime.Unix())
}

// reopenList opens the list after the entries that have been returned, with retries.
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

// openAtEntry makes one attempt to open the list after the entries that have been returned.
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

// skip reads the entries that have been returned before. It returns an error if they have changed.
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
