package check

import "testing"

// TestLongestResult of package run makes a result that is as long as these limits allow.
func TestLimits(t *testing.T) {
	if maxURL != 64<<10 || maxHops != 256<<10 || maxAnchors != 1<<15 {
		t.Errorf("the limits are %d, %d and %d: change TestLongestResult of package run as well", maxURL, maxHops, maxAnchors)
	}
}
