package bench

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkSmallFiles copies files of 4 KiB from and to FTP servers, on one and on four connections, with the command, lftp
// and curl by turns. $LOCUS_FILES is the number of files; 2000 if it is not set. $LOCUS_ROUND_TRIP is the round trip of
// the network, such as 20ms, which is also the default; 0s is loopback.
//
// The peers are the newest that $LOCUS_NEWEST has: a folder with unpacked packages of vsftpd, proftpd-core, pure-ftpd,
// lftp and curl of one distribution, with all libraries, which the packages' own loader runs. Without it they are the
// installed ones.
func BenchmarkSmallFiles(b *testing.B) {
	roundTrip, err := time.ParseDuration(os.Getenv("LOCUS_ROUND_TRIP"))
	if err != nil {
		roundTrip = 20 * time.Millisecond
	}
	exe, at := command(b), newLink(b, roundTrip)
	files := 2000
	if n, err := strconv.Atoi(os.Getenv("LOCUS_FILES")); err == nil {
		files = n
	}
	for _, test := range []struct {
		name  string
		login string
		start func(b *testing.B, at link, root string, port int) *exec.Cmd
	}{{"vsftpd", "", newVSFTPD}, {"proftpd", "alice:secret@", newProFTPD}, {"pure-ftpd", "alice:secret@", newPureFTPd}} {
		b.Run(test.name, func(b *testing.B) {
			root := b.TempDir()
			source := filepath.Join(root, "source")
			makeSmallFiles(b, source, files)
			port := freePort(b, at)
			cmd := test.start(b, at, root, port)
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			})
			awaitServer(b, at, port)
			u := fmt.Sprintf("ftp://%s%s:%d/", test.login, at.far, port)
			for _, jobs := range []string{"1", "4"} {
				b.Run("down"+jobs, func(b *testing.B) { downSmall(b, exe, u, jobs, files) })
				b.Run("up"+jobs, func(b *testing.B) { upSmall(b, exe, u, jobs, root, source, files) })
			}
		})
	}
}

func makeSmallFiles(b *testing.B, dir string, files int) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%04d.bin", i)), make([]byte, 4<<10), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for dir := filepath.Dir(dir); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) { // a server may run as another user
		if err := os.Chmod(dir, 0o777); err != nil {
			b.Fatal(err)
		}
	}
}

func downSmall(b *testing.B, exe, u, jobs string, files int) {
	contest(b, "files/s", float64(files), []program{
		{"mirror", []string{exe, "mirror", "-q", "-j", jobs, u + "source/", "DIR"}, nil, 0},
		{"lftp", newest("lftp", "-c", "mirror --parallel="+jobs+" "+u+"source/ DIR"), nil, 0},
		{"lftp-async", newest("lftp", "-c", "set ftp:sync-mode off; mirror --parallel="+jobs+" "+u+"source/ DIR"), nil, 0},
		{"curl-Z", newest("curl", "-s", "-Z", "--parallel-max", jobs, "--output-dir", "DIR", "-O", fmt.Sprintf("%ssource/file[0000-%04d].bin", u, files-1)), nil, 0},
	}, "", hasSmallFiles(files))
}

func upSmall(b *testing.B, exe, u, jobs, root, source string, files int) {
	contest(b, "files/s", float64(files), []program{
		{"put", []string{exe, "put", "-q", "-r", "-j", jobs, source, u + "NAME/"}, state(b), 0},
		{"lftp", newest("lftp", "-c", "open "+u+"; mirror -R --parallel="+jobs+" "+source+" NAME"), nil, 0},
		{"lftp-async", newest("lftp", "-c", "set ftp:sync-mode off; open "+u+"; mirror -R --parallel="+jobs+" "+source+" NAME"), nil, 0},
		{"curl-Z", newest("curl", "-s", "-Z", "--parallel-max", jobs, "-T", fmt.Sprintf("%s/file[0000-%04d].bin", source, files-1), u+"NAME/"), nil, 0},
	}, root, hasSmallFiles(files))
}

// hasSmallFiles returns a check of a contest: all files must be complete.
func hasSmallFiles(files int) func(dir string, _ float64) error {
	return func(dir string, _ float64) error {
		for i := range files {
			if err := sized(filepath.Join(dir, fmt.Sprintf("file%04d.bin", i)), 4<<10); err != nil {
				return err
			}
		}
		return nil
	}
}

// newest returns the command line of a program of $LOCUS_NEWEST, or of the installed one.
func newest(name string, args ...string) []string {
	tree := os.Getenv("LOCUS_NEWEST")
	if tree == "" {
		return append([]string{name}, args...)
	}
	var folders []string
	for _, pattern := range []string{"usr/lib/*-linux-gnu", "usr/lib/*-linux-gnu/lftp/*"} {
		found, _ := filepath.Glob(filepath.Join(tree, pattern)) // the pattern is valid
		folders = append(folders, found...)
	}
	loaders, _ := filepath.Glob(filepath.Join(tree, "usr/lib*/ld-linux*.so.*"))
	files, _ := filepath.Glob(filepath.Join(tree, "usr/*bin", name))
	if len(loaders) == 0 || len(files) == 0 {
		return []string{name + " of LOCUS_NEWEST"} // contest leaves it out
	}
	return append([]string{loaders[0], "--library-path", strings.Join(folders, ":"), files[0]}, args...)
}

// freePort returns a port at which no server listens.
func freePort(b *testing.B, at link) int {
	l, err := net.Listen("tcp", net.JoinHostPort(at.near.String(), "0"))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// awaitServer waits until a server accepts connections.
func awaitServer(b *testing.B, at link, port int) {
	for range 100 {
		if conn, err := net.Dial("tcp", net.JoinHostPort(at.far.String(), strconv.Itoa(port))); err == nil {
			conn.Close()
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.Fatal("the server does not listen")
}

// writeConf writes a file for a server.
func writeConf(b *testing.B, name, text string) string {
	file := filepath.Join(b.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}

func newVSFTPD(b *testing.B, at link, root string, port int) *exec.Cmd {
	args := newest("vsftpd", writeConf(b, "conf", fmt.Sprintf("listen=YES\nlisten_address=%s\nlisten_port=%d\npasv_address=%s\n", at.near, port, at.far)+
		"background=NO\nrun_as_launching_user=YES\nanonymous_enable=YES\nlocal_enable=NO\nftp_username=root\nanon_root="+root+"\nwrite_enable=YES\n"+
		"anon_upload_enable=YES\nanon_other_write_enable=YES\nanon_mkdir_write_enable=YES\nanon_umask=022\nconnect_from_port_20=NO\n"+
		"seccomp_sandbox=NO\nsecure_chroot_dir="+b.TempDir()+"\nxferlog_enable=NO\nisolate_network=NO\n"))
	return exec.Command(args[0], args[1:]...)
}

// smallHash is the result of crypt(3) for "secret".
const smallHash = "$6$locus$bAKOprUCuXOUJLDQmGiH1AavdCTm6umJT.jcULkYPO51zte3tNTvfcg95yFDl20qjEVqBNMtiHC2wJG78NoRa0"

func newProFTPD(b *testing.B, at link, root string, port int) *exec.Cmd {
	modules, _ := filepath.Glob(filepath.Join("/", os.Getenv("LOCUS_NEWEST"), "usr/lib/proftpd")) // the pattern is valid
	scratch := b.TempDir()
	args := newest("proftpd", "-n", "-c", writeConf(b, "conf", fmt.Sprintf("DefaultAddress %s\nPort %d\nMasqueradeAddress %s\n", at.near, port, at.far)+
		"ServerType standalone\nUseIPv6 off\nUser root\nGroup root\nUseReverseDNS off\nWtmpLog off\nModulePath "+strings.Join(modules, "")+"\n"+
		"LoadModule mod_ls.c\nLoadModule mod_xfer.c\nPidFile "+scratch+"/pid\nScoreboardFile "+scratch+"/scoreboard\nSystemLog "+scratch+"/log\n"+
		"TransferLog NONE\nAuthOrder mod_auth_file.c\nAuthUserFile "+writeConf(b, "passwd", "alice:"+smallHash+":0:0::"+root+":/bin/false\n")+
		"\nRequireValidShell off\nRootLogin on\nAllowOverwrite on\nAllowStoreRestart on\n"))
	return exec.Command(args[0], args[1:]...)
}

// newPureFTPd runs pure-ftpd with accounts of its own, in a mount namespace.
func newPureFTPd(b *testing.B, at link, root string, port int) *exec.Cmd {
	args := newest("pure-ftpd", "-H", "-u", "1", "-C", "100", "-c", "100", "-l", "unix", "-P", at.far.String(), "-S", fmt.Sprintf("%s,%d", at.near, port))
	passwd := writeConf(b, "passwd", "root:x:0:0::/root:/bin/sh\nalice:x:3333:3333::"+root+":/bin/sh\n")
	if err := os.Chmod(passwd, 0o644); err != nil {
		b.Fatal(err)
	}
	shadow := writeConf(b, "shadow", "root:*:19000::::::\nalice:"+smallHash+":19000::::::\n")
	script := `mount --bind "$1" /etc/passwd && mount --bind "$2" /etc/shadow && shift 2 && exec "$@"`
	return exec.Command("unshare", append([]string{"--mount", "sh", "-c", script, "sh", passwd, shadow}, args...)...)
}
