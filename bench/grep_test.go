package bench

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkGrep finds the URLs of a file of 100 MB, one a line, with the command, ripgrep
// and grep in turns, and writes them into a file. The starts of the programs are included.
func BenchmarkGrep(b *testing.B) {
	const size = 100 << 20
	const pattern = "https?://[^ ]+"
	exe := command(b)
	dir := b.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	text := oneALine(b)
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
			if info, err := to.Stat(); err != nil || info.Size() < int64(len(text))*9/10 {
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
