package bench

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	neturl "net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"locus/internal/peers"
)

// A proxy is a gateway that runs: ours, or squid.
type proxy struct {
	name, addr string
	pid        int
}

// proxies starts `locus serve` and squid 5.7, each with a cache.
func proxies(b *testing.B) []proxy {
	b.Helper()
	return []proxy{startLocus(b), startSquid(b)}
}

func startLocus(b *testing.B) proxy {
	b.Helper()
	exe := filepath.Join(b.TempDir(), "locus")
	build := exec.Command("go", "build", "-o", exe, "./cmd/locus")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(exe, "serve", "--listen", "127.0.0.1:0", "--cache-dir", inMemory(b), "--log", "off")
	errs, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	begin(b, cmd)
	line, err := bufio.NewReader(errs).ReadString('\n')
	_, at, ok := strings.Cut(strings.TrimSpace(line), "http://")
	if err != nil || !ok {
		b.Fatalf("locus says %q, %v", line, err)
	}
	return proxy{"locus", strings.TrimSuffix(at, "/"), cmd.Process.Pid}
}

// inMemory makes a folder in memory, where there is such a place: squid has its
// cache there, and a file system on a disk may take longer for a file than both
// take for the rest.
func inMemory(b *testing.B) string {
	b.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "locus")
	if err != nil {
		return b.TempDir()
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// startSquid starts squid as Debian sets it up, but for its access log, with
// what it suggests for ftp, and with a cache in memory.
func startSquid(b *testing.B) proxy {
	b.Helper()
	exe, err := exec.LookPath("squid")
	if err != nil {
		b.Skip("no squid: apt-get install squid")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	dir, err := os.MkdirTemp("", "squid")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // squid has an account of its own
		b.Fatal(err)
	}
	conf := filepath.Join(dir, "squid.conf")
	text := "http_port " + addr + "\nhttp_access allow all\naccess_log none\ncache_store_log none\ncache_log " + dir + "/log\npid_filename " + dir + "/pid\n" +
		"coredump_dir " + dir + "\nvisible_hostname bench\npinger_enable off\nshutdown_lifetime 0 seconds\ncache_mem 256 MB\nrefresh_pattern ^ftp: 1440 20% 10080\n"
	if err := os.WriteFile(conf, []byte(text), 0o644); err != nil { //nolint:gosec // likewise
		b.Fatal(err)
	}
	cmd := exec.Command(exe, "-N", "-f", conf)
	begin(b, cmd)
	for range 200 {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			c.Close()
			return proxy{"squid", addr, cmd.Process.Pid}
		}
		time.Sleep(50 * time.Millisecond)
	}
	log, _ := os.ReadFile(filepath.Join(dir, "log"))
	b.Fatalf("squid does not listen: %s", log)
	return proxy{}
}

// begin starts a program, which is ended with the benchmark.
func begin(b *testing.B, cmd *exec.Cmd) {
	b.Helper()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
}

// get asks the proxy for a URL and reads the answer.
func (p proxy) get(client *http.Client, target string) (int64, error) {
	r := &http.Request{Method: http.MethodGet, Host: strings.Split(target, "/")[2], URL: &neturl.URL{Scheme: "http", Host: p.addr, Opaque: target}, Header: http.Header{}}
	answer, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	n, err := io.Copy(io.Discard, answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", target, answer.Status)
	}
	return n, err
}

// load lets clients ask for all targets, each once, and returns how many they
// got in a second and how long the slowest in a hundred took.
func (p proxy) load(b *testing.B, clients int, targets []string) (perSecond float64, p99 time.Duration) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients, DisableCompression: true}}
	defer client.CloseIdleConnections()
	took := make([]time.Duration, len(targets))
	var next atomic.Int64
	var all sync.WaitGroup
	start := time.Now()
	for range clients {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(targets) {
					return
				}
				begun := time.Now()
				if n, err := p.get(client, targets[i]); err != nil || n != 4096 {
					b.Errorf("%s: %d octets, %v", p.name, n, err)
					return
				}
				took[i] = time.Since(begun)
			}
		})
	}
	all.Wait()
	perSecond = float64(len(targets)) / time.Since(start).Seconds()
	slices.Sort(took)
	return perSecond, took[len(took)*99/100]
}

// BenchmarkGatewayMiss asks both proxies for files of 4 KiB of vsftpd that they
// have not yet, by turns; BenchmarkGatewayHit for some that they have. The
// figures are medians of five turns.
func BenchmarkGatewayMiss(b *testing.B) { benchmarkGateway(b, 400, false) }

func BenchmarkGatewayHit(b *testing.B) { benchmarkGateway(b, 4000, true) }

func benchmarkGateway(b *testing.B, requests int, hit bool) {
	const turns = 5
	for _, clients := range []int{8, 32} {
		b.Run(strconv.Itoa(clients), func(b *testing.B) {
			for range b.N {
				files := requests * turns
				if hit {
					files = 100
				}
				root := oldFiles(b, files)
				all := proxies(b)
				at := make([]string, len(all)) // each has a vsftpd of its own, which lets one client have 50 connections
				for i := range all {
					at[i] = "ftp://" + peers.VSFTPD(b, root).Addr + "/"
				}
				rates, slow := map[string][]float64{}, map[string][]float64{}
				var ratios, slowRatios []float64
				for turn := range turns {
					for k, p := range all {
						targets := make([]string, requests)
						for i := range targets {
							targets[i] = fmt.Sprintf("%sf%05d.bin", at[k], (turn*requests+i)%files)
						}
						if hit && turn == 0 {
							p.load(b, 1, targets[:files])
						}
						perSecond, p99 := p.load(b, clients, targets)
						rates[p.name] = append(rates[p.name], perSecond)
						slow[p.name] = append(slow[p.name], p99.Seconds()*1000)
					}
					ratios = append(ratios, rates["locus"][turn]/rates["squid"][turn])
					slowRatios = append(slowRatios, slow["locus"][turn]/slow["squid"][turn])
				}
				for _, p := range all {
					b.ReportMetric(middle(rates[p.name]), p.name+"/s")
					b.ReportMetric(middle(slow[p.name]), p.name+"-p99-ms")
				}
				b.ReportMetric(middle(ratios), "ratio")
				b.ReportMetric(middle(slowRatios), "p99-ratio")
			}
		})
	}
}

// oldFiles makes a folder with so many files of 4 KiB, which are old enough to be
// fresh for long in a cache.
func oldFiles(b *testing.B, files int) string {
	b.Helper()
	root := b.TempDir()
	old := time.Now().Add(-1000 * 24 * time.Hour)
	for i := range files {
		name := filepath.Join(root, fmt.Sprintf("f%05d.bin", i))
		if err := os.WriteFile(name, make([]byte, 4096), 0o644); err != nil { //nolint:gosec // vsftpd has an account of its own
			b.Fatal(err)
		}
		if err := os.Chtimes(name, old, old); err != nil {
			b.Fatal(err)
		}
	}
	return root
}

func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// BenchmarkGatewayLarge passes a file of 1 GiB from vsftpd through both proxies,
// by turns: medians of three, and the most memory that each had.
func BenchmarkGatewayLarge(b *testing.B) {
	u := ftpURL(b)
	all := proxies(b)
	took := map[string][]float64{}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	for range b.N {
		var ratios []float64
		for turn := range 3 {
			for _, p := range all {
				start := time.Now()
				if n, err := p.get(client, u.String()); err != nil || n != ftpSize {
					b.Fatalf("%s: %d octets, %v", p.name, n, err)
				}
				took[p.name] = append(took[p.name], time.Since(start).Seconds())
			}
			ratios = append(ratios, took["squid"][turn]/took["locus"][turn])
		}
		for _, p := range all {
			b.ReportMetric(ftpSize/1e6/middle(took[p.name]), p.name+"-MB/s")
			b.ReportMetric(peak(b, p.pid), p.name+"-MB-peak")
		}
		b.ReportMetric(middle(ratios), "ratio")
	}
}

// peak returns how many megabytes of memory a process had at most.
func peak(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0 // not Linux
	}
	m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(text)
	if m == nil {
		return 0
	}
	kilobytes, _ := strconv.ParseFloat(string(m[1]), 64) // digits
	return kilobytes / 1000
}
