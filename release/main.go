// Command release builds the files of a release of locus into a folder:
//
//	cd release && go run . -out ../dist
//
// The files are:
//
//   - archives for each platform
//   - packages for Debian and Fedora
//   - the files of the container image
//   - a list of all modules (SBOM)
//   - a Homebrew formula and winget manifests
//   - the checksums of all files
//
// Two runs on the same commit write the same bytes. The files are built from a clone, so
// they do not contain uncommitted changes. Go stamps the version into the program. It is
// the tag of the commit, or a version that Go derives from the time and the name of the
// commit.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

// platforms are the platforms of a release. Each is an operating system and a processor.
const platforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// A release says what to build, and into which folder.
type release struct {
	root      string // the folder of the sources, a clone
	out       string // the folder to write to
	platforms []platform
	url       string // the URL of the repository; its releases are at URL/releases

	version string    // without "v"
	time    time.Time // the time of the commit, and of every file
}

// A platform is an operating system and a processor, as Go names them.
type platform struct{ os, arch string }

// String returns the platform as names of files have it, such as "linux_amd64".
func (p platform) String() string { return p.os + "_" + p.arch }

// program returns the file name of the program on the platform.
func (p platform) program() string {
	if p.os == "windows" {
		return "locus.exe"
	}
	return "locus"
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := flag.String("out", "dist", "write to this `folder`, whose old content is removed")
	list := flag.String("platforms", platforms, "build for these platforms")
	url := flag.String("url", "https://example.org/locus", "the `URL` of the repository, for the formula and the manifests")
	flag.Parse()
	r := &release{out: *out, url: *url}
	for _, name := range strings.Split(*list, ",") {
		system, arch, _ := strings.Cut(name, "/")
		r.platforms = append(r.platforms, platform{system, arch})
	}
	if err := r.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
	fmt.Println("locus", r.version, "is in", r.out)
}

// run removes the folder r.out, and builds the files of the release into it. The order of the steps
// matters, because later steps need the files of earlier ones.
func (r *release) run(ctx context.Context) error {
	var err error
	if r.out, err = filepath.Abs(r.out); err != nil {
		return err
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "locus-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	r.root = filepath.Join(folder, "locus")
	for _, step := range []func(context.Context) error{
		r.clone, r.build, r.share, r.archives, r.packages, r.firefox, r.image, r.bill, r.templates, r.checksums,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// file returns the path of a file of the release, such as …/locus_0.1.0_linux_amd64.tar.gz for
// "linux_amd64.tar.gz".
func (r *release) file(rest string) string {
	return filepath.Join(r.out, "locus_"+r.version+"_"+rest)
}

// write makes or replaces the file name, and makes its folder if it is missing.
func write(name string, text []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, mode)
}
