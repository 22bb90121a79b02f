package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"locus/internal/models"
	"locus/internal/peers"
)

// A proxy is a running gateway: ours, or squid.
type proxy struct {
	name, addr string
	pid        int
}

// proxies starts `locus serve` and squid, each with a cache, and another build of the
// command if $LOCUS_BEFORE is set. $GATEWAY_SQUID is the program of squid; by default it is
// Debian's.
func proxies(b *testing.B) []proxy {
	b.Helper()
	all := []proxy{startLocus(b, "locus", command(b)), startSquid(b)}
	if before != "" {
		all = append(all, startLocus(b, "before", before))
	}
	return all
}

// startLocus starts the gateway. It may use $GATEWAY_PROCESSORS processors, because squid
// uses only one.
func startLocus(b *testing.B, name, exe string) proxy {
	b.Helper()
	cmd := exec.Command(exe, "serve", "--listen", "127.0.0.1:0", "--cache-dir", inMemory(b), "--log", "off")
	if n := os.Getenv("GATEWAY_PROCESSORS"); n != "" {
		cmd.Env = append(os.Environ(), "GOMAXPROCS="+n)
	}
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
	return proxy{name, strings.TrimSuffix(at, "/"), cmd.Process.Pid}
}

// inMemory makes a folder in memory if the system has such a file system. squid has its
// cache there, because a disk may take longer for a file than both proxies take for
// everything else.
func inMemory(b *testing.B) string {
	b.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "locus")
	if err != nil {
		return b.TempDir()
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// startSquid starts squid with Debian's settings, except that it has no access log, and
// with the suggested settings for ftp and a cache in memory.
func startSquid(b *testing.B) proxy {
	b.Helper()
	exe, err := exec.LookPath(cmp.Or(os.Getenv("GATEWAY_SQUID"), "squid"))
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
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // squid runs as another user
		b.Fatal(err)
	}
	conf := filepath.Join(dir, "squid.conf")
	text := "http_port " + addr + "\nhttp_access allow all\naccess_log none\ncache_store_log none\ncache_log " + dir + "/log\npid_filename " + dir + "/pid\n" +
		"coredump_dir " + dir + "\nvisible_hostname bench\npinger_enable off\nshutdown_lifetime 0 seconds\ncache_mem 256 MB\nrefresh_pattern ^ftp: 1440 20% 10080\n"
	if usr := filepath.Join(models.BenchFolder(), "usr"); strings.HasPrefix(exe, models.BenchFolder()) {
		text += "mime_table " + usr + "/share/squid/mime.conf\nicon_directory " + usr + "/share/squid/icons\n" +
			"error_directory " + usr + "/share/squid/errors/en\nunlinkd_program " + usr + "/lib/squid/unlinkd\n"
	}
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

// startPlain starts a server of net/http that answers every request with fileSize bytes, by
// http.ServeContent. The server is this program, started again by TestMain.
func startPlain(b *testing.B) proxy {
	b.Helper()
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), plainServer+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	begin(b, cmd)
	at, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return proxy{"plain", strings.TrimSpace(at), cmd.Process.Pid}
}

// plainServer is the variable that makes this program the server of startPlain.
const plainServer = "GATEWAY_PLAIN"

func TestMain(m *testing.M) {
	if os.Getenv(plainServer) == "" {
		useNewest()
		m.Run()
		return
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Addr())
	body, changed := make([]byte, fileSize), time.Now().Add(-1000*24*time.Hour)
	log.Fatal(http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { //nolint:gosec // it is for one benchmark
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", changed, bytes.NewReader(body))
	})))
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

// BenchmarkGatewayMiss asks both proxies in turns for small files of vsftpd that they do
// not have yet. BenchmarkGatewayHit asks for files that they have, and also measures a
// server of net/http, because a hit of our gateway cannot be faster than that. The figures
// are medians of the turns, and the processor time is the mean for all answers.
func BenchmarkGatewayMiss(b *testing.B) { benchmarkGateway(b, 400, false) }

func BenchmarkGatewayHit(b *testing.B) { benchmarkGateway(b, 4000, true) }

func benchmarkGateway(b *testing.B, requests int, hit bool) {
	const turns = 9
	for _, users := range []int{8, 32} {
		b.Run(strconv.Itoa(users), func(b *testing.B) {
			for range b.N {
				files := requests * turns
				if hit {
					files = 100
				}
				root := oldFiles(b, files)
				all := proxies(b)
				if hit {
					all = append(all, startPlain(b))
				}
				at := make([]string, len(all)) // each has its own vsftpd, because vsftpd allows a client only 50 connections
				for i := range all {
					at[i] = "ftp://" + peers.VSFTPDQuiet(b, root).Addr + "/"
				}
				came := make([][]course, len(all))
				for n := range turns {
					for k := range all {
						k = (k + n) % len(all) // another proxy goes first in each turn
						targets := make([]string, requests)
						for i := range targets {
							targets[i] = fmt.Sprintf("%sf%05d.bin", at[k], (n*requests+i)%files)
						}
						if hit && n == 0 {
							all[k].load(b, 1, targets[:files])
						}
						came[k] = append(came[k], all[k].load(b, users, targets))
					}
				}
				reportTurns(b, all, came)
			}
		})
	}
}

// reportTurns reports the results of all turns.
func reportTurns(b *testing.B, all []proxy, came [][]course) {
	b.Helper()
	column := func(k int, of func(course) float64) []float64 {
		var values []float64
		for _, t := range came[k] {
			values = append(values, of(t))
		}
		return values
	}
	const squid = 1
	ratio := func(of func(course) float64, to int) float64 {
		var values []float64
		for n := range came[0] {
			values = append(values, of(came[0][n])/of(came[to][n]))
		}
		return middle(values)
	}
	rate := func(t course) float64 { return t.rate }
	p99 := func(t course) float64 { return t.p99.Seconds() * 1000 }
	busy := func(t course) float64 { return t.busy.Seconds() * 1e6 }
	for k, p := range all {
		b.ReportMetric(middle(column(k, rate)), p.name+"/s")
		b.ReportMetric(middle(column(k, p99)), p.name+"-p99-ms")
		b.ReportMetric(mean(column(k, busy)), p.name+"-cpu-µs")
	}
	b.ReportMetric(ratio(rate, squid), "ratio")
	b.ReportMetric(ratio(p99, squid), "p99-ratio")
	if plain := len(all) - 1; all[plain].name == "plain" {
		b.ReportMetric(ratio(rate, plain), "ratio-to-plain")
	}
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// fileSize is how many bytes a file has: $GATEWAY_SIZE, or 4096.
var fileSize = func() int {
	if n, err := strconv.Atoi(os.Getenv("GATEWAY_SIZE")); err == nil {
		return n
	}
	return 4096
}()

// oldFiles makes a folder with files of fileSize bytes. They are old, so that they stay
// fresh in a cache for long.
func oldFiles(b *testing.B, files int) string {
	b.Helper()
	root := b.TempDir()
	old := time.Now().Add(-1000 * 24 * time.Hour)
	for i := range files {
		name := filepath.Join(root, fmt.Sprintf("f%05d.bin", i))
		if err := os.WriteFile(name, make([]byte, fileSize), 0o644); err != nil { //nolint:gosec // vsftpd runs as another user
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

// BenchmarkGatewayLarge passes a file of 1 GiB from vsftpd through both proxies in turns.
// It reports medians of three, and the peak memory of each proxy.
func BenchmarkGatewayLarge(b *testing.B) {
	u := ftpURL(b)
	all := proxies(b)
	took, busy := map[string][]float64{}, map[string]float64{}
	for range b.N {
		var ratios []float64
		for turn := range 3 {
			for _, p := range all {
				client, err := connect(p.addr)
				if err != nil {
					b.Fatalf("connect to %s: %v", p.name, err)
				}
				before, start := p.busy(b), time.Now()
				if n, err := client.get(u.String()); err != nil || n != ftpSize {
					b.Fatalf("%s: %d bytes, %v", p.name, n, err)
				}
				took[p.name] = append(took[p.name], time.Since(start).Seconds())
				busy[p.name] += (p.busy(b) - before).Seconds()
				client.close()
			}
			ratios = append(ratios, took["squid"][turn]/took["locus"][turn])
		}
		for _, p := range all {
			b.ReportMetric(ftpSize/1e6/middle(took[p.name]), p.name+"-MB/s")
			b.ReportMetric(peak(b, p.pid), p.name+"-MB-peak")
			b.ReportMetric(busy[p.name]/float64(len(took[p.name])), p.name+"-cpu-s")
		}
		b.ReportMetric(middle(ratios), "ratio")
	}
}

// peak returns the peak memory of a process in megabytes.
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
