package gateway

import "testing"

func TestCounter(t *testing.T) {
	var c counter
	enter := func(client string, want error) {
		t.Helper()
		if err := c.enter(client, 4, 3); err != want {
			t.Fatalf("enter(%q) = %v, want %v", client, err, want)
		}
	}
	for range 3 {
		enter("a", nil)
	}
	enter("a", errClient)
	enter("b", nil)
	c.leave("b")
	enter("b", nil)
	enter("b", errFull)
	enter("a", errFull)
	for _, client := range []string{"a", "a", "a", "b"} {
		c.leave(client)
	}
	if c.total != 0 || len(c.ofClient) != 0 {
		t.Errorf("left: %+v", &c)
	}
}
