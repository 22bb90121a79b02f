package sftp

import (
	"encoding/binary"
	"errors"
	"fmt"

	"locus/access"
)

// A packetType is the type of a packet (draft-ietf-secsh-filexfer-02 §3).
type packetType byte

const (
	typeInit          packetType = 1
	typeVersion       packetType = 2
	typeOpen          packetType = 3
	typeClose         packetType = 4
	typeRead          packetType = 5
	typeWrite         packetType = 6
	typeLstat         packetType = 7
	typeFstat         packetType = 8
	typeSetstat       packetType = 9
	typeFsetstat      packetType = 10
	typeOpendir       packetType = 11
	typeReaddir       packetType = 12
	typeRemove        packetType = 13
	typeMkdir         packetType = 14
	typeRmdir         packetType = 15
	typeRealpath      packetType = 16
	typeStat          packetType = 17
	typeRename        packetType = 18
	typeStatus        packetType = 101
	typeHandle        packetType = 102
	typeData          packetType = 103
	typeName          packetType = 104
	typeAttrs         packetType = 105
	typeExtended      packetType = 200
	typeExtendedReply packetType = 201
)

// Limits of the packets that are accepted.
const (
	maxPacket = 256<<10 + 1<<10 // OpenSSH sends at most 256 KiB
	maxString = 64 << 10        // names and texts
	maxHandle = 256             // §6: "The length of the handle string MUST NOT exceed 256"
)

var errShort = errors.New("a packet ends early")

// A writer appends values to buf. The zero writer is empty.
type writer struct{ buf []byte }

// uint32 appends v as four bytes, the most significant first.
func (w *writer) uint32(v uint32) { w.buf = binary.BigEndian.AppendUint32(w.buf, v) }

// uint64 appends v as eight bytes, the most significant first.
func (w *writer) uint64(v uint64) { w.buf = binary.BigEndian.AppendUint64(w.buf, v) }

// string appends the length of s and s.
func (w *writer) string(s string) {
	w.uint32(uint32(len(s))) //nolint:gosec // names are shorter than 4 GiB
	w.buf = append(w.buf, s...)
}

// bytes appends the length of p and p.
func (w *writer) bytes(p []byte) {
	w.uint32(uint32(len(p))) //nolint:gosec // at most a chunk
	w.buf = append(w.buf, p...)
}

// A reader reads values from the payload of a packet. After an error, which err has, it reads zeros.
type reader struct {
	data   []byte
	err    error
	packet []byte // the memory of data
}

// take removes and returns the next n bytes. If fewer are left, it fails the reader and returns nil.
func (r *reader) take(n int) []byte {
	if n > len(r.data) {
		r.fail(errShort)
		return nil
	}
	p := r.data[:n:n]
	r.data = r.data[n:]
	return p
}

// fail makes err the error of the reader, unless the reader already has an error. The reader reads
// zeros afterwards.
func (r *reader) fail(err error) {
	if r.err == nil {
		r.err, r.data = err, nil
	}
}

// uint32 reads four bytes; 0 after an error.
func (r *reader) uint32() uint32 {
	if p := r.take(4); p != nil {
		return binary.BigEndian.Uint32(p)
	}
	return 0
}

// uint64 reads eight bytes; 0 after an error.
func (r *reader) uint64() uint64 {
	if p := r.take(8); p != nil {
		return binary.BigEndian.Uint64(p)
	}
	return 0
}

// bytes reads a length and that many bytes, which share memory with the packet. A length of more
// than most fails the reader. It returns nil after an error.
func (r *reader) bytes(most int) []byte {
	n := r.uint32()
	if uint64(n) > uint64(most) {
		r.fail(fmt.Errorf("a text of %d bytes", n))
		return nil
	}
	return r.take(int(n))
}

// string reads a length and a text of at most most bytes; "" after an error.
func (r *reader) string(most int) string { return string(r.bytes(most)) }

// malformed returns an error that wraps access.ErrProtocol and err, the fault of a packet. It
// returns nil if err is nil.
func malformed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", access.ErrProtocol, err)
}
