package bench

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkGrep finds the URLs of files with the command, ripgrep and grep in turns, and writes them into a file. A file
// of 100 MB has URLs, one a line, and another the sources of Go. The folder has these sources as people have them, in
// 11 000 files. The starts of the programs are included.
func BenchmarkGrep(b *testing.B) {
	b.Run("lines", func(b *testing.B) { grep(b, oneFile(b, oneALine(b))) })
	b.Run("sources", func(b *testing.B) { grep(b, oneFile(b, corpus())) })
	b.Run("folder", func(b *testing.B) { grep(b, filepath.Join(goRoot(), "src")) })
}

// oneFile returns the name of a file of 100 MB, whole lines of a text again and again.
func oneFile(b *testing.B, text []byte) string {
	const size = 100 << 20
	text = bytes.Repeat(text, 1+size/len(text))[:size]
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	name := filepath.Join(b.TempDir(), "in")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		b.Fatal(err)
	}
	return name
}

// grep compares the programs on in, a file or a folder. For each program it reports the medians of its time and its
// processor time, and the ratios to ripgrep's in each turn (median, least and greatest).
func grep(b *testing.B, in string) {
	const pattern = "https?://[^ ]+"
	exe := command(b)
	ways := []grepWay{
		{name: "rg", program: "rg", args: []string{"-oNI", pattern, in}},
		{name: "locus", program: exe, args: []string{"extract", in}},
		{name: "one-job", program: exe, args: []string{"extract", "--jobs", "1", in}},
		{name: "grep", program: "grep", args: []string{"-orhE", pattern, in}},
	}
	for _, way := range ways {
		if _, err := exec.LookPath(way.program); err != nil {
			b.Skip(err)
		}
	}
	out := filepath.Join(b.TempDir(), "out")
	for b.Loop() {
		for i := range ways {
			ways[i].run(b, out)
		}
	}
	b.ReportMetric(0, "ns/op")
	for _, way := range ways {
		b.ReportMetric(median(way.took), way.name+"-s")
		b.ReportMetric(median(way.used), way.name+"-cpu-s")
		if way.name != "rg" {
			reportRatios(b, way.name, way.took, ways[0].took)
			reportRatios(b, way.name+"-cpu", way.used, ways[0].used)
		}
	}
}

// A grepWay is a program that finds URLs, with its costs in each turn.
type grepWay struct {
	name, program string
	args          []string
	took, used    []float64 // seconds by the clock, and of the processor
}

// run runs the program, which writes into the file out.
func (w *grepWay) run(b *testing.B, out string) {
	to, err := os.Create(out)
	if err != nil {
		b.Fatal(err)
	}
	defer to.Close()
	cmd := exec.Command(w.program, w.args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.Stdout = to
	start := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s: %v", w.name, err)
	}
	w.took = append(w.took, time.Since(start).Seconds())
	w.used = append(w.used, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	if info, err := to.Stat(); err != nil || info.Size() == 0 {
		b.Fatalf("%s: %v, %v", w.name, info, err)
	}
}

// reportRatios reports the median, the least and the greatest ratio of our cost to theirs in the same turn.
func reportRatios(b *testing.B, name string, ours, theirs []float64) {
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = ours[i] / theirs[i]
	}
	b.ReportMetric(median(ratios), name+"-ratio")
	b.ReportMetric(slices.Min(ratios), name+"-least")
	b.ReportMetric(slices.Max(ratios), name+"-most")
}
