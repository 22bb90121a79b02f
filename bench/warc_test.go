package bench

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkWARC fetches 256 MiB with and without an archive, in turns with wget. It fetches
// text and noise, from a server on loopback that sends as fast as it can, and from a server
// that sends 125 MB/s, as over 1 Gbit/s. TMPDIR selects the disk.
func BenchmarkWARC(b *testing.B) {
	const size = 256 << 20
	exe := command(b)
	for _, test := range []struct {
		name  string
		bytes []byte
	}{{"noise", noiseOf(16 << 20)}, {"text", sources(b, 16<<20)}} {
		for _, rate := range []float64{0, 125e6} {
			name := test.name
			if rate > 0 {
				name += "At1Gbit"
			}
			b.Run(name, func(b *testing.B) {
				s := httptest.NewServer(paced(test.bytes, size, rate))
				defer s.Close()
				programs := []program{
					{"get", []string{exe, "get", "-q", "-o", "DIR/file", s.URL}, nil, 0},
					{"warc.gz", []string{exe, "get", "-q", "--warc", "DIR/a.warc.gz", "-o", "DIR/file", s.URL}, nil, 0},
					{"warc", []string{exe, "get", "-q", "--warc", "DIR/a.warc", "-o", "DIR/file", s.URL}, nil, 0},
					{"before", []string{before, "get", "-q", "--warc", "DIR/a.warc.gz", "-o", "DIR/file", s.URL}, nil, 0},
					{"wget", []string{"wget", "-q", "-O", "DIR/file", s.URL}, nil, 0},
					{"wget-warc", []string{"wget", "-q", "--warc-file", "DIR/a", "-O", "DIR/file", s.URL}, nil, 0},
				}
				contest(b, "MB/s", size/1e6, programs, "", func(dir string, _ float64) error {
					return sized(filepath.Join(dir, "file"), size)
				})
			})
		}
	}
}

// paced serves size bytes that repeat content, at most rate bytes a second. A rate of 0
// means no limit.
func paced(content []byte, size int64, rate float64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
		began := time.Now()
		for sent := int64(0); sent < size; {
			from := sent % int64(len(content))
			n, err := w.Write(content[from:min(from+64<<10, int64(len(content)), from+size-sent)])
			if err != nil {
				return
			}
			sent += int64(n)
			if rate > 0 {
				time.Sleep(time.Duration(float64(sent)/rate*1e9) - time.Since(began))
			}
		}
	})
}

// noiseOf returns n bytes that cannot be compressed.
func noiseOf(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(b) // Read does not return errors
	return b
}

// sources returns n bytes of Go's own sources.
func sources(b *testing.B, n int) []byte {
	b.Helper()
	var all bytes.Buffer
	err := filepath.WalkDir(filepath.Join(runtime.GOROOT(), "src"), func(name string, _ os.DirEntry, err error) error {
		if err != nil || all.Len() >= n || !strings.HasSuffix(name, ".go") {
			return err
		}
		text, err := os.ReadFile(name)
		all.Write(text)
		return err
	})
	if err != nil || all.Len() < n {
		b.Fatal(fmt.Errorf("%d bytes of sources: %w", all.Len(), err))
	}
	return all.Bytes()[:n]
}
