package bench

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkCheckHosts checks 50 000 URLs of 2000 servers with a process of the command, over connections of its own to
// each. Each answer takes 200 ms. peak-MB is the most memory that the process took. Every server has a loopback address
// of its own, so the benchmark runs on Linux only.
func BenchmarkCheckHosts(b *testing.B) {
	const hosts, urls, answer = 2000, 50_000, 200 * time.Millisecond
	locus := command(b)
	handler := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(answer) })
	var list strings.Builder
	var addresses []net.Addr
	for i := range hosts {
		l, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.1:0", 1+i/250, 1+i%250))
		if err != nil {
			b.Skipf("many addresses are not measured: %v", err)
		}
		s := &http.Server{Handler: handler}
		go func() { _ = s.Serve(l) }()
		b.Cleanup(func() { s.Close() })
		addresses = append(addresses, l.Addr())
	}
	for i := range urls {
		fmt.Fprintf(&list, "http://%s/docs/guide/page-%d/index.html\n", addresses[i%hosts], i)
	}
	name := filepath.Join(b.TempDir(), "list.txt")
	if err := os.WriteFile(name, []byte(list.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		start := time.Now()
		cmd := exec.Command(locus, "check", name)
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		peak, err := runWatched(cmd)
		if err != nil || !strings.Contains(out.String(), fmt.Sprintf("%d links: %[1]d good", urls)) {
			b.Fatalf("check: %v\n%.1000s", err, out.String())
		}
		b.ReportMetric(urls/time.Since(start).Seconds(), "URLs/s")
		b.ReportMetric(float64((cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()).Microseconds())/urls, "cpu-µs/URL")
		b.ReportMetric(float64(peak)/1000, "peak-MB")
	}
	b.ReportMetric(0, "ns/op")
}

// runWatched runs a process, and returns the most memory in kB that it took. Its Rusage would also count the memory of
// this process, from which it was forked.
func runWatched(cmd *exec.Cmd) (peak int, err error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			return peak, err
		case <-time.After(20 * time.Millisecond):
		}
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		_, rest, _ := strings.Cut(string(status), "VmHWM:")
		if fields := strings.Fields(rest); len(fields) > 0 {
			kB, _ := strconv.Atoi(fields[0])
			peak = max(peak, kB*1024/1000)
		}
	}
}
