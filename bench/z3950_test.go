package bench

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"locus/access"
	"locus/internal/peers"
	"locus/proto/z3950"
	"locus/url"
)

// BenchmarkZ3950 lists 100 000 records of one search in Zebra on loopback, with titles,
// and lets yaz-client show as many. The two take turns.
func BenchmarkZ3950(b *testing.B) {
	const records = 100_000
	zebra := peers.Zebra(b, peers.Books(records), nil)
	u := url.MustParse("z39.50s://" + zebra.Addr + "/books;query=@attr%201=1016%20press;rs=usmarc")
	c := z3950.Client{Dial: new(net.Dialer).DialContext, MaxHits: records}
	var ours, theirs []float64
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		if n := listZ3950(b, c, u); n != records {
			b.Fatalf("%d records, want %d", n, records)
		}
		ours = append(ours, float64(records)/time.Since(began).Seconds())
		began = time.Now()
		peers.YAZClient(b, "open "+zebra.Addr, "base books", "find @attr 1=1016 press", "format usmarc", fmt.Sprintf("show 1+%d", records))
		theirs = append(theirs, float64(records)/time.Since(began).Seconds())
	}
	b.ReportMetric(median(ours), "records/s")
	b.ReportMetric(median(theirs), "yaz-client-records/s")
}

// listZ3950 returns how many records a list has.
func listZ3950(b *testing.B, c z3950.Client, u url.URL) (n int) {
	b.Helper()
	r, err := c.Do(context.Background(), &access.Request{URL: u})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Body.Close()
	err = access.Entries(r.List, func(e access.Entry) error {
		if e.Title != "" && e.Kind == access.Object {
			n++
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}
