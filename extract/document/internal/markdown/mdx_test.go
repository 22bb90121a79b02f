package markdown

import (
	"bytes"
	"testing"
)

// A long line of MDX comments is read in linear time. In quadratic time, such as a search for the start of the line
// from each comment takes, this test would end by its timeout.
func TestMDXLongLine(t *testing.T) {
	const count = 16 << 20 / len("{/*x*/}")
	got := withoutMDXComments(append([]byte("# "), bytes.Repeat([]byte("{/*x*/}"), count)...), nil)
	if want := append([]byte("# "), bytes.Repeat([]byte("<!---->"), count)...); !bytes.Equal(got, want) {
		t.Errorf("%d comments become %.40q, want %.40q", count, got, want)
	}
}
