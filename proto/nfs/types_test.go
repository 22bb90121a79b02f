package nfs

import (
	"testing"

	"locus/internal/xdr"
)

// A type that RFC 1813 does not define is an error, even on machines whose int has 32 bits.
func TestUnknownType(t *testing.T) {
	t.Parallel()
	for _, kind := range []uint32{0, 8, 1 << 31, 1<<32 - 1} {
		w := &xdr.Writer{}
		w.Uint32(kind)
		w.Fixed(make([]byte, 80))
		r := xdr.NewReader(w.Buf)
		if readAttributes(r); r.Err() == nil {
			t.Errorf("readAttributes accepts the type %d", kind)
		}
	}
}
