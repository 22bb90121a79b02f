package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"locus/internal/peers"
)

// BenchmarkNFS copies 1 GiB from NFS-Ganesha into a new file in memory, with the command
// and with nfs-cp of libnfs, in turns. The starts of both are included.
func BenchmarkNFS(b *testing.B) {
	root := zeros(b)
	s := peers.Ganesha(b, root)
	exe := filepath.Join(b.TempDir(), "locus")
	build := exec.Command("go", "build", "-o", exe, "./cmd/locus")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		b.Skipf("the command does not build: %s", out)
	}
	dir, err := os.MkdirTemp("/dev/shm", "")
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil { // nfs-cp runs as another user
		b.Fatal(err)
	}
	copied := filepath.Join(dir, "copied")
	u := "nfs://" + s.Addr + root + "/file.bin"
	ways := []struct {
		name string
		run  func() *exec.Cmd
	}{
		{"locus", func() *exec.Cmd {
			return exec.Command(exe, "get", "--nfs-mount-port", fmt.Sprint(s.MountPort), "-o", copied, u)
		}},
		{"nfs-cp", func() *exec.Cmd { return peers.NFSCopy(b, s, root+"/file.bin", copied) }},
	}
	took, used := make([][]float64, len(ways)), make([][]float64, len(ways))
	for b.Loop() {
		for i, test := range ways {
			cmd := test.run()
			start := time.Now()
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%s: %v\n%s", test.name, err, out)
			}
			took[i] = append(took[i], time.Since(start).Seconds())
			if info, err := os.Stat(copied); err != nil || info.Size() != ftpSize {
				b.Fatalf("%s: %v, %v", test.name, info, err)
			}
			os.Remove(copied)
			used[i] = append(used[i], (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
		}
	}
	for i, test := range ways {
		b.ReportMetric(median(took[i]), test.name+"-s")
		b.ReportMetric(median(used[i]), test.name+"-cpu-s")
	}
	var ratios []float64
	for i := range took[0] {
		ratios = append(ratios, took[0][i]/took[1][i])
	}
	b.ReportMetric(median(ratios), "ratio")
}
