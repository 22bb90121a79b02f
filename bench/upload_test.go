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

// BenchmarkUpload lets the command, lftp and curl send the same files in turns to vsftpd on
// loopback. Only programs that sent every file count. They do not do the same work: locus
// stores a file under another name until it is complete, asks for its size, and sets its
// time; lftp only sets times; curl only sends.
func BenchmarkUpload(b *testing.B) {
	exe := command(b)
	for _, jobs := range []string{"1", "4"} {
		b.Run("2000files"+jobs, func(b *testing.B) { uploadMany(b, exe, jobs) })
	}
	b.Run("GiB", func(b *testing.B) {
		source, root := zeros(b), b.TempDir()
		at := "ftp://" + peers.VSFTPDQuiet(b, root).Addr
		file := filepath.Join(source, "file.bin")
		contest(b, "MB/s", ftpSize/1e6, []program{
			{"locus", []string{exe, "put", "-r", source, at + "/NAME/"}, state(b), 0},
			{"put", []string{exe, "put", file, at + "/NAME/"}, nil, 0},
			{"lftp", []string{"lftp", "-c", "open " + at + "; mirror -R " + source + " NAME"}, nil, 0},
			{"curl", []string{"curl", "-s", "-T", file, at + "/NAME/"}, nil, 0},
		}, root, func(dir string, _ float64) error {
			defer os.RemoveAll(dir)
			return sized(filepath.Join(dir, "file.bin"), ftpSize)
		})
	})
}

// state sets a new folder for the state of uploads, so that uploads of the user do not
// matter.
func state(b *testing.B) []string { return []string{"XDG_STATE_HOME=" + b.TempDir()} }

func uploadMany(b *testing.B, exe, jobs string) {
	const files, few = 2000, 200
	source, root := b.TempDir(), b.TempDir()
	for i := range files {
		if err := os.WriteFile(filepath.Join(source, fmt.Sprintf("file%04d.bin", i)), make([]byte, 4<<10), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	at := "ftp://" + peers.VSFTPDQuiet(b, root).Addr
	programs := []program{
		{"locus", []string{exe, "put", "-r", "-j", jobs, source, at + "/NAME/"}, state(b), 0},
		{"locus-direct", []string{exe, "put", "-r", "--ftp-direct", "-j", jobs, source, at + "/NAME/"}, state(b), 0},
		{"lftp", []string{"lftp", "-c", "open " + at + "; mirror -R --parallel=" + jobs + " " + source + " NAME"}, nil, 0},
		{"lftp-async", []string{"lftp", "-c", "set ftp:sync-mode off; open " + at + "; mirror -R --parallel=" + jobs + " " + source + " NAME"}, nil, 0},
	}
	if jobs == "1" {
		programs = append(programs, program{"curl", []string{"curl", "-s", "-T", source + "/file[0000-0199].bin", at + "/NAME/"}, nil, float64(few) / files})
	} else {
		programs = append(programs, program{"curl-Z", []string{"curl", "-s", "-Z", "--parallel-max", jobs, "-T", source + "/file[0000-0199].bin", at + "/NAME/"}, nil, float64(few) / files})
	}
	contest(b, "files/s", files, programs, root, func(dir string, part float64) error {
		for i := range int(files * part) {
			if err := sized(filepath.Join(dir, fmt.Sprintf("file%04d.bin", i)), 4<<10); err != nil {
				return err
			}
		}
		return nil
	})
}

// BenchmarkNothingChanged mirrors a tree of 100 000 files that is already complete, and
// sends a tree that the server already has. It compares with lftp. The server is proftpd,
// because its times have seconds.
func BenchmarkNothingChanged(b *testing.B) {
	const folders, each = 100, 1000
	exe, root, here := command(b), b.TempDir(), b.TempDir()
	when := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for _, dir := range []string{root, here} {
		for i := range folders {
			sub := filepath.Join(dir, "tree", fmt.Sprintf("dir%02d", i))
			if err := os.MkdirAll(sub, 0o755); err != nil {
				b.Fatal(err)
			}
			for k := range each {
				name := filepath.Join(sub, fmt.Sprintf("file%03d.txt", k))
				if err := os.WriteFile(name, []byte("same"), 0o644); err != nil {
					b.Fatal(err)
				}
				if err := os.Chtimes(name, when, when); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	at := "ftp://alice:secret@" + peers.ProFTPD(b, root).Addr
	local := filepath.Join(here, "tree")
	sent := state(b)
	send := []string{exe, "put", "-r", "-q", local, at + "/tree/"}
	first := exec.Command(send[0], send[1:]...)
	first.Env = append(os.Environ(), sent...)
	if out, err := first.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	b.Run("mirror", func(b *testing.B) {
		contest(b, "files/s", folders*each, []program{
			{"locus", []string{exe, "mirror", "-q", at + "/tree/", local}, nil, 0},
			{"lftp", []string{"lftp", "-c", "open " + at + "; mirror --parallel=4 tree " + local}, nil, 0},
		}, "", nil)
	})
	b.Run("put", func(b *testing.B) {
		contest(b, "files/s", folders*each, []program{
			{"locus", send, sent, 0},
			{"lftp", []string{"lftp", "-c", "open " + at + "; mirror -R --parallel=4 " + local + " tree"}, nil, 0},
		}, "", nil)
	})
}
