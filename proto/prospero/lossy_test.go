package prospero_test

import (
	"context"
	"flag"
	"fmt"
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
// whole, and soon. The time is that of the bubble: it is the same on any machine.
func TestLossyNetwork(t *testing.T) {
	for _, test := range []struct {
		loss   float64
		median time.Duration // at most; that of 1000 seeds is half as long
	}{{0, 50 * time.Millisecond}, {0.05, time.Second}, {0.2, 6 * time.Second}} {
		for _, name := range []string{"k100", "dir"} {
			took := lossyRuns(t, name, test.loss)
			if median := took[len(took)/2]; median > test.median {
				t.Errorf("loss %v: %s in %v, want %v (median of %d)", test.loss, name, median, test.median, len(took))
			}
			t.Logf("loss %v: %s in %v, 95 of 100 in %v, all in %v", test.loss, name, took[len(took)/2], took[len(took)*95/100], took[len(took)-1])
		}
	}
}

// lossyRuns opens a resource once for each seed, and returns how long that took, the
// shortest first.
func lossyRuns(t *testing.T, name string, loss float64) (took []time.Duration) {
	files := lossyFiles()
	synctest.Test(t, func(t *testing.T) {
		n := &network{sockets: make(map[string]*socket), delay: 500 * time.Microsecond, loss: loss, reorder: 0.2}
		n.reset(0)
		d, err := demo.Start(t.Context(), demo.Config{
			Listen:       func(string, string) (net.Listener, error) { return noListener{make(chan struct{})}, nil },
			ListenPacket: n.listen,
			Files:        files,
		})
		if err != nil {
			t.Fatal(err)
		}
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

// The same over real sockets.
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

// checkWhole checks that everything has come.
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
