package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// binary returns the path of the program for a platform.
func (r *release) binary(p platform) string {
	return filepath.Join(r.out, "bin", p.String(), p.program())
}

// clone clones the repository in the folder above, with its last commit and its tags, into r.root,
// so that uncommitted files are left out.
func (r *release) clone(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "git", "clone", "--quiet", "..", r.root)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git clone: %w", err)
	}
	return nil
}

// build builds the program for every platform and for this machine, and reads its version.
func (r *release) build(ctx context.Context) error {
	for _, p := range r.withHost() {
		cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=true", "-trimpath", "-ldflags=-s -w -funcalign=16", "-o", r.binary(p), "./cmd/locus")
		cmd.Dir = r.root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOOS="+p.os, "GOARCH="+p.arch)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("build for %s: %w", p, err)
		}
	}
	return r.readVersion()
}

// host returns the platform of this machine.
func host() platform { return platform{runtime.GOOS, runtime.GOARCH} }

// withHost returns r.platforms, with the platform of this machine in front if they lack it, because
// share runs the program of this machine.
func (r *release) withHost() []platform {
	for _, p := range r.platforms {
		if p == host() {
			return r.platforms
		}
	}
	return append([]platform{host()}, r.platforms...)
}

// readVersion sets r.version and r.time to the version and the time of the commit, which it reads
// from the program of this machine. It returns an error if the program was not built from a commit.
func (r *release) readVersion() error {
	info, err := buildinfo.ReadFile(r.binary(host()))
	if err != nil {
		return err
	}
	r.version = strings.TrimPrefix(info.Main.Version, "v")
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			if r.time, err = time.Parse(time.RFC3339, s.Value); err != nil {
				return err
			}
		}
	}
	if r.time.IsZero() || r.version == "" || r.version == "(devel)" {
		return errors.New("the program lacks a version: build from a clone of the git repository")
	}
	return nil
}
