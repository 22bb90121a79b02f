package access

import "testing"

// An idler counts how often it is told to close what is idle.
type idler struct {
	OpenerFunc
	closed *int
}

func (o idler) CloseIdleConnections() { *o.closed++ }

func TestCloseIdleConnections(t *testing.T) {
	var closed int
	able, plain := idler{closed: &closed}, OpenerFunc(nil)
	for _, test := range []struct {
		o    Opener
		want int
	}{
		{able, 1},
		{Follow{Opener: able}, 1},
		{Table{"a": able, "b": plain, "c": nil, "d": idler{closed: &closed}}, 2},
		{Follow{Opener: Table{"a": Via{Opener: Follow{Opener: able}}}}, 1},
		{plain, 0},
		{Follow{Opener: plain}, 0},
		{Follow{}, 0},
		{Via{}, 0},
		{Table{}, 0},
		{nil, 0},
	} {
		closed = 0
		if CloseIdleConnections(test.o); closed != test.want {
			t.Errorf("CloseIdleConnections of %T tells %d, want %d", test.o, closed, test.want)
		}
	}
}
