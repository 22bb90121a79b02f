package retry

import (
	"fmt"
	"hash/maphash"

	"locus/access"
)

// resetEntries is how many entries reset the count of failures.
const resetEntries = 100

// A listing is the Body and the List of a resource. After a failure it opens the resource
// again, reads the entries that were returned before, and compares them.
type listing struct {
	*body
	list    access.Lister // of the last access
	count   int           // entries that were returned
	sum     maphash.Hash  // of them
	listErr error         // why the list broke off; nil while it can be read
}

// Next returns the next entry, and opens the resource again after a transient failure.
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

// add records that e was returned.
func (l *listing) add(e access.Entry) {
	addEntry(&l.sum, e)
	l.count++
	l.attempts.received = true
	if l.count%resetEntries == 0 {
		l.attempts.reset()
	}
}

// addEntry adds what makes an entry another one.
func addEntry(sum *maphash.Hash, e access.Entry) {
	fmt.Fprintf(sum, "%q %q %d %d %d\n", e.Title, e.URL, e.Kind, e.Size, e.ModTime.Unix())
}

// reopenList opens the list after the entries that were returned.
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

// openAtEntry makes one attempt to open the list after the entries that were returned.
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

// skip reads the entries that were returned before, and returns an error if they are
// others.
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
