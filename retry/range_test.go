package retry

import (
	"io"
	"testing"
	"testing/synctest"

	"locus/access"
)

// A range is read to its end, even if the first response was the whole resource and the second one is the range.
func TestPartAfterWhole(t *testing.T) {
	for _, test := range []struct{ offset, length, cut int64 }{
		{100, 50, 40}, {100, 50, 120}, {6000, 50, 5000}, {6000, 50, 6020}, {6000, 4000, 6020},
	} {
		synctest.Test(t, func(t *testing.T) {
			text := noise(20_000)
			s := &store{text: text, version: access.Validator{ETag: "1"}, next: []step{{cut: int(test.cut)}}, wholeFirst: true}
			req := get("http://h/")
			req.Offset, req.Length = test.offset, test.length
			r, err := Engine{Engine: s}.Do(t.Context(), req)
			if err != nil {
				t.Fatalf("%+v: %v", test, err)
			}
			defer r.Body.Close()
			if _, err := io.CopyN(io.Discard, r.Body, test.offset-r.Offset); err != nil {
				t.Fatalf("%+v: reading the bytes before the range: %v", test, err)
			}
			got := make([]byte, test.length)
			n, err := io.ReadFull(r.Body, got)
			if want := text[test.offset : test.offset+test.length]; err != nil || string(got) != want {
				t.Errorf("%+v: read %d bytes of the range, %v", test, n, err)
			}
		})
	}
}
