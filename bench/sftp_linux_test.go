package bench

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"locus/internal/peers"
	"locus/proto/sftp"
)

// BenchmarkSFTP lets the command, OpenSSH's sftp, lftp and rclone copy the same files in turns, from and to OpenSSH's sshd
// on loopback: one large file, and small files of 4 KiB on one and on four connections. sftp has one connection.
// $LOCUS_FILES is the number of small files; 2000 if it is not set. $LOCUS_MIB is the size of the large file in MiB; 1024 if
// it is not set. The times include the start and the login of each program.
func BenchmarkSFTP(b *testing.B) {
	s := newSFTPContest(b)
	b.Run("down", s.down)
	b.Run("up", s.up)
	for _, jobs := range []string{"1", "4"} {
		b.Run("files-down"+jobs, func(b *testing.B) { s.filesDown(b, jobs) })
		b.Run("files-up"+jobs, func(b *testing.B) { s.filesUp(b, jobs) })
	}
}

// An sftpContest has the server of the contest, and what the programs need for it.
type sftpContest struct {
	exe, root, at string
	size          int64
	files         int
	large, small  string   // the sources of uploads: a file and a folder
	login         []string // the environment of all programs: a home with the key
	sftp, lftp    string   // the beginnings of their command lines, for a shell
	program       string   // rclone, of `make peers`
	rclone        string   // its remote
}

func newSFTPContest(b *testing.B) *sftpContest {
	root := b.TempDir()
	c := &sftpContest{exe: command(b), root: root, size: 1 << 20 * fromEnv("LOCUS_MIB", 1024), files: int(fromEnv("LOCUS_FILES", 2000))}
	c.large, c.small = filepath.Join(root, "large.bin"), filepath.Join(root, "source")
	makeSmallFiles(b, c.small, c.files)
	if err := os.WriteFile(c.large, nil, 0o644); err != nil {
		b.Fatal(err)
	}
	if err := os.Truncate(c.large, c.size); err != nil {
		b.Fatal(err)
	}
	s := peers.OpenSSH(b, root)
	home := b.TempDir()
	key := filepath.Join(home, ".ssh", "id_ed25519")
	if err := os.Mkdir(filepath.Dir(key), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(key, []byte(s.PrivateKey), 0o600); err != nil {
		b.Fatal(err)
	}
	client, ssh := peers.OpenSSHClient(b, "sftp"), peers.OpenSSHClient(b, "ssh")
	c.login = append(client.Env, "HOME="+home, "XDG_STATE_HOME="+home, "SSH_AUTH_SOCK=")
	c.at = fmt.Sprintf("sftp://%s;fingerprint=%s@%s", s.User, sftp.HostKey{Key: s.HostKey.PublicKey()}.Parameter(), s.Addr)
	options := fmt.Sprintf("-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o IdentitiesOnly=yes -i %s", key)
	c.sftp = fmt.Sprintf("%s -q -S %s %s -P %d -b - %s@%s", client.Path, ssh.Path, options, s.Port, s.User, s.Host)
	c.lftp = fmt.Sprintf("set sftp:auto-confirm yes; set sftp:connect-program '%s -a -x %s'; set xfer:clobber yes; open sftp://%s:@%s", ssh.Path, options, s.User, s.Addr)
	c.program = filepath.Join(peers.Folder(), "rclone/usr/bin/rclone")
	c.rclone = fmt.Sprintf(":sftp,host=%s,port=%d,user=%s,key_file=%s,shell_type=none,disable_hashcheck=true:%s/", s.Host, s.Port, s.User, key, root)
	return c
}

// fromEnv returns the number in an environment variable, or usual if it has none.
func fromEnv(name string, usual int64) int64 {
	n, _ := strconv.ParseInt(os.Getenv(name), 10, 64) // 0 after an error
	return cmp.Or(n, usual)
}

// batch returns the command line of sftp for one command.
func (c *sftpContest) batch(command string) []string {
	return []string{"sh", "-c", `printf '%s\n' "$1" | ` + c.sftp, "sh", command}
}

// url returns the URL of a file below the root of the server.
func (c *sftpContest) url(name string) string { return c.at + c.root + "/" + name }

func (c *sftpContest) down(b *testing.B) {
	contest(b, "MB/s", float64(c.size)/1e6, []program{
		{"locus", []string{c.exe, "get", "-q", "-o", "DIR/file", c.url("large.bin")}, c.login, 0},
		{"sftp", c.batch("get large.bin DIR/file"), c.login, 0},
		{"lftp", []string{"lftp", "-c", c.lftp + "; get " + c.large + " -o DIR/file"}, c.login, 0},
		{"rclone", []string{c.program, "copyto", c.rclone + "large.bin", "DIR/file"}, c.login, 0},
	}, "", func(dir string, _ float64) error { return sized(filepath.Join(dir, "file"), c.size) })
}

func (c *sftpContest) up(b *testing.B) {
	contest(b, "MB/s", float64(c.size)/1e6, []program{
		{"locus", []string{c.exe, "put", "-q", c.large, c.url("NAME/large.bin")}, c.login, 0},
		{"sftp", c.batch("put " + c.large + " NAME/large.bin"), c.login, 0},
		{"lftp", []string{"lftp", "-c", c.lftp + "; cd " + c.root + "/NAME; put " + c.large}, c.login, 0},
		{"rclone", []string{c.program, "copyto", c.large, c.rclone + "NAME/large.bin"}, c.login, 0},
	}, c.root, func(dir string, _ float64) error {
		defer os.RemoveAll(dir)
		return sized(filepath.Join(dir, "large.bin"), c.size)
	})
}

func (c *sftpContest) filesDown(b *testing.B, jobs string) {
	programs := []program{
		{"mirror", []string{c.exe, "mirror", "-q", "-j", jobs, c.url("source/"), "DIR"}, c.login, 0},
		{"lftp", []string{"lftp", "-c", c.lftp + "; mirror --parallel=" + jobs + " " + c.small + " DIR"}, c.login, 0},
		{"rclone", []string{c.program, "copy", "--transfers", jobs, c.rclone + "source", "DIR"}, c.login, 0},
	}
	if jobs == "1" {
		programs = append(programs, program{"sftp", c.batch("get source/* DIR"), c.login, 0})
	}
	contest(b, "files/s", float64(c.files), programs, "", hasSmallFiles(c.files))
}

func (c *sftpContest) filesUp(b *testing.B, jobs string) {
	programs := []program{
		{"put", []string{c.exe, "put", "-q", "-r", "-j", jobs, c.small, c.url("NAME/")}, append(c.login, state(b)...), 0},
		{"lftp", []string{"lftp", "-c", c.lftp + "; mirror -R --parallel=" + jobs + " " + c.small + " " + c.root + "/NAME"}, c.login, 0},
		{"rclone", []string{c.program, "copy", "--transfers", jobs, c.small, c.rclone + "NAME"}, c.login, 0},
	}
	if jobs == "1" {
		programs = append(programs, program{"sftp", c.batch("put " + c.small + "/* NAME"), c.login, 0})
	}
	contest(b, "files/s", float64(c.files), programs, c.root, hasSmallFiles(c.files))
}
