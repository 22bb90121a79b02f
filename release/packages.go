package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// packages writes a package for Debian and one for Fedora, for each processor of Linux.
func (r *release) packages(context.Context) error {
	if err := r.compress(); err != nil {
		return err
	}
	for _, p := range r.platforms {
		if p.os != "linux" {
			continue
		}
		for _, kind := range []string{"deb", "rpm"} {
			if err := r.pack(p, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

// pack writes the package of a kind, "deb" or "rpm", for a platform.
func (r *release) pack(p platform, kind string) error {
	packager, err := nfpm.Get(kind)
	if err != nil {
		return err
	}
	info := nfpm.WithDefaults(r.info(p))
	if info.Contents, err = r.contents(p, zshFolders[kind]); err != nil {
		return err
	}
	if err := nfpm.PrepareForPackager(info, kind); err != nil {
		return err
	}
	return create(r.file(p.String()+"."+kind), func(w io.Writer) error { return packager.Package(info, w) })
}

// info returns the description of the package for a platform, without its files.
func (r *release) info(p platform) *nfpm.Info {
	info := &nfpm.Info{
		Name: "locus", Arch: p.arch, Platform: "linux", Version: r.version, Section: "net", Priority: "optional",
		Maintainer: "The locus authors <" + r.url + ">", Homepage: r.url, License: "BSD-3-Clause",
		Description: "understand and open URLs of every scheme\n" +
			"A command, and a gateway for web browsers, that opens ftp, gopher, news, wais,\ntelnet and all other URLs of RFC 1738.",
		MTime: r.time, DisableGlobbing: true,
	}
	info.Umask = 0o022
	info.Recommends = []string{"ca-certificates"}
	info.RPM.BuildHost = "localhost" // not the machine that builds, so that builds have the same bytes
	info.RPM.Summary = "Understand and open URLs of every scheme"
	info.Scripts = nfpm.Scripts{
		PostInstall: filepath.Join(r.root, "release/files", "postinst.sh"),
		PreRemove:   filepath.Join(r.root, "release/files", "prerm.sh"),
		PostRemove:  filepath.Join(r.root, "release/files", "postrm.sh"),
	}
	return info
}

// zshFolders are the folders in which zsh looks for the completions of packages.
var zshFolders = map[string]string{"deb": "/usr/share/zsh/vendor-completions", "rpm": "/usr/share/zsh/site-functions"}

// contents returns the files of the package for a platform. zshFolder is the folder for the
// completions of zsh. The error says why the files of the documentation cannot be listed.
func (r *release) contents(p platform, zshFolder string) (files.Contents, error) {
	var all files.Contents
	add := func(destination, source string, mode os.FileMode) *files.Content {
		c := &files.Content{Source: source, Destination: destination, FileInfo: &files.ContentFileInfo{Mode: mode, MTime: r.time, Owner: "root", Group: "root"}}
		all = append(all, c)
		return c
	}
	add(installed, r.binary(p), 0o755)
	for _, name := range []string{"locus.service", "locus.socket"} {
		add("/usr/lib/systemd/system/"+name, filepath.Join(r.root, "release/files", name), 0o644)
	}
	add("/etc/default/locus", filepath.Join(r.root, "release/files", "locus.default"), 0o644).Type = files.TypeConfigNoReplace
	for destination, folder := range map[string]string{"/usr/share/man/man1/": "man.gz", "/usr/share/applications/": "applications"} {
		names, _ := filepath.Glob(r.shared(folder + "/*")) // the pattern is valid
		for _, name := range names {
			add(destination+filepath.Base(name), name, 0o644)
		}
	}
	add("/usr/share/bash-completion/completions/locus", r.shared("completions/locus"), 0o644)
	add(zshFolder+"/_locus", r.shared("completions/_locus"), 0o644)
	add("/usr/share/fish/vendor_completions.d/locus.fish", r.shared("completions/locus.fish"), 0o644)
	pages, err := r.sharedFiles("documentation")
	if err != nil {
		return nil, err
	}
	const top = "/usr/share/doc/locus"
	folders := map[string]bool{top: true, top + "/examples": true}
	for _, name := range pages {
		destination := top + "/html" + strings.TrimPrefix(name, "documentation")
		add(destination, r.shared(name), 0o644)
		for folder := path.Dir(destination); folder != top; folder = path.Dir(folder) {
			folders[folder] = true
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) { // because rpm removes only folders of the package
		add(folder, "", 0o755).Type = files.TypeDir
	}
	add(top+"/copyright", filepath.Join(r.root, "LICENSE"), 0o644)
	add(top+"/changelog.gz", r.shared("changelog.gz"), 0o644)
	for _, name := range []string{"nginx.conf", "Caddyfile", "haproxy.cfg", "haproxy-tcp.cfg"} {
		add(top+"/examples/"+name, filepath.Join(r.root, "release/files", name), 0o644)
	}
	return all, nil
}

// compress writes the manual pages and the changelog, compressed, to the shared files. The
// compressed data does not contain a time, as Debian requires.
func (r *release) compress() error {
	pages, err := filepath.Glob(r.shared("man/*.1"))
	if err != nil {
		return err
	}
	for _, page := range append(pages, filepath.Join(r.root, "CHANGELOG.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			return err
		}
		_, _ = w.Write(text) // a bytes.Buffer does not return errors
		if err := w.Close(); err != nil {
			return err
		}
		name := "man.gz/" + filepath.Base(page) + ".gz"
		if strings.HasSuffix(page, "CHANGELOG.md") {
			name = "changelog.gz"
		}
		if err := r.writeShared(name, packed.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
