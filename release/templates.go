package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// facts has the fields and methods that the templates use.
type facts struct {
	Version, URL, Date string
	sums               map[string]string
}

// Archive returns the URL of the archive for a platform, such as "linux_amd64".
func (f facts) Archive(platform string) string {
	return f.URL + "/releases/download/v" + f.Version + "/" + f.name(platform)
}

// Sum returns the SHA-256 of the archive for a platform, in hexadecimal. It returns an error if the
// release lacks that archive.
func (f facts) Sum(platform string) (string, error) {
	sum, ok := f.sums[f.name(platform)]
	if !ok {
		return "", fmt.Errorf("the release lacks an archive for %s", platform)
	}
	return sum, nil
}

// name returns the file name of the archive for a platform such as "linux_amd64".
func (f facts) name(platform string) string {
	if strings.HasPrefix(platform, "windows_") {
		return "locus_" + f.Version + "_" + platform + ".zip"
	}
	return "locus_" + f.Version + "_" + platform + ".tar.gz"
}

// templates writes the Homebrew formula and the winget manifests. If the release does not have
// every platform that they name, it writes a note to stderr instead.
func (r *release) templates(context.Context) error {
	if len(r.platforms) < len(strings.Split(platforms, ",")) {
		fmt.Fprintln(os.Stderr, "release: the formula and the manifests are not written, because they need every platform")
		return nil
	}
	sums, err := r.sums()
	if err != nil {
		return err
	}
	f := facts{Version: r.version, URL: r.url, Date: r.time.Format("2006-01-02"), sums: sums}
	names, err := filepath.Glob(filepath.Join(r.root, "release/templates/*/*.tmpl"))
	if err != nil {
		return err
	}
	for _, name := range names {
		t, err := template.ParseFiles(name)
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := t.Execute(&text, f); err != nil {
			return err
		}
		folder, file := filepath.Split(strings.TrimSuffix(name, ".tmpl"))
		if err := write(filepath.Join(r.out, filepath.Base(folder), file), text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// sums returns the SHA-256 of each file to publish, in hexadecimal, by the name of the file.
func (r *release) sums() (map[string]string, error) {
	names, err := filepath.Glob(r.file("*"))
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		sums[filepath.Base(name)] = hex.EncodeToString(sum[:])
	}
	return sums, nil
}
