package skips

import "testing"

func TestNever(t *testing.T) {
	t.Skip("no reason")
}
