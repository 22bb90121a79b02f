package bench

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mvdan.cc/xurls/v2"

	"locus/extract"
)

// corpus is 100 MB of documentation: the sources of Go with their comments, in the order of
// their paths, repeated until the size is reached.
var corpus = sync.OnceValue(func() []byte {
	const size = 100 << 20
	var text []byte
	root := goRoot()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || len(text) >= size {
			return err
		}
		if !slices.Contains([]string{".go", ".html", ".md", ".txt"}, filepath.Ext(path)) {
			return nil
		}
		file, err := os.ReadFile(path)
		text = append(text, file...)
		return err
	})
	if err != nil || len(text) == 0 {
		panic(errors.Join(err, errors.New("no documentation in "+root)))
	}
	for len(text) < size {
		text = append(text, text...)
	}
	return text[:size:size]
})

// goRoot returns the folder of Go.
func goRoot() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(out))
}

// oneALine are URLs of the web, one a line, 50 MB of them.
func oneALine(b *testing.B) []byte {
	list, size := lines(b, "web70k.txt")
	text := []byte(strings.Join(list, "\n") + "\n")
	return bytes.Repeat(text, 1+int(50<<20/size))
}

// processor returns the processor time of this process, because on a busy machine it is
// more accurate than the clock.
func processor() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Extract knows every scheme that IANA's registry had when xurls was published.
func TestKnown(t *testing.T) {
	for _, name := range xurls.Schemes {
		if !extract.Known(name) {
			t.Errorf("Known(%q) = false, want true", name)
		}
	}
}

// BenchmarkShortText finds the URLs of a text of 1 KiB.
func BenchmarkShortText(b *testing.B) {
	text := strings.Repeat("See http://example.org/a/b and more words that are no URLs at all. ", 14)
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range extract.All(strings.NewReader(text), extract.Options{}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkExtract(b *testing.B) {
	for _, text := range []benchText{{"docs", func(*testing.B) []byte { return corpus() }}, {"lines", oneALine}} {
		for _, test := range []struct {
			name    string
			options extract.Options
		}{{"schemes", extract.Options{}}, {"bare", extract.Options{Bare: true, Mail: true}}} {
			for _, read := range []bool{false, true} {
				name := text.name + "/" + test.name
				if read {
					name += "+URL" // also parses Match.URL of every match
				}
				b.Run(name, func(b *testing.B) {
					data := text.text(b)
					b.SetBytes(int64(len(data)))
					b.ReportAllocs()
					s := extract.NewScanner(nil, test.options)
					n := 0
					used := processor()
					for b.Loop() {
						n = 0
						for s.Reset(bytes.NewReader(data)); ; n++ {
							m, err := s.Next()
							if errors.Is(err, io.EOF) {
								break
							}
							if !read || err != nil {
								continue
							}
							if _, err := m.Match().URL(); err != nil {
								b.Fatal(err)
							}
						}
					}
					b.ReportMetric(float64(n), "urls")
					b.ReportMetric(float64(len(data))*float64(b.N)/1e6/(processor()-used).Seconds(), "MB/cpu-s")
				})
			}
		}
		for _, test := range []struct {
			name string
			find func([]byte) int
		}{
			{"xurls-strict", func(p []byte) int { return len(xurls.Strict().FindAllIndex(p, -1)) }},
			{"xurls-relaxed", func(p []byte) int { return len(xurls.Relaxed().FindAllIndex(p, -1)) }},
		} {
			b.Run(text.name+"/"+test.name, func(b *testing.B) {
				data := text.text(b)
				data = data[len(data)/2:][:1<<20] // less data, because this mode is slow
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				n := 0
				used := processor()
				for b.Loop() {
					n = test.find(data)
				}
				b.ReportMetric(float64(n), "urls")
				b.ReportMetric(float64(len(data))*float64(b.N)/1e6/(processor()-used).Seconds(), "MB/cpu-s")
			})
		}
	}
}

// A benchText is a text that extraction reads.
type benchText struct {
	name string
	text func(*testing.B) []byte
}
