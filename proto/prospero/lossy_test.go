package prospero_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"locus/access"
	"locus/demo"
	"locus/internal/faulty"
	"locus/proto/prospero"
	"locus/url"
)

var lossy = flag.Int("lossy", 20, "seeds of TestLossyNetwork; TestLossyProxy takes one in twenty")

// lossyFiles are an object of 83 packets and a directory of 400 entries.
func lossyFiles() fstest.MapFS {
	files := fstest.MapFS{"k100": {Data: testData(102_400)}}
	for i := range 400 {
		files[fmt.Sprintf("dir/file-number-%04d-with-a-name", i)] = &fstest.MapFile{Data: []byte("x")}
	}
	return files
}

// Over networks that lose datagrams and reorder one in five, an object and a listing come
// whole, and soon. The test measures the time of the synctest bubble, because it is the same on
// any machine.
func TestLossyNetwork(t *testing.T) {
	for _, test := range []struct {
		loss   float64
		median time.Duration // maximum; the median of 1000 seeds is half as long
	}{{0, 50 * time.Millisecond}, {0.05, time.Second}, {0.2, 6 * time.Second}} {
		for _, name := range []string{"k100", "dir"} {
			took := lossyRuns(t, name, &network{loss: test.loss})
			if median := took[len(took)/2]; median > test.median {
				t.Errorf("loss %v: %s in %v, want %v (median of %d)", test.loss, name, median, test.median, len(took))
			}
			t.Logf("loss %v: %s in %v, 95 of 100 in %v, all in %v", test.loss, name, took[len(took)/2], took[len(took)*95/100], took[len(took)-1])
		}
	}
}

// lossyRuns opens a resource once for each seed, and returns how long that took, the
// shortest first.
func lossyRuns(t *testing.T, name string, n *network) (took []time.Duration) {
	files := lossyFiles()
	synctest.Test(t, func(t *testing.T) {
		d := startOver(t, n, files)
		for seed := range *lossy {
			n.reset(uint64(seed))
			begin := time.Now()
			text, err := openAt(t.Context(), n.dial, "127.0.0.1:1525", name)
			took = append(took, time.Since(begin))
			checkWhole(t, files, name, text, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	slices.Sort(took)
	return took
}

// startOver starts the demo's server over a network that delays and reorders datagrams.
func startOver(t *testing.T, n *network, files fstest.MapFS) *demo.Demo {
	t.Helper()
	n.sockets, n.delay, n.reorder = make(map[string]*socket), 500*time.Microsecond, 0.2
	n.reset(0)
	d, err := demo.Start(t.Context(), demo.Config{
		Listen:       func(string, string) (net.Listener, error) { return noListener{make(chan struct{})}, nil },
		ListenPacket: n.listen,
		Files:        files,
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A server that asks for 900 s before it replies does not delay a client whose datagrams are lost.
func TestLossyNotice(t *testing.T) {
	took := lossyRuns(t, "k100", &network{loss: 0.2, hasNotice: true})
	if median := took[len(took)/2]; median > 6*time.Second { // the median of 1000 seeds is half as long
		t.Errorf("after a notice, the object came in %v (median of %d), want 6 s at most", median, len(took))
	}
	t.Logf("after a notice: %v, all in %v", took[len(took)/2], took[len(took)-1])
}

// Many short accesses with every fifth datagram lost share the round trips that they measure, so each lost datagram costs
// little.
func TestLossyShortAccesses(t *testing.T) {
	const accesses = 78
	files := fstest.MapFS{"small/a": {Data: []byte("a")}, "small/b": {Data: []byte("b")}}
	for seed := range *lossy {
		synctest.Test(t, func(t *testing.T) {
			n := &network{isPeriodic: true}
			d := startOver(t, n, files)
			n.reset(uint64(seed))
			client := prospero.Client{Dial: n.dial, Trips: new(prospero.RoundTrips)}
			begin := time.Now()
			for i := range accesses {
				name, want := []string{"small", "none"}[i%2], 2
				if name == "none" {
					want = 0
				}
				got := 0
				r, err := client.Do(t.Context(), &access.Request{URL: url.MustParse("prospero://127.0.0.1:1525//" + name)})
				if err == nil && r.List != nil {
					err = access.Entries(r.List, func(access.Entry) error { got++; return nil })
				}
				if err == nil {
					r.Body.Close()
				}
				if got != want || (err != nil) != (name == "none") || err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("seed %d: access %d of %s has %d entries, %v, want %d", seed, i, name, got, err, want)
				}
			}
			if took := time.Since(begin); took > 12*time.Second {
				t.Errorf("seed %d: %d accesses took %v, want 12 s at most", seed, accesses, took)
			} else {
				t.Logf("seed %d: %d accesses in %v", seed, accesses, took)
			}
			if err := d.Close(); err != nil {
				t.Errorf("Close with the seed %d: %v", seed, err)
			}
		})
	}
}

// TestLossyProxy repeats TestLossyNetwork over real sockets.
func TestLossyProxy(t *testing.T) {
	t.Parallel()
	files := lossyFiles()
	root := url.MustParse(start(t, files)("prospero"))
	host, _ := root.Host()
	port, _ := root.Port()
	var dialer net.Dialer
	for seed := range *lossy / 20 {
		for _, loss := range []float64{0, 0.05, 0.2} {
			proxy := faulty.StartUDP(t, net.JoinHostPort(host, port), faulty.Network{
				Seed: uint64(seed), Delay: 500 * time.Microsecond, Loss: loss, Reorder: 0.2,
			})
			for _, name := range []string{"k100", "dir"} {
				begin := time.Now()
				text, err := openAt(t.Context(), dialer.DialContext, proxy, name)
				t.Logf("loss %v: %s in %v", loss, name, time.Since(begin))
				checkWhole(t, files, name, text, err)
			}
		}
	}
}

// checkWhole checks that the whole object or listing has arrived.
func checkWhole(t *testing.T, files fstest.MapFS, name, text string, err error) {
	t.Helper()
	if err != nil || name == "k100" && text != string(files[name].Data) || name == "dir" && strings.Count(text, "-with-a-name") != 400 {
		t.Errorf("%s has %d bytes, %v, want all", name, len(text), err)
	}
}

type dial = func(ctx context.Context, network, address string) (net.Conn, error)

func openAt(ctx context.Context, d dial, address, name string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	r, err := prospero.Client{Dial: d}.Do(ctx, &access.Request{URL: url.MustParse("prospero://" + address + "//" + name)})
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	return contents(r)
}
