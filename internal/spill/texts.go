package spill

import (
	"encoding/binary"
	"hash/maphash"
	"io"
	"math/bits"
	"slices"
)

// Texts is a set of texts in a Log, each with a state of 64 bits. A hash table in memory
// has 8 bytes for each text:
//
//	tag of the text, 24 bits | its offset in the Log + 1, 40 bits
//
// If two texts have the same tag, Find reads them to compare them.
type Texts struct {
	Log
	seed   maphash.Seed
	shards [textShards]textShard
	recent []recentText
	blocks []textBlock
	buffer []byte
}

const (
	textShards = 64
	TextHead   = 12 // a state of 8 bytes and a length of 4
	OffsetBits = 40
	OffsetMask = 1<<OffsetBits - 1
)

// TextsInMemory is how many bytes of texts stay in memory. It is large because a text is
// read or changed for each link, each job and each result.
const TextsInMemory = 8 << 20

// A textShard is a hash table with linear probing. Only the tag decides the slot of a
// text, so the table can grow without reading texts.
type textShard struct {
	slots []uint64
	used  int
}

// RecentTexts is how many texts are cached. A cache helps because the pages of a site
// repeat many links.
const RecentTexts = 4096

// A recentText is a cached text.
type recentText struct {
	text  string
	at    int64
	state uint64
}

// A textBlock is a part of the file that was read lately. It starts at a multiple of blockSize.
type textBlock struct {
	at       int64
	data     []byte // blockSize bytes, and the start of a text that begins in them; shorter at the end
	from, to int    // the changed part of data that is not written yet; both are 0 without changes
}

const (
	blockSize  = 4 << 10
	textBlocks = 512 // how many blocks are kept: 2 MiB
)

// NewTexts returns an empty set. recent is the number of texts that it caches. It keeps the last
// inMemory bytes of texts in memory; 0 means TailSize. create makes the file for the other texts,
// when it is first needed.
func NewTexts(create func() (File, error), recent, inMemory int) Texts {
	return Texts{
		Log: Log{Create: create, Most: inMemory}, seed: maphash.MakeSeed(),
		recent: make([]recentText, recent), blocks: make([]textBlock, max(recent*textBlocks/RecentTexts, 1)),
	}
}

// hash returns the shard of a text, its tag, and the entry of the cache in which the text may
// be.
func (t *Texts) hash(s string) (shard *textShard, tag uint64, recent *recentText) {
	h := maphash.String(t.seed, s)
	return &t.shards[h%textShards], h >> OffsetBits, &t.recent[h>>6%uint64(len(t.recent))]
}

// Find returns the offset and the state of a text. ok is false if the set lacks the text.
func (t *Texts) Find(s string) (at int64, state uint64, ok bool, err error) {
	shard, tag, recent := t.hash(s)
	if recent.text == s && s != "" {
		return recent.at, recent.state, true, nil
	}
	for slot := range shard.from(tag) {
		if slot>>OffsetBits != tag {
			continue
		}
		at = int64(slot&OffsetMask) - 1
		text, state, err := t.read(at)
		if err != nil {
			return 0, 0, false, err
		}
		if string(text) == s {
			*recent = recentText{s, at, state}
			return at, state, true, nil
		}
	}
	return 0, 0, false, nil
}

// Put adds a text with state 0, unless the set has it, and returns the offset and the state of
// the text.
func (t *Texts) Put(s string) (at int64, state uint64, err error) {
	at, state, ok, err := t.Find(s)
	if ok || err != nil {
		return at, state, err
	}
	t.buffer = append(t.buffer[:0], make([]byte, 8)...)
	t.buffer = binary.LittleEndian.AppendUint32(t.buffer, uint32(len(s)))
	t.buffer = append(t.buffer, s...)
	if at, err = t.Append(t.buffer); err != nil {
		return 0, 0, err
	}
	shard, tag, recent := t.hash(s)
	shard.add(tag<<OffsetBits | uint64(at+1))
	*recent = recentText{s, at, 0}
	return at, 0, nil
}

// textStart is how many bytes of a text are read at first. Most texts are shorter.
const textStart = 256

// Text returns the text at an offset that Put has returned, and its state.
func (t *Texts) Text(at int64) (string, uint64, error) {
	text, state, err := t.read(at)
	return string(text), state, err
}

// read returns the text at an offset, and its state. The bytes are valid until the next call,
// because read does not copy them.
func (t *Texts) read(at int64) (text []byte, state uint64, err error) {
	p, err := t.start(at)
	if err != nil {
		return nil, 0, unexpected(err)
	}
	state, n := binary.LittleEndian.Uint64(p), int(binary.LittleEndian.Uint32(p[8:]))
	if TextHead+n <= len(p) {
		return p[TextHead : TextHead+n], state, nil
	}
	t.buffer = slices.Grow(t.buffer[:0], n)[:n]
	if _, err := t.ReadAt(t.buffer, at+TextHead); err != nil {
		return nil, 0, unexpected(err)
	}
	return t.buffer, state, nil
}

// start returns the first bytes of the entry at an offset, up to textStart of them. They are
// valid until the next call. It reads the block of the offset into the cache if necessary.
func (t *Texts) start(at int64) ([]byte, error) {
	n := min(textStart, t.Size()-at)
	switch {
	case at >= t.base:
		return t.tail[at-t.base:][:n], nil
	case at+n > t.base:
		t.buffer = slices.Grow(t.buffer[:0], textStart)[:n]
		_, err := t.ReadAt(t.buffer, at)
		return t.buffer, err
	}
	b, from := t.block(at)
	if b.at != from || at+n > from+int64(len(b.data)) {
		if err := t.writeBlock(b); err != nil {
			return nil, err
		}
		b.at, b.data = from, slices.Grow(b.data[:0], blockSize+textStart)[:min(blockSize+textStart, t.base-from)]
		if _, err := t.ReadAt(b.data, from); err != nil {
			b.data = nil
			return nil, err
		}
	}
	return b.data[at-from:][:n], nil
}

// block returns the cache entry for the block that contains an offset, and the offset of that
// block. The entry may still have another block.
func (t *Texts) block(at int64) (b *textBlock, from int64) {
	n := at / blockSize
	return &t.blocks[n%int64(len(t.blocks))], n * blockSize
}

// SetState sets the state of the text s, which is at an offset that Put has returned. If the
// text is in the file, only the cached block changes. It is written later, together with the
// states of neighbors, because most jobs end in the order of their texts.
func (t *Texts) SetState(s string, at int64, state uint64) error {
	if _, _, recent := t.hash(s); recent.text == s {
		recent.state = state
	}
	if at+textStart <= t.base {
		p, err := t.start(at)
		if err != nil {
			return unexpected(err)
		}
		binary.LittleEndian.PutUint64(p, state)
		b, from := t.block(at)
		b.change(int(at-from), 8)
		return nil
	}
	t.buffer = binary.LittleEndian.AppendUint64(t.buffer[:0], state)
	if b, from := t.block(at); b.at == from && at-from < int64(len(b.data)) {
		copy(b.data[at-from:], t.buffer)
	}
	return t.Patch(t.buffer, at)
}

// change extends the changed part of the block so that it includes the size bytes at an offset in
// the block.
func (b *textBlock) change(at, size int) {
	if b.from == b.to {
		b.from, b.to = at, at+size
	}
	b.from, b.to = min(b.from, at), max(b.to, at+size)
}

// writeBlock writes the changed part of a block to the Log. It does not write the bytes around
// that part, because the neighboring block may have changed a text that begins here.
func (t *Texts) writeBlock(b *textBlock) error {
	if b.from == b.to {
		return nil
	}
	err := t.Patch(b.data[b.from:b.to], b.at+int64(b.from))
	b.from, b.to = 0, 0
	return err
}

// Each calls do with every text, its offset and its state, in the order in which the texts were
// added. It stops at the first error and returns it. do must not change states. The string s is
// a part of a larger one, so do must copy it to keep it.
func (t *Texts) Each(do func(s string, at int64, state uint64) error) error {
	for i := range t.blocks {
		if err := t.writeBlock(&t.blocks[i]); err != nil {
			return err
		}
	}
	block, size := []byte(nil), int64(eachSize)
	for at, end := int64(0), t.Size(); at < end; {
		size = min(size, end-at) // a damaged length may be larger
		block = slices.Grow(block[:0], int(size))[:size]
		if _, err := t.ReadAt(block, at); err != nil {
			return unexpected(err)
		}
		read, next := string(block), 0
		for next+TextHead <= len(block) {
			from := next + TextHead
			to := from + int(binary.LittleEndian.Uint32(block[next+8:]))
			if size = max(eachSize, int64(to-next)); to > len(block) {
				break
			}
			if err := do(read[from:to], at+int64(next), binary.LittleEndian.Uint64(block[next:])); err != nil {
				return err
			}
			next = to
		}
		if next == 0 && int64(len(block)) == end-at {
			return io.ErrUnexpectedEOF
		}
		at += int64(next)
	}
	return nil
}

// eachSize is how many bytes Each reads at once, unless a text is longer.
const eachSize = 64 << 10

// A TextSet is a set of texts, by their offsets. It has one bit for each TextHead bytes,
// because two texts are at least TextHead bytes apart.
type TextSet []uint64

// Has reports whether the text at this offset is in the set.
func (t TextSet) Has(at int64) bool {
	n := at / TextHead
	return n/64 < int64(len(t)) && t[n/64]&(1<<(n%64)) != 0
}

// Add adds the text at this offset.
func (t *TextSet) Add(at int64) {
	n := at / TextHead
	if more := n/64 + 1 - int64(len(*t)); more > 0 {
		*t = append(*t, make([]uint64, more)...)
	}
	(*t)[n/64] |= 1 << (n % 64)
}

// first returns the index of the slot at which the search for a tag begins.
func (h *textShard) first(tag uint64) int {
	place, _ := bits.Mul64(tag<<OffsetBits, uint64(len(h.slots)))
	return int(place)
}

// from yields the slots in which a text with this tag may be: from the first possible slot to the
// last one before a free slot. Some of them have other tags.
func (h *textShard) from(tag uint64) func(yield func(uint64) bool) {
	return func(yield func(uint64) bool) {
		if len(h.slots) == 0 {
			return
		}
		for i := h.first(tag); h.slots[i] != 0; i = (i + 1) % len(h.slots) {
			if !yield(h.slots[i]) {
				return
			}
		}
	}
}

// add adds the slot of a new text to the table. It grows the table first if four fifths of its
// slots are used.
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

// insert writes slot into the first free place, from the place that its tag decides on. There
// must be a free place.
func (h *textShard) insert(slot uint64) {
	i := h.first(slot >> OffsetBits)
	for h.slots[i] != 0 {
		i = (i + 1) % len(h.slots)
	}
	h.slots[i] = slot
}
