package bench

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"locus/internal/peers"
)

// BenchmarkTransfer compares the command with the programs that people use instead. They do
// the same work against vsftpd on loopback. Each turn runs every program once, and the
// times include their start. It reports medians and the slowest turn, and the peak memory
// of the command. Only programs that fetched every file count. vsftpd uses one process for
// a session, or separate processes, which is its default.
//
// The small files are deleted only at the end, because for a minute after a deletion ext4
// examines every deleted file whenever it makes a file, which takes as long as everything
// else.
func BenchmarkTransfer(b *testing.B) {
	exe, kept := command(b), b.TempDir()
	b.Run("OneProcess", func(b *testing.B) { plain(b, exe, kept, peers.VSFTPDQuiet) })
	b.Run("Separated", func(b *testing.B) { plain(b, exe, kept, peers.VSFTPDSeparated) })
	b.Run("GiBoverTLS", func(b *testing.B) {
		s := peers.VSFTPDOverTLS(b, zeros(b), false)
		u := "ftp://" + s.Addr + "/file.bin"
		contest(b, "MB/s", ftpSize/1e6, []program{
			{"locus", []string{exe, "get", "--ftp-tls", "-o", os.DevNull, u}, []string{"SSL_CERT_FILE=" + s.PEM}, 0},
			{"curl", []string{"curl", "-s", "--ssl-reqd", "--cacert", s.PEM, "-o", os.DevNull, u}, nil, 0},
			{"lftp", []string{"lftp", "-c", "set ftp:ssl-force yes; set ftp:ssl-protect-data yes; set ftp:ssl-allow-anonymous yes; " +
				"set ssl:verify-certificate no; set xfer:clobber yes; get " + u + " -o /dev/null"}, nil, 0},
		}, "", nil)
	})
}

// plain fetches without TLS from a vsftpd.
func plain(b *testing.B, exe, kept string, vsftpd func(testing.TB, string) *peers.Server) {
	b.Run("GiB", func(b *testing.B) {
		u := "ftp://" + vsftpd(b, zeros(b)).Addr + "/file.bin"
		contest(b, "MB/s", ftpSize/1e6, []program{
			{"locus", []string{exe, "get", "-o", os.DevNull, u}, nil, 0},
			{"before", []string{before, "get", "-o", os.DevNull, u}, nil, 0},
			{"curl", []string{"curl", "-s", "-o", os.DevNull, u}, nil, 0},
			{"lftp", []string{"lftp", "-c", "set xfer:clobber yes; get " + u + " -o /dev/null"}, nil, 0},
			{"wget", []string{"wget", "-q", "-O", os.DevNull, u}, nil, 0},
		}, "", nil)
	})
	b.Run("GiBintoFile", func(b *testing.B) {
		u := "ftp://" + vsftpd(b, zeros(b)).Addr + "/file.bin"
		contest(b, "MB/s", ftpSize/1e6, []program{
			{"locus", []string{exe, "get", "-o", "DIR/file", u}, nil, 0},
			{"before", []string{before, "get", "-o", "DIR/file", u}, nil, 0},
			{"curl", []string{"curl", "-s", "-o", "DIR/file", u}, nil, 0},
			{"lftp", []string{"lftp", "-c", "set xfer:clobber yes; get " + u + " -o DIR/file"}, nil, 0},
			{"wget", []string{"wget", "-q", "-O", "DIR/file", u}, nil, 0},
			{"aria2", []string{"aria2c", "-q", "-x1", "--file-allocation=none", "-d", "DIR", "-o", "file", u}, nil, 0},
		}, "", func(dir string, _ float64) error { return sized(filepath.Join(dir, "file"), ftpSize) })
	})
	for _, jobs := range []string{"1", "4"} {
		b.Run("2000files"+jobs, func(b *testing.B) { many(b, exe, jobs, kept, vsftpd) })
	}
}

// before is another build of the command, such as an older one, to compare with this one:
// $LOCUS_BEFORE. It is left out if the variable is not set.
var before = os.Getenv("LOCUS_BEFORE")

// many fetches 2000 files of 4 KiB on jobs connections, into folders that stay in the
// folder kept.
func many(b *testing.B, exe, jobs, kept string, vsftpd func(testing.TB, string) *peers.Server) {
	const files = 2000
	root := filepath.Join(kept, strings.ReplaceAll(b.Name(), "/", "-"))
	if err := os.MkdirAll(root, 0o755); err != nil {
		b.Fatal(err)
	}
	var list strings.Builder
	u := "ftp://" + vsftpd(b, root).Addr + "/"
	for i := range files {
		name := fmt.Sprintf("file%04d.bin", i)
		if err := os.WriteFile(filepath.Join(root, name), make([]byte, 4<<10), 0o644); err != nil {
			b.Fatal(err)
		}
		fmt.Fprintln(&list, u+name)
	}
	input := filepath.Join(b.TempDir(), "list")
	if err := os.WriteFile(input, []byte(list.String()), 0o644); err != nil {
		b.Fatal(err)
	}
	glob, few := u+"file[0000-1999].bin", u+"file[0000-0199].bin"
	programs := []program{
		{"mirror", []string{exe, "mirror", "-j", jobs, u, "DIR"}, nil, 0},
		{"get", []string{exe, "get", "-j", jobs, "--output-dir", "DIR", glob}, nil, 0},
		{"before", []string{before, "mirror", "-j", jobs, u, "DIR"}, nil, 0},
		{"lftp", []string{"lftp", "-c", "mirror --parallel=" + jobs + " " + u + " DIR"}, nil, 0},
		{"lftp-async", []string{"lftp", "-c", "set ftp:sync-mode off; mirror --parallel=" + jobs + " " + u + " DIR"}, nil, 0},
		{"aria2", []string{"aria2c", "-q", "-x1", "-s1", "-j" + jobs, "--file-allocation=none", "-d", "DIR", "-i", input}, nil, 0},
	}
	if jobs == "1" { // because curl fetches only about 10 files a second on one connection
		programs = append(programs,
			program{"curl", []string{"curl", "-s", "--output-dir", "DIR", "-O", few}, nil, 0.1},
			program{"curl-Z", []string{"curl", "-s", "-Z", "--parallel-max", "1", "--output-dir", "DIR", "-O", few}, nil, 0.1},
			program{"wget", []string{"wget", "-q", "-P", "DIR", "-i", input}, nil, 0})
	} else {
		programs = append(programs,
			program{"curl-Z", []string{"curl", "-s", "-Z", "--parallel-max", jobs, "--output-dir", "DIR", "-O", glob}, nil, 0})
	}
	contest(b, "files/s", files, programs, kept, func(dir string, part float64) error {
		for i := range int(files * part) {
			if err := sized(filepath.Join(dir, fmt.Sprintf("file%04d.bin", i)), 4<<10); err != nil {
				return err
			}
		}
		return nil
	})
}

// sized returns an error if a file is missing or has another size.
func sized(name string, size int64) error {
	info, err := os.Stat(name)
	if err == nil && info.Size() != size {
		err = fmt.Errorf("%s has %d bytes, not %d", name, info.Size(), size)
	}
	return err
}

// command builds the command, and returns the name of the program.
func command(b *testing.B) string {
	b.Helper()
	exe := filepath.Join(b.TempDir(), "locus")
	build := exec.Command("go", "build", "-o", exe, "./cmd/locus")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("go build ./cmd/locus: %v\n%s", err, out)
	}
	return exe
}

// A program takes part in a contest. DIR in its arguments stands for a new folder, and NAME
// for the last part of its name.
type program struct {
	name string
	args []string
	env  []string
	part float64 // the share of the work that it does; 0 means all
}

// contest runs all programs in turns. The fetched files stay in the folder kept; if kept is
// "", they are deleted. check returns an error if the files are wrong; it may be nil.
func contest(b *testing.B, unit string, amount float64, programs []program, kept string, check func(dir string, part float64) error) {
	programs = slices.DeleteFunc(programs, func(p program) bool {
		_, err := exec.LookPath(p.args[0])
		if err != nil && p.args[0] != "" {
			b.Logf("no %s: apt-get install it", p.args[0])
		}
		return err != nil
	})
	for i := range programs {
		if programs[i].part == 0 {
			programs[i].part = 1
		}
	}
	speeds, used, peak := make([][]float64, len(programs)), make([][]float64, len(programs)), make([]int64, len(programs))
	for b.Loop() {
		for i, p := range programs {
			took, processor, memory, err := turn(b, p, kept, check)
			if err != nil {
				b.Errorf("%s: %v", p.name, err)
			}
			speeds[i] = append(speeds[i], amount*p.part/took.Seconds())
			used[i] = append(used[i], processor.Seconds())
			peak[i] = max(peak[i], memory)
		}
	}
	load, _ := os.ReadFile("/proc/loadavg")
	b.Logf("%d turns, load %.14s", len(speeds[0]), load)
	for i, p := range programs {
		var ratios []float64
		for n, speed := range speeds[i] {
			ratios = append(ratios, speeds[0][n]/speed)
		}
		b.Logf("%-12s %8.0f %s (%.0f to %.0f), %s has %.2f of it, %.2f s of processor, at most %d MiB of memory", p.name, median(speeds[i]), unit,
			slices.Min(speeds[i]), slices.Max(speeds[i]), programs[0].name, median(ratios), median(used[i]), peak[i]>>10)
	}
	b.ReportMetric(median(speeds[0]), unit)
	b.ReportMetric(float64(peak[0]>>10), "MiB")
}

func median(all []float64) float64 {
	all = slices.Sorted(slices.Values(all))
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

// turn runs a program once, and returns its time, its processor time, and its peak memory
// in KiB.
func turn(b *testing.B, p program, kept string, check func(dir string, part float64) error) (took, processor time.Duration, memory int64, err error) {
	b.Helper()
	dir, err := os.MkdirTemp(cmp.Or(kept, b.TempDir()), "")
	if err != nil {
		b.Fatal(err)
	}
	if kept == "" {
		defer os.RemoveAll(dir)
	}
	if err := os.Chmod(dir, 0o777); err != nil { // a server may run as another user
		b.Fatal(err)
	}
	args := slices.Clone(p.args[1:])
	for i := range args {
		args[i] = strings.NewReplacer("DIR", dir, "NAME", filepath.Base(dir)).Replace(args[i])
	}
	cmd := exec.Command(p.args[0], args...)
	cmd.Env = append(os.Environ(), p.env...)
	begin := time.Now()
	out, err := cmd.CombinedOutput()
	took = time.Since(begin)
	if err != nil {
		return took, 0, 0, fmt.Errorf("%w\n%.2000s", err, out)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		memory = usage.Maxrss
	}
	processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if check != nil {
		err = check(dir, p.part)
	}
	return took, processor, memory, err
}
