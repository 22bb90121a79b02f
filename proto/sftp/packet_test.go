package sftp

import (
	"bytes"
	"testing"
	"time"
)

// Any payload gives values or an error, and a listing never has more names than its bytes allow.
func FuzzPacket(f *testing.F) {
	for _, seed := range []string{
		"", "\x00\x00\x00\x00", "\x00\x00\x00\x01\x00\x00\x00\x01a\x00\x00\x00\x00\x00\x00\x00\x00", "\xff\xff\xff\xff",
		"\x00\x00\x00\x0f\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x81\xa4\x00\x00\x00\x01\x00\x00\x00\x02",
		"\x80\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x01x\x00\x00\x00\x01y", "\x00\x00\x00\x04\x00\x00\x00\x02no\x00\x00\x00\x00",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		names, err := readNames(&reader{data: bytes.Clone(payload)})
		if err == nil && len(names)*12 > len(payload) {
			t.Errorf("%d names in %d bytes", len(names), len(payload))
		}
		_ = readStatus(&reader{data: bytes.Clone(payload)})
		r := &reader{data: bytes.Clone(payload)}
		if a := readAttributes(r); a.Size < -1 && r.err == nil {
			t.Errorf("a size of %d", a.Size)
		}
	})
}

// The attributes that a change writes are the attributes that readAttributes reads.
func TestChange(t *testing.T) {
	size := int64(7)
	for _, test := range []change{
		{}, {size: &size}, {mode: 0o640}, {modTime: time.Unix(1_700_000_000, 0)}, {size: &size, mode: 0o7, modTime: time.Unix(1, 0)},
	} {
		var w writer
		test.write(&w)
		r := &reader{data: w.buf}
		a := readAttributes(r)
		wantSize := int64(-1)
		if test.size != nil {
			wantSize = *test.size
		}
		if r.err != nil || len(r.data) > 0 || a.Size != wantSize || a.Mode != test.mode || !a.ModTime.Equal(test.modTime) {
			t.Errorf("%+v is read as %+v, %v, with %d bytes left", test, a, r.err, len(r.data))
		}
	}
}
