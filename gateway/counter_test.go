package gateway

import "testing"

func TestCounter(t *testing.T) {
	var c counter
	enter := func(client string, want error) (leave func()) {
		t.Helper()
		leave, err := c.enter(client, 4, 3)
		if err != want {
			t.Fatalf("enter(%q) = %v, want %v", client, err, want)
		}
		return leave
	}
	leaves := []func(){enter("a", nil), enter("a", nil), enter("a", nil)}
	enter("a", errClient)
	enter("b", nil)()
	leaves = append(leaves, enter("b", nil))
	enter("b", errFull)
	enter("a", errFull)
	for _, leave := range leaves {
		leave()
	}
	if c.total != 0 || len(c.ofClient) != 0 {
		t.Errorf("left: %+v", &c)
	}
}
