package check

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// texts keeps each text once, in a journal, with a word of state. In memory it
// has 8 octets for each, and some that are free:
//
//	tag of the text, 24 bits | where it is in the journal + 1, 40 bits
//
// Two texts of one tag are told apart by reading them.
type texts struct {
	journal
	seed   maphash.Seed
	shards [textShards]textShard
	recent [4096]recentText
	buffer []byte
}

const (
	textShards = 64
	textHead   = 12 // a state of 8 octets and a length of 4
	atBits     = 40
	atMask     = 1<<atBits - 1
)

// A textShard is a hash table in which a text is at, or next after, the place
// that its tag tells. So it can grow without the texts.
type textShard struct {
	slots []uint64
	used  int
}

// A recentText saves reading a text that stands on page after page.
type recentText struct {
	text  string
	at    int64
	state uint64
}

func newTexts(create func() (File, error)) texts {
	return texts{journal: journal{create: create}, seed: maphash.MakeSeed()}
}

// hash returns where a text belongs.
func (t *texts) hash(s string) (shard *textShard, tag uint64, recent *recentText) {
	h := maphash.String(t.seed, s)
	return &t.shards[h%textShards], h >> atBits, &t.recent[h>>6%uint64(len(t.recent))]
}

// find returns where a text is, and its state; ok is false if it is nowhere.
func (t *texts) find(s string) (at int64, state uint64, ok bool, err error) {
	shard, tag, recent := t.hash(s)
	if recent.text == s && s != "" {
		return recent.at, recent.state, true, nil
	}
	for slot := range shard.from(tag) {
		if slot>>atBits != tag {
			continue
		}
		at = int64(slot&atMask) - 1
		text, state, err := t.text(at)
		if err != nil {
			return 0, 0, false, err
		}
		if text == s {
			*recent = recentText{text, at, state}
			return at, state, true, nil
		}
	}
	return 0, 0, false, nil
}

// put finds a text, or keeps it with a state of 0.
func (t *texts) put(s string) (at int64, state uint64, err error) {
	at, state, ok, err := t.find(s)
	if ok || err != nil {
		return at, state, err
	}
	t.buffer = append(t.buffer[:0], make([]byte, 8)...)
	t.buffer = binary.LittleEndian.AppendUint32(t.buffer, uint32(len(s)))
	t.buffer = append(t.buffer, s...)
	if at, err = t.write(t.buffer); err != nil {
		return 0, 0, err
	}
	shard, tag, recent := t.hash(s)
	shard.add(tag<<atBits | uint64(at+1))
	*recent = recentText{s, at, 0}
	return at, 0, nil
}

// text reads the text at a place, and its state.
func (t *texts) text(at int64) (string, uint64, error) {
	const most = 256 // that is read at once
	if cap(t.buffer) < most {
		t.buffer = make([]byte, most)
	}
	p := t.buffer[:min(most, t.size()-at)]
	if _, err := t.ReadAt(p, at); err != nil {
		return "", 0, unexpected(err)
	}
	state, n := binary.LittleEndian.Uint64(p), int(binary.LittleEndian.Uint32(p[8:]))
	if textHead+n <= len(p) {
		return string(p[textHead : textHead+n]), state, nil
	}
	long := make([]byte, n)
	if _, err := t.ReadAt(long, at+textHead); err != nil {
		return "", 0, unexpected(err)
	}
	return string(long), state, nil
}

// mark gives the text at a place a state.
func (t *texts) mark(s string, at int64, state uint64) error {
	if _, _, recent := t.hash(s); recent.text == s {
		recent.state = state
	}
	var p [8]byte
	binary.LittleEndian.PutUint64(p[:], state)
	return t.patch(p[:], at)
}

// each calls do with every text, in the order in which they came.
func (t *texts) each(do func(s string, at int64, state uint64) error) error {
	for at, end := int64(0), t.size(); at < end; {
		s, state, err := t.text(at)
		if err != nil {
			return err
		}
		if err := do(s, at, state); err != nil {
			return err
		}
		at += textHead + int64(len(s))
	}
	return nil
}

// place returns where the slot of a tag is, or is looked for first.
func (h *textShard) place(tag uint64) int {
	place, _ := bits.Mul64(tag<<atBits, uint64(len(h.slots)))
	return int(place)
}

// from yields the slots from that of a tag to the next that is free.
func (h *textShard) from(tag uint64) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		if len(h.slots) == 0 {
			return
		}
		for i := h.place(tag); h.slots[i] != 0; i = (i + 1) % len(h.slots) {
			if !yield(h.slots[i]) {
				return
			}
		}
	}
}

func (h *textShard) add(slot uint64) {
	if 5*(h.used+1) > 4*len(h.slots) {
		old := h.slots
		h.slots = make([]uint64, max(16, len(old)+len(old)/2))
		for _, s := range old {
			if s != 0 {
				h.insert(s)
			}
		}
	}
	h.used++
	h.insert(slot)
}

func (h *textShard) insert(slot uint64) {
	i := h.place(slot >> atBits)
	for h.slots[i] != 0 {
		i = (i + 1) % len(h.slots)
	}
	h.slots[i] = slot
}
