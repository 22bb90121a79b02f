// Package buildinfo says how the program was built: its version, its commit, and the modules
// that it contains.
package buildinfo

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// A Build describes how a program was built. As JSON it is the output of
// "locus version --json".
type Build struct {
	Version string   `json:"version"` // such as "v1.2.0"; "(devel)" without a version, "(unknown)" without any information
	Commit  string   `json:"commit"`  // "": unknown
	Date    string   `json:"date"`    // of the commit, as RFC 3339 says; "": unknown
	Changed bool     `json:"changed"` // there were changes after the commit
	Go      string   `json:"go"`      // the version of Go; "": unknown
	Modules []Module `json:"modules"` // not nil
}

// A Module is a Go module that the program contains.
type Module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

// Of returns the Build that info describes. With a nil info all fields are unknown.
func Of(info *debug.BuildInfo) Build {
	b := Build{Version: "(unknown)", Modules: []Module{}}
	if info == nil {
		return b
	}
	b.Go, b.Version = info.GoVersion, info.Main.Version
	if b.Version == "" {
		b.Version = "(devel)"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Changed = s.Value == "true"
		}
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		b.Modules = append(b.Modules, Module{m.Path, m.Version})
	}
	return b
}

// Product returns the program and its version, such as "locus/1.2.0" or "locus/(devel)".
func (b Build) Product() string { return "locus/" + strings.TrimPrefix(b.Version, "v") }

// String returns a line such as "locus v1.2.0 0123456789ab (go1.26.0)". It leaves out an unknown
// commit or Go version, and adds "+changes" for a build of changed files.
func (b Build) String() string {
	text := "locus " + b.Version
	if b.Commit != "" {
		text += " " + b.Commit[:min(12, len(b.Commit))]
	}
	if b.Changed {
		text += "+changes"
	}
	if b.Go == "" {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, b.Go)
}
