package sync

import (
	"errors"
	"slices"
	"strings"
	"time"

	"locus/access"
	"locus/internal/record"
	"locus/internal/spill"
	"locus/url"
)

// A taskQueue has tasks in memory or in a file.
type taskQueue = spill.Queue[task]

// newTasks returns an empty queue of tasks. A task takes about 30 bytes, plus the bytes that
// its URL does not share with the URL before:
//
//	flags kind standard level size [seconds nanoseconds] shared rest URL… start length [name…] length title… [length unique…] [parts]
//	                                                      \______________/ \____________________/
//	                                                      the URL         the name: often a part of the URL
func newTasks(s *spill.Store) *taskQueue {
	var c taskCodec
	return spill.NewQueue(s, spill.Codec[task]{Encode: c.encode, Decode: c.decode})
}

// A taskCodec writes and reads tasks.
type taskCodec struct {
	standards []url.Standard // of the URLs, by number
}

const (
	flagDir byte = 1 << iota
	flagAbsent
	flagTime
	flagUnique
	flagPart
)

// flags returns the first byte of the encoded task: which fields are set.
func (t task) flags() (flags byte) {
	for _, one := range []struct {
		flag  byte
		isSet bool
	}{
		{flagDir, t.isDir}, {flagAbsent, t.absent}, {flagTime, !t.modTime.IsZero()}, {flagUnique, t.unique != ""}, {flagPart, t.parts > 0},
	} {
		if one.isSet {
			flags |= one.flag
		}
	}
	return flags
}

// encode writes t to w. decode reads it.
func (c *taskCodec) encode(w *record.Writer, t task) {
	flags := t.flags()
	w.Data = append(w.Data, flags, byte(t.kind), c.numberOf(t.url.Standard()))
	w.Uint(uint64(t.level))
	w.Int(t.size)
	if flags&flagTime != 0 {
		w.Int(t.modTime.Unix())
		w.Uint(uint64(t.modTime.Nanosecond()))
	}
	text := t.url.String()
	w.Similar(text)
	if start := strings.Index(text, t.name); start >= 0 {
		w.Uint(uint64(start) + 1)
		w.Uint(uint64(len(t.name)))
	} else {
		w.Uint(0)
		w.Text(t.name)
	}
	w.Text(t.title)
	if t.unique != "" {
		w.Text(t.unique)
	}
	if t.parts > 0 {
		w.Uint(uint64(t.parts))
	}
}

// numberOf returns the index of std in standards. It adds std if standards lacks it.
func (c *taskCodec) numberOf(std url.Standard) byte {
	if i := slices.Index(c.standards, std); i >= 0 {
		return byte(i)
	}
	c.standards = append(c.standards, std)
	return byte(len(c.standards) - 1)
}

// decode reads a task that encode has written. Damaged bytes are an error.
func (c *taskCodec) decode(r *record.Reader, _ task) (t task, err error) {
	flags, kind, std := r.Byte(), r.Byte(), r.Byte()
	t.isDir, t.absent, t.kind = flags&flagDir != 0, flags&flagAbsent != 0, access.Kind(kind)
	t.level, t.size = int(r.Uint()), r.Int()
	if flags&flagTime != 0 {
		seconds := r.Int()
		t.modTime = time.Unix(seconds, int64(r.Uint())).UTC()
	}
	text := r.Similar()
	if r.Err() != nil || int(std) >= len(c.standards) {
		return t, errors.Join(spill.ErrDamaged, r.Err())
	}
	if text != "" {
		if t.url, err = c.standards[std].Parse(text); err != nil {
			return t, err
		}
	}
	switch start := r.Uint(); start {
	case 0:
		t.name = r.Text()
	default:
		start, n := start-1, r.Uint()
		if start > uint64(len(text)) || n > uint64(len(text))-start {
			return t, spill.ErrDamaged
		}
		t.name = text[start : start+n]
	}
	t.title = r.Text()
	if flags&flagUnique != 0 {
		t.unique = r.Text()
	}
	if flags&flagPart != 0 {
		t.parts = int(r.Uint())
	}
	return t, r.Err()
}
