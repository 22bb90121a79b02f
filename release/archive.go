package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A member is a file of an archive or a package.
type member struct {
	name, source string // the path in the archive, and the file with the content
	mode         os.FileMode
}

// archives writes an archive for each platform: a zip file for Windows, else a tar file.
func (r *release) archives(context.Context) error {
	for _, p := range r.platforms {
		all, err := r.members(p)
		if err != nil {
			return err
		}
		write, kind := r.writeTar, ".tar.gz"
		if p.os == "windows" {
			write, kind = r.writeZip, ".zip"
		}
		if err := create(r.file(p.String()+kind), func(w io.Writer) error { return write(w, all) }); err != nil {
			return err
		}
	}
	return nil
}

// members returns the files of the archive for a platform: the program, and then the others sorted
// by name.
func (r *release) members(p platform) ([]member, error) {
	all := []member{{p.program(), r.binary(p), 0o755}}
	for _, name := range []string{"README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md"} {
		all = append(all, member{name, filepath.Join(r.root, name), 0o644})
	}
	folders := []string{"completions", "documentation", "man"}
	if p.os == "linux" {
		for _, name := range []string{"locus.service", "locus.socket", "locus.default", "nginx.conf", "Caddyfile", "haproxy.cfg", "haproxy-tcp.cfg"} {
			all = append(all, member{"service/" + name, filepath.Join(r.root, "release/files", name), 0o644})
		}
	}
	for _, folder := range folders {
		names, err := r.sharedFiles(folder)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			all = append(all, member{name, r.shared(name), 0o644})
		}
	}
	slices.SortStableFunc(all[1:], func(a, b member) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// create makes or replaces the file name, calls fill to write the content, and closes the file. It
// returns the errors of fill and of closing.
func create(name string, fill func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(fill(f), f.Close())
}

// writeTar writes the files as a compressed tar archive to w. The bytes depend only on the files and on r.time.
func (r *release) writeTar(w io.Writer, all []member) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(packed)
	for _, m := range all {
		text, err := os.ReadFile(m.source)
		if err != nil {
			return err
		}
		// Owner and group are left out, because they would come from the machine that
		// builds.
		h := &tar.Header{Name: m.name, Mode: int64(m.mode), Size: int64(len(text)), ModTime: r.time, Format: tar.FormatPAX}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(text); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), packed.Close())
}

// writeZip writes the files as a zip archive to w. The bytes depend only on the files and on r.time.
func (r *release) writeZip(w io.Writer, all []member) error {
	z := zip.NewWriter(w)
	for _, m := range all {
		text, err := os.ReadFile(m.source)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate, Modified: r.time}
		h.SetMode(m.mode)
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(text); err != nil {
			return err
		}
	}
	return z.Close()
}
