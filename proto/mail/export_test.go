package mail

import (
	"os"
	"time"
)

// MboxWithOffset returns an mbox whose index has a message and its part, twice,
// at an offset that may be wrong.
func MboxWithOffset(root *os.Root, name string, offset int64, messageID, contentID string) *Mbox {
	e := entry{offset: offset, parts: true, ids: []uint64{hashMessageID(messageID), hashContentID(contentID)}}
	return &Mbox{Root: root, Name: name, index: &index{entries: []entry{e, e}}}
}

// SetClock makes m take the time from now.
func (m *Maildir) SetClock(now func() time.Time) { m.now = now }
