package killtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh/knownhosts"

	"locus/internal/peers"
)

// An upload of a tree that is killed at random times leaves only whole files under their names,
// from this version of the tree or from the version before. The last run completes the tree, and
// removes the temporary files of the killed runs. A mirror of the result, which is killed as well,
// is the same tree.
//
// LOCUS_ROUNDS is the number of kills; the default is 6.
func TestKilledSend(t *testing.T) {
	t.Parallel()
	const alice = "ftp://alice:secret@"
	for _, test := range []struct {
		name   string
		start  func(testing.TB, string) *peers.Server // nil: OpenSSH, if before is set
		before string                                 // the URL up to the address
		sizes  int                                    // the number of different sizes: 1, 2, 4 … up to 1<<(sizes-1)
		times  bool                                   // the server stores the times of files
		tells  bool                                   // the server tells a time
	}{
		{"file", nil, "", 23, true, true},
		{"vsftpd", peers.VSFTPD, "ftp://", 23, true, true},
		{"proftpd", peers.ProFTPD, alice, 23, true, true},
		{"pure-ftpd", peers.PureFTPd, alice, 23, true, true},
		{"pyftpdlib", func(t testing.TB, root string) *peers.Server { return peers.Pyftpdlib(t, root, "surrogateescape") }, "ftp://", 23, true, true},
		{"inetutils", peers.InetutilsFTPD, "ftp://", 23, false, true},
		{"nginx", peers.Nginx, "http://", 20, false, true}, // nginx accepts up to 1 MiB
		{"apache", peers.Apache, "http://", 23, false, true},
		{"lighttpd", peers.LighttpdDAV, "http://", 23, false, false},
		{"openssh", nil, "sftp://", 23, true, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			if err := os.MkdirAll(filepath.Join(root, "dav"), 0o777); err != nil {
				t.Fatal(err)
			}
			k := &killedSend{T: t, target: filepath.Join(root, "dav", "www"), sizes: test.sizes, times: test.times, tells: test.tells}
			k.home = t.TempDir()
			switch {
			case test.start != nil:
				k.url = test.before + test.start(t, root).Addr + "/dav/www/"
			case test.before != "":
				k.url = test.before + openSSH(t, root, k.home) + "/~/dav/www/"
			default:
				k.url = "file://" + k.target + "/"
			}
			k.run()
		})
	}
}

// openSSH starts OpenSSH's server of root, and writes the keys for it to the home of the command. It returns the user and
// the address for a URL.
func openSSH(t *testing.T, root, home string) string {
	t.Helper()
	s := peers.OpenSSH(t, root)
	dir := filepath.Join(home, ".ssh")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	known := knownhosts.Line([]string{s.Addr}, s.HostKey.PublicKey()) + "\n"
	for name, text := range map[string]string{"known_hosts": known, "id_ed25519": s.PrivateKey} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s.User + "@" + s.Addr
}

// A killedSend is an upload that is killed.
type killedSend struct {
	*testing.T
	url           string // of the target
	target        string // its folder
	home          string // of the command
	source, state string
	sizes         int
	times, tells  bool
	random        *rand.Rand
	took          time.Duration // the duration of a whole run
	kills         int           // before the end
}

func (k *killedSend) run() {
	rounds := 6
	if n, err := strconv.Atoi(os.Getenv("LOCUS_ROUNDS")); err == nil {
		rounds = n
	}
	k.source, k.state, k.random = k.TempDir(), k.TempDir(), rand.New(rand.NewPCG(1, 2))
	put := []string{"put", "-r", "--replace-newer", "--delete", k.source, k.url}
	k.writeVersion(0)
	begin := time.Now()
	k.whole(put...)
	k.took = time.Since(begin)
	for round := range rounds {
		k.writeVersion(round)
		k.killed(put...)
		k.checkVersions(round)
	}
	time.Sleep(time.Second) // until the server has noticed the last kill
	k.whole(put...)
	k.compare("the target", tree(k.T, k.target))
	if out := k.whole(append(put, "--json")...); bytes.Contains(out, []byte(`"event":"done"`)) {
		k.Errorf("an upload to a complete target sends files again:\n%s", out)
	}
	k.mirrorBack(rounds / 4)
	k.Logf("%d of %d runs were killed before their end", k.kills, rounds+rounds/4)
}

// mirrorBack copies the target to a folder. It is killed a few times.
func (k *killedSend) mirrorBack(rounds int) {
	back := k.TempDir()
	for range rounds {
		k.killed("mirror", "--ignore-robots", k.url, back)
	}
	k.whole("mirror", "--ignore-robots", k.url, back)
	k.compare("the copy", tree(k.T, back))
	if !k.tells {
		return
	}
	like := k.target
	if k.times {
		like = k.source
	}
	for name := range tree(k.T, like) {
		copied, err := os.Stat(filepath.Join(back, name))
		if err != nil {
			k.Fatal(err)
		}
		original, err := os.Stat(filepath.Join(like, name))
		if err != nil {
			k.Fatal(err)
		}
		if !copied.ModTime().Equal(original.ModTime().Truncate(time.Second)) && !copied.ModTime().Equal(original.ModTime()) {
			k.Errorf("%s has the time %v in the copy, and %v in the source", name, copied.ModTime(), original.ModTime())
		}
	}
}

// compare reports the differences between a tree and the source.
func (k *killedSend) compare(what string, got map[string]content) {
	want := tree(k.T, k.source)
	for name, text := range want {
		if got[name] != text {
			k.Errorf("%s: %s differs", what, name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			k.Errorf("%s has the file %s, which the source does not have", what, name)
		}
	}
}

// killed runs the command, and kills it after some time.
func (k *killedSend) killed(args ...string) {
	ctx, cancel := context.WithTimeout(k.Context(), 10*time.Millisecond+time.Duration(k.random.Int64N(int64(k.took))))
	defer cancel()
	out, err := k.command(ctx, args...)
	if err != nil && ctx.Err() == nil {
		k.Fatalf("%v\n%s", err, out)
	}
	if err != nil {
		k.kills++
	}
}

// whole runs the command to its end.
func (k *killedSend) whole(args ...string) []byte {
	out, err := k.command(k.Context(), args...)
	if err != nil {
		k.Fatalf("the last run: %v\n%s", err, out)
	}
	return out
}

func (k *killedSend) command(ctx context.Context, args ...string) ([]byte, error) {
	cmd := process(ctx, args...)
	cmd.Env = append(cmd.Environ(), "XDG_STATE_HOME="+k.state, "HOME="+k.home, "SSH_AUTH_SOCK=")
	return cmd.CombinedOutput()
}

// sizeOf and letterOf describe the content of file i in a round: a repeated letter, and the number
// of repetitions.
func (k *killedSend) sizeOf(i, round int) int64 { return 1<<(i%k.sizes) + int64(round) }

func letterOf(round int) byte { return 'a' + byte(round%26) }

// folders are names with characters that must be escaped.
var folders = []string{"dir", "dür 1", "a&b=#2", "semi;type=a", "100% +"}

func (k *killedSend) writeVersion(round int) {
	when := time.Now().Add(time.Duration(round-1000) * time.Hour).Truncate(time.Second)
	piece := bytes.Repeat([]byte{letterOf(round)}, pieceSize)
	for i := range 40 {
		name := filepath.Join(k.source, folders[i%5], fmt.Sprintf("file %d", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			k.Fatal(err)
		}
		if err := writePieces(name, piece, k.sizeOf(i, round)); err != nil {
			k.Fatal(err)
		}
		if err := os.Chtimes(name, when, when); err != nil {
			k.Fatal(err)
		}
	}
}

// writePieces writes a file of a size that repeats piece.
func writePieces(name string, piece []byte, size int64) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for ; size > 0 && err == nil; size -= int64(len(piece)) {
		_, err = f.Write(piece[:min(size, int64(len(piece)))])
	}
	return err
}

// unfinished matches the names of incomplete uploads, of locus and of mod_dav.
var unfinished = regexp.MustCompile(`\.part-[0-9a-f]{16}$|^\.davfs\.tmp`)

// checkVersions checks that each file is whole, and from some round.
func (k *killedSend) checkVersions(last int) {
	names, err := filepath.Glob(filepath.Join(k.target, "*", "*"))
	if err != nil {
		k.Fatal(err)
	}
	piece := make([]byte, pieceSize)
	for _, name := range names {
		var i int
		if unfinished.MatchString(filepath.Base(name)) { // the server may be about to remove the file
			continue
		}
		if _, err := fmt.Sscanf(filepath.Base(name), "file %d", &i); err != nil {
			k.Errorf("%s is not a file of the source", name)
			continue
		}
		letter, others := byte(0), 0
		size, err := readPieces(name, piece, func(p []byte) {
			if letter == 0 && len(p) > 0 {
				letter = p[0]
			}
			others += len(p) - bytes.Count(p, []byte{letter})
		})
		if errors.Is(err, fs.ErrNotExist) && strings.HasSuffix(name, "~") { // lighttpd has just renamed the file
			continue
		}
		round := int(size - k.sizeOf(i, 0))
		if err != nil || round < 0 || round > last || letter != letterOf(round) || others > 0 {
			k.Fatalf("%s has %d bytes that belong to no version: %v", name, size, err)
		}
	}
}
