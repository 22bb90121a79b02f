package bench

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkGrep finds the URLs of files of 100 MB with the command, ripgrep and grep in turns, and writes them into a
// file. One file has URLs, one a line, and the other the sources of Go. The starts of the programs are included.
func BenchmarkGrep(b *testing.B) {
	b.Run("lines", func(b *testing.B) { grep(b, oneALine(b)) })
	b.Run("sources", func(b *testing.B) { grep(b, corpus()) })
}

func grep(b *testing.B, text []byte) {
	const size = 100 << 20
	const pattern = "https?://[^ ]+"
	exe := command(b)
	dir := b.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	text = bytes.Repeat(text, 1+size/len(text))[:size]
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	if err := os.WriteFile(in, text, 0o600); err != nil {
		b.Fatal(err)
	}
	ways := []struct {
		name, program string
		args          []string
	}{
		{"locus", exe, []string{"extract", in}},
		{"one-job", exe, []string{"extract", "--jobs", "1", in}},
		{"rg", "rg", []string{"-oN", pattern, in}},
		{"grep", "grep", []string{"-oE", pattern, in}},
	}
	took, used := make([][]float64, len(ways)), make([][]float64, len(ways))
	for _, way := range ways {
		if _, err := exec.LookPath(way.program); err != nil {
			b.Skip(err)
		}
	}
	for b.Loop() {
		for i, way := range ways {
			to, err := os.Create(out)
			if err != nil {
				b.Fatal(err)
			}
			cmd := exec.Command(way.program, way.args...)
			cmd.Env = append(os.Environ(), "LC_ALL=C")
			cmd.Stdout = to
			start := time.Now()
			if err := cmd.Run(); err != nil {
				b.Fatalf("%s: %v", way.name, err)
			}
			took[i] = append(took[i], time.Since(start).Seconds())
			used[i] = append(used[i], (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
			if info, err := to.Stat(); err != nil || info.Size() == 0 {
				b.Fatalf("%s: %v, %v", way.name, info, err)
			}
			to.Close()
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, way := range ways {
		b.ReportMetric(median(took[i]), way.name+"-s")
		b.ReportMetric(median(used[i]), way.name+"-cpu-s")
	}
}
