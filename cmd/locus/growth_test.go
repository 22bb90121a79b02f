package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"locus/demo"
	"locus/internal/growth"
	"locus/internal/peers"
)

// The cost of each verb grows no faster than its input. The allocations count, because time depends on the
// machine. The race detector is left out, because it drops buffers of pools at random.
func TestGrowth(t *testing.T) {
	lines := func(format string) func(t *testing.T, n int) (string, []string) {
		return func(_ *testing.T, n int) (stdin string, args []string) {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, format+"\n", i)
			}
			return b.String(), nil
		}
	}
	hrefs := lines("http://h/a/b/%d?q")
	urls := lines("ftp://h%[1]d.example/a/%%7Eb/../%[1]d;type=a")
	pages := func(t *testing.T, n int) (string, []string) { return "", []string{pagesIn(t, n)} }
	for _, test := range []struct {
		args  string
		n     int
		input func(t *testing.T, n int) (stdin string, args []string) // more arguments
	}{
		{"parse", 500, urls},
		{"parse --json", 500, urls},
		{"normalize", 500, urls},
		{"normalize --as whatwg", 500, urls},
		{"resolve http://h/a/b", 500, lines("../%d")},
		{"relative http://h/a/c", 500, hrefs},
		{"equal http://h/a", 500, hrefs},
		{"edit --set user=ada", 500, urls},
		{"compare", 200, urls},
		{"extract", 2000, lines("see http://h/%d, or <a href=b>")},
		{"extract --unique", 2000, lines("see http://h/%d, or mailto:a@b")},
		{"extract", 100, pages},
		{"check --offline", 200, pages},
		{"check --offline --json", 200, pages},
	} {
		name := strings.TrimSpace("locus " + test.args)
		growth.Check(t, name, test.n, func(n int) func() {
			stdin, more := test.input(t, n)
			return running(t, stdin, append(strings.Fields(test.args), more...)...)
		})
	}
}

// pagesIn returns a new folder with n pages, which link to each other.
func pagesIn(t *testing.T, n int) (dir string) {
	dir = t.TempDir()
	for i := range n {
		page := fmt.Sprintf("<h1 id=a%[1]d>page</h1><a href='%[2]d.html#a%[2]d'>next</a> <a href='%[3]d.html#no'>far</a> <a href=none%[1]d>none</a>", i, (i+1)%n, (i*7)%n)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.html", i)), []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The cost of each verb that lists or copies grows no faster than the number of files.
func TestGrowthOfCopies(t *testing.T) {
	const n = 50
	servers := map[int]map[string]string{n: demoWith(t, n), 4 * n: demoWith(t, 4*n)}
	for _, args := range []string{
		"ls FTP/files/", "ls -l FTP/files/", "ls --json GOPHER/1/files", "ls HTTP/files/",
		"get -r --output-dir DIR FTP/files/", "mirror FTP/files/ DIR", "mirror GOPHER/1/files DIR", "mirror HTTP/files/ DIR",
		"check -r HTTP/files/", "check -r FTP/files/",
		"get --output-dir DIR FTP/files/N.txt", "get HTTP/files/N.txt", "stat FTP/files/N.txt", "stat HTTP/files/N.txt", "cp FTP/files/N.txt DIR/", "extract HTTP/files/N.txt",
	} {
		growth.Check(t, "locus "+args, n, func(n int) func() {
			roots := servers[n]
			place := strings.NewReplacer("FTP", roots["ftp"], "GOPHER", roots["gopher"], "HTTP", roots["http"], "DIR", t.TempDir())
			var words []string
			for word := range strings.FieldsSeq(place.Replace(args)) {
				words = append(words, forEach(word, n)...)
			}
			return running(t, "", words...)
		})
	}
}

// forEach returns n words, in which a number replaces "N.txt", or the word itself if it does not end so.
func forEach(word string, n int) (words []string) {
	start, ok := strings.CutSuffix(word, "N.txt")
	if !ok {
		return []string{word}
	}
	for i := range n {
		words = append(words, fmt.Sprintf("%s%d.txt", start, i))
	}
	return words
}

// demoWith starts the demo's servers with a folder of n files. It returns their roots by schemes.
func demoWith(t *testing.T, n int) (roots map[string]string) {
	files := fstest.MapFS{}
	for i := range n {
		files[fmt.Sprintf("files/%d.txt", i)] = &fstest.MapFile{Data: []byte("text"), Mode: 0o644}
	}
	d, err := demo.Start(t.Context(), demo.Config{Listen: net.Listen, Files: files})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	roots = make(map[string]string)
	for _, s := range d.Services() {
		roots[s.Scheme] = strings.TrimSuffix(s.URL, "/")
	}
	return roots
}

// The cost of an upload grows no faster than the number of files, also if the server already has some of them.
func TestGrowthOfUploads(t *testing.T) {
	server := peers.VSFTPD(t, t.TempDir())
	for _, test := range []struct {
		name string
		keep func(i int) bool // the files that the server already has
	}{
		{"new", func(int) bool { return false }},
		{"repaired", func(i int) bool { return i%2 == 0 }},
		{"unchanged", func(int) bool { return true }},
	} {
		for _, verb := range []string{"put -r", "mirror --delete"} {
			growth.Check(t, "locus "+verb+", "+test.name, 50, func(n int) func() {
				from := pagesIn(t, n)
				to, err := os.MkdirTemp(server.Root, "copy")
				if err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(to, 0o777); err != nil {
					t.Fatal(err)
				}
				target := "ftp://" + server.Addr + "/" + filepath.Base(to) + "/"
				words := append(strings.Fields(verb), from, target)
				if !test.keep(0) {
					return running(t, "", words...)
				}
				running(t, "", words...)()
				for i := range n {
					if !test.keep(i) {
						if err := os.Remove(filepath.Join(to, fmt.Sprintf("%d.html", i))); err != nil {
							t.Fatal(err)
						}
					}
				}
				return running(t, "", words...)
			})
		}
	}
}

// running returns a function that runs the command in this process, and fails t if the command fails.
func running(t *testing.T, stdin string, args ...string) func() {
	dir := t.TempDir()
	var files [3]*os.File
	for i, name := range []string{"in", "out", "err"} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		files[i] = f
	}
	if _, err := files[0].WriteAt([]byte(stdin), 0); err != nil {
		t.Fatal(err)
	}
	return func() {
		status := program().Run(t.Context(), testEnv(files[0], files[1], files[2]), append([]string{"locus"}, args...))
		problem, err := os.ReadFile(files[2].Name())
		if err != nil || status != 0 && args[0] != "equal" && args[0] != "check" || status == 2 {
			t.Errorf("locus %q: status %d, %v, %s", args, status, err, problem)
		}
	}
}
