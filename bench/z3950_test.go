package bench

import (
	"context"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"locus/access"
	"locus/internal/peers"
	"locus/proto/z3950"
	"locus/url"
)

const records = 100_000

// BenchmarkZ3950 lists 100 000 records of one search in yaz-ztest on loopback, with titles,
// and lets yaz-client show as many. The two take turns.
func BenchmarkZ3950(b *testing.B) {
	const query = "100000" // a number finds that many records
	compareZ3950(b, peers.YAZTest(b), "Default", query)
}

// BenchmarkZebra is BenchmarkZ3950 with Zebra, which has an index of 100 000 records.
func BenchmarkZebra(b *testing.B) {
	const query = "@attr 1=30 @attr 2=4 1900" // every year
	compareZ3950(b, peers.Zebra(b, peers.Books(records), nil), "books", query)
}

// compareZ3950 lists the records of a query that finds 100 000, and lets yaz-client show
// as many.
func compareZ3950(b *testing.B, server *peers.Server, database, query string) {
	b.Helper()
	const window = 500
	pqf := query
	if !strings.HasPrefix(pqf, "@") {
		pqf = "@term general " + pqf // the term without the attributes of words
	}
	u := url.MustParse("z39.50s://" + server.Addr + "/" + database + ";query=" + url.Escape(pqf, url.Set{}) + ";rs=usmarc")
	c := z3950.Client{Dial: new(net.Dialer).DialContext, MaxHits: records}
	var shows []string // in several requests like our client, because the server takes minutes for all records at once
	for first := 1; first <= records; first += window {
		shows = append(shows, fmt.Sprintf("show %d+%d", first, window))
	}
	var ours, theirs, ourCPU, theirCPU []float64
	b.ReportAllocs()
	for b.Loop() {
		began, used := time.Now(), cpu(b, syscall.RUSAGE_SELF)
		if n := listZ3950(b, c, u); n != records {
			b.Fatalf("%d records, want %d", n, records)
		}
		ours = append(ours, float64(records)/time.Since(began).Seconds())
		ourCPU = append(ourCPU, cpu(b, syscall.RUSAGE_SELF)-used)
		began, used = time.Now(), cpu(b, syscall.RUSAGE_CHILDREN)
		peers.YAZClient(b, append([]string{"open " + server.Addr, "base " + database, "find " + query, "format usmarc"}, shows...)...)
		theirCPU = append(theirCPU, cpu(b, syscall.RUSAGE_CHILDREN)-used)
		theirs = append(theirs, float64(records)/time.Since(began).Seconds())
	}
	var ratios, cpuRatios []float64
	for i := range ours {
		ratios = append(ratios, ours[i]/theirs[i])
		cpuRatios = append(cpuRatios, ourCPU[i]/theirCPU[i])
	}
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(median(cpuRatios), "cpu-ratio")
	b.ReportMetric(median(ours), "records/s")
	b.ReportMetric(median(theirs), "yaz-client-records/s")
	b.ReportMetric(median(ourCPU), "cpu-s")
	b.ReportMetric(median(theirCPU), "yaz-client-cpu-s")
}

// cpu returns the processor time, in seconds, of this process or of its finished children.
func cpu(b *testing.B, of int) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(of, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
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
