package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/goreleaser/nfpm/v2/files"
)

// builtIn is a temporary folder; "" if no test has built a release.
var builtIn string

// built is a release for this machine, which the tests share. It is below builtIn.
var built = sync.OnceValues(func() (*release, error) {
	var err error
	if builtIn, err = os.MkdirTemp("", "locus-release-test"); err != nil {
		return nil, err
	}
	r := &release{out: filepath.Join(builtIn, "dist"), platforms: []platform{host()}, url: "https://example.org/locus"}
	return r, r.run(context.Background())
})

func buildRelease(t *testing.T) *release {
	t.Helper()
	r, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Two builds of one commit, from two folders, have the same bytes.
func TestReproducible(t *testing.T) {
	first := buildRelease(t)
	second := &release{out: filepath.Join(t.TempDir(), "elsewhere", "dist"), platforms: first.platforms, url: first.url}
	if err := second.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	a, b := sumsBelow(t, first.out), sumsBelow(t, second.out)
	if len(a) < 10 {
		t.Fatalf("the release has only %d files", len(a))
	}
	for name, sum := range a {
		if b[name] != sum {
			t.Errorf("%s differs", name)
		}
		delete(b, name)
	}
	for name := range b {
		t.Errorf("%s is in the second release only", name)
	}
}

// sumsBelow returns a checksum of each file below a folder.
func sumsBelow(t *testing.T, folder string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(folder, name))
		sum := sha256.Sum256(text)
		sums[name] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// The archive has the program first, because action/check.sh expects it there, and does not
// tell anything about the machine that built it.
func TestArchive(t *testing.T) {
	r := buildRelease(t)
	f, err := os.Open(r.file(host().String() + ".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for members := tar.NewReader(unpacked); ; {
		h, err := members.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
		if !h.ModTime.Equal(r.time) || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%s: %v, user %d %q", h.Name, h.ModTime, h.Uid, h.Uname)
		}
	}
	if names[0] != "locus" {
		t.Errorf("the first file is %s, want locus", names[0])
	}
	for _, want := range []string{"LICENSE", "README.md", "SECURITY.md", "man/locus.1", "man/locus-get.1", "completions/_locus", "service/locus.service", "documentation/index.html", "documentation/doc/serve.html"} {
		if !slices.Contains(names, want) {
			t.Errorf("the archive lacks %s: %q", want, names)
		}
	}
}

// sha256sum accepts the checksums.
func TestChecksums(t *testing.T) {
	r := buildRelease(t)
	text, err := os.ReadFile(r.file("checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(text)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		content, err := os.ReadFile(filepath.Join(r.out, name))
		is := sha256.Sum256(content)
		if !ok || err != nil || hex.EncodeToString(is[:]) != sum {
			t.Errorf("%q: %v", line, err)
		}
		got = append(got, strings.TrimPrefix(name, "locus_"+r.version+"_"))
	}
	p := host().String()
	if want := []string{"firefox.xpi", p + ".deb", p + ".rpm", p + ".tar.gz", "sbom.cdx.json"}; !slices.Equal(got, want) {
		t.Errorf("there are checksums of %q, want %q", got, want)
	}
}

// The list of modules matches the program.
func TestBill(t *testing.T) {
	r := buildRelease(t)
	text, err := os.ReadFile(r.file("sbom.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		Format     string `json:"bomFormat"`
		Components []struct{ Name, Version, PURL string }
	}
	if err := json.Unmarshal(text, &bill); err != nil || bill.Format != "CycloneDX" {
		t.Fatalf("%q: %v", bill.Format, err)
	}
	said, err := r.locus(t.Context(), "version", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var version struct {
		Version, Commit string
		Modules         []struct{ Path, Version string }
	}
	if err := json.Unmarshal(said, &version); err != nil {
		t.Fatal(err)
	}
	if version.Version != "v"+r.version || len(version.Commit) != 40 {
		t.Errorf("the program is version %q of commit %q, want v%s", version.Version, version.Commit, r.version)
	}
	if len(version.Modules) == 0 || len(bill.Components) != len(version.Modules)+1 { // and std
		t.Errorf("%d components for %d modules", len(bill.Components), len(version.Modules))
	}
	for _, m := range version.Modules {
		if purl := "pkg:golang/" + m.Path + "@" + m.Version; !strings.Contains(string(text), `"purl": "`+purl+`"`) {
			t.Errorf("the component %s is missing", purl)
		}
	}
}

// The package for Debian has the files that it lists, and dpkg reads it.
func TestDeb(t *testing.T) {
	r := buildRelease(t)
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("there is no dpkg-deb here")
	}
	out, err := exec.CommandContext(t.Context(), "dpkg-deb", "--contents", r.file(host().String()+".deb")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{
		"-rwxr-xr-x root/root  ", "./usr/bin/locus\n", "./usr/lib/systemd/system/locus.service\n", "./usr/lib/systemd/system/locus.socket\n",
		"./etc/default/locus\n", "./usr/share/man/man1/locus.1.gz\n", "./usr/share/man/man1/locus-serve.1.gz\n",
		"./usr/share/applications/locus-handler.desktop\n", "./usr/share/applications/locus-session.desktop\n",
		"./usr/share/bash-completion/completions/locus\n", "./usr/share/doc/locus/copyright\n", "./usr/share/doc/locus/html/index.html\n", "./usr/share/doc/locus/html/doc/serve.html\n",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the package lacks %q:\n%s", want, out)
		}
	}
	entry, err := os.ReadFile(r.shared("applications/locus-handler.desktop"))
	if err != nil || !strings.Contains(string(entry), "\nExec=/usr/bin/locus open ") {
		t.Errorf("the desktop entry does not start the installed program: %v\n%s", err, entry)
	}
}

// The package for Fedora can be installed and removed. Removing it removes all of its
// files.
func TestRPM(t *testing.T) {
	r := buildRelease(t)
	for _, program := range []string{"rpm", "fakeroot"} {
		if _, err := exec.LookPath(program); err != nil && (program == "rpm" || os.Getuid() != 0) {
			t.Skipf("there is no %s here", program)
		}
	}
	root := t.TempDir()
	rpm := func(args ...string) string {
		t.Helper()
		args = append([]string{"rpm", "--root", root}, args...)
		if os.Getuid() != 0 {
			args = append([]string{"fakeroot"}, args...)
		}
		out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	rpm("--initdb")
	rpm("--install", "--nodeps", "--noscripts", r.file(host().String()+".rpm"))
	files := rpm("--query", "--list", "locus")
	for _, want := range []string{"/usr/bin/locus\n", "/usr/share/man/man1/locus-serve.1.gz\n", "/usr/share/zsh/site-functions/_locus\n"} {
		if !strings.Contains(files, want) {
			t.Errorf("the package lacks %q:\n%s", want, files)
		}
	}
	rpm("--verify", "locus") // it checks the size, the sum and the mode of each file
	rpm("--erase", "--noscripts", "locus")
	err := filepath.WalkDir(filepath.Join(root, "usr"), func(name string, d fs.DirEntry, err error) error {
		if strings.Contains(d.Name(), "locus") {
			t.Errorf("%s is left", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A package has all folders of the documentation, also a folder with folders alone, because rpm removes only folders of
// the package.
func TestFolders(t *testing.T) {
	r := &release{out: t.TempDir()}
	for _, name := range []string{"documentation/index.html", "documentation/a/b/c.html"} {
		if err := r.writeShared(name, nil); err != nil {
			t.Fatal(err)
		}
	}
	all, err := r.contents(host(), "/usr/share/zsh")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range all {
		if c.Type == files.TypeDir {
			got = append(got, c.Destination)
		}
	}
	const doc = "/usr/share/doc/locus"
	if want := []string{doc, doc + "/examples", doc + "/html", doc + "/html/a", doc + "/html/a/b"}; !slices.Equal(got, want) {
		t.Errorf("the folders of a package = %q, want %q", got, want)
	}
}

// The size of the program has a limit, so that growth is noticed.
func TestSize(t *testing.T) {
	r := buildRelease(t)
	info, err := os.Stat(r.binary(host()))
	if err != nil {
		t.Fatal(err)
	}
	const limit = 25e6
	t.Logf("the program has %d bytes", info.Size())
	if info.Size() > limit {
		t.Errorf("the program has %d bytes, more than %.0f", info.Size(), limit)
	}
}

// The program must not call a method by a name that is only known while it runs, as
// text/template does when it executes a template, because the linker would keep every
// exported method of every type, 2.7 MB.
func TestMethodsAreNotFoundByName(t *testing.T) {
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-dumpdep", "-o", filepath.Join(t.TempDir(), "locus"), "./cmd/locus")
	build.Dir = ".."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	text, err := build.CombinedOutput()
	if err != nil || !bytes.Contains(text, []byte(" -> main.main")) {
		t.Fatalf("go build: %v\n%.1000s", err, text)
	}
	for line := range strings.Lines(string(text)) {
		if _, to, ok := strings.Cut(line, " -> "); ok && strings.HasSuffix(to, "<ReflectMethod>\n") {
			t.Errorf("a method is called by name: %s", line)
		}
	}
}

// The formula and the manifests have the sums of the archives, and every placeholder is
// replaced.
func TestTemplates(t *testing.T) {
	r := &release{root: "..", out: t.TempDir(), version: "0.1.0", url: "https://example.org/locus"}
	for name := range strings.SplitSeq(platforms, ",") {
		system, arch, _ := strings.Cut(name, "/")
		p := platform{system, arch}
		r.platforms = append(r.platforms, p)
		kind := ".tar.gz"
		if p.os == "windows" {
			kind = ".zip"
		}
		if err := write(r.file(p.String()+kind), []byte(p.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.templates(t.Context()); err != nil {
		t.Fatal(err)
	}
	sum := func(text string) string {
		s := sha256.Sum256([]byte(text))
		return hex.EncodeToString(s[:])
	}
	for name, wants := range map[string][]string{
		"homebrew/locus.rb":              {`version "0.1.0"`, `url "https://example.org/locus/releases/download/v0.1.0/locus_0.1.0_darwin_arm64.tar.gz"`, sum("darwin_arm64"), sum("linux_amd64")},
		"winget/locus.installer.yaml":    {"PackageVersion: 0.1.0\n", "v0.1.0/locus_0.1.0_windows_amd64.zip\n", sum("windows_amd64"), sum("windows_arm64")},
		"winget/locus.locale.en-US.yaml": {"PackageVersion: 0.1.0\n"},
		"winget/locus.yaml":              {"PackageVersion: 0.1.0\n"},
	} {
		text, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s lacks %q:\n%s", name, want, text)
			}
		}
	}
}

func TestMain(m *testing.M) {
	code := m.Run()
	if builtIn != "" {
		os.RemoveAll(builtIn)
	}
	os.Exit(code)
}
