package lossy

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// arrivals sends 1000 numbered datagrams, and returns the numbers that arrive, in order.
func arrivals(t *testing.T, n Network) (order []int) {
	t.Helper()
	synctest.Test(t, func(*testing.T) {
		arrived := make(chan int, 1000)
		link := NewLink(n)
		buf := make([]byte, 2)
		for i := range 1000 {
			buf[0], buf[1] = byte(i>>8), byte(i)
			link.Pass(buf, func(d []byte) { arrived <- int(d[0])<<8 | int(d[1]) })
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		close(arrived)
		for i := range arrived {
			order = append(order, i)
		}
	})
	return order
}

func TestPass(t *testing.T) {
	for _, test := range []struct {
		network     Network
		least, most int // how many arrive
		isSorted    bool
	}{
		{Network{}, 1000, 1000, true},
		{Network{Loss: 1}, 0, 0, true},
		{Network{Loss: 0.2}, 750, 850, true},
		{Network{Reorder: 0.2}, 1000, 1000, false},
		{Network{Loss: 0.5, Reorder: 0.5, Delay: time.Millisecond}, 440, 560, false},
	} {
		order := arrivals(t, test.network)
		if n := len(order); n < test.least || n > test.most {
			t.Errorf("%+v: %d of 1000 arrive, want %d to %d", test.network, n, test.least, test.most)
		}
		if slices.IsSorted(order) != test.isSorted {
			t.Errorf("%+v: in order: %v, want %v", test.network, !test.isSorted, test.isSorted)
		}
		unique := slices.Clone(order)
		slices.Sort(unique)
		if len(slices.Compact(unique)) != len(order) {
			t.Errorf("%+v: a datagram arrives twice, or another one instead", test.network)
		}
	}
}

// The same seed loses the same datagrams.
func TestSeed(t *testing.T) {
	one := arrivals(t, Network{Seed: 1, Loss: 0.3})
	again := arrivals(t, Network{Seed: 1, Loss: 0.3})
	other := arrivals(t, Network{Seed: 2, Loss: 0.3})
	if !slices.Equal(one, again) || slices.Equal(one, other) {
		t.Error("the seed does not say which datagrams are lost")
	}
}
