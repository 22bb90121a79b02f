package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strings"
)

// withoutRace are the packages that do not start goroutines, neither themselves nor in
// tests. They are tested without the detector, because it makes their tests five to ten
// times as slow and cannot find a race. TestWithoutRace of internal/house compares the list
// with the sources.
//
// Packages of the command are not in the list, because the libraries that they use start
// goroutines. killtest is in the list, although its tests start goroutines, because they
// test other processes, which run without the detector.
var withoutRace = []string{
	"locus/access",
	"locus/access/engine",
	"locus/check/site",
	"locus/cmd/locus/internal/killtest",
	"locus/compare",
	"locus/demo/internal/library",
	"locus/extract/document",
	"locus/extract/document/dialect",
	"locus/extract/document/internal/asciidoc",
	"locus/extract/document/internal/css",
	"locus/extract/document/internal/emit",
	"locus/extract/document/internal/gopher",
	"locus/extract/document/internal/html",
	"locus/extract/document/internal/json",
	"locus/extract/document/internal/mail",
	"locus/extract/document/internal/man",
	"locus/extract/document/internal/markdown",
	"locus/extract/document/internal/notebook",
	"locus/extract/document/internal/rst",
	"locus/extract/document/internal/slug",
	"locus/extract/document/internal/tex",
	"locus/extract/document/internal/xml",
	"locus/gateway/internal/entry",
	"locus/gateway/internal/page",
	"locus/internal/ascii",
	"locus/internal/autoindex",
	"locus/internal/ber",
	"locus/internal/bibliography",
	"locus/internal/cells",
	"locus/internal/charset",
	"locus/internal/edit",
	"locus/internal/encodedword",
	"locus/internal/facts",
	"locus/internal/filelock",
	"locus/internal/forwarded",
	"locus/internal/fuzzing",
	"locus/internal/growth",
	"locus/internal/gemtext",
	"locus/internal/house",
	"locus/internal/marc",
	"locus/internal/record",
	"locus/internal/render",
	"locus/internal/rewrite",
	"locus/internal/sentinel",
	"locus/internal/shard",
	"locus/internal/trail",
	"locus/internal/weburl",
	"locus/internal/typo",
	"locus/internal/vectors",
	"locus/internal/xdr",
	"locus/transfer/internal/offline",
	"locus/transfer/internal/tree",
	"locus/proto/data",
	"locus/proto/internal/mediatype",
	"locus/proto/internal/message",
	"locus/proto/internal/ph",
	"locus/proto/internal/screen",
	"locus/proto/internal/urilist",
	"locus/proto/internal/words",
	"locus/scheme",
	"locus/terminal",
	"locus/url",
	"locus/url/iri",
	"locus/url/query",
	"locus/url/whatwg",
}

// split returns the arguments of the `go test` commands that together do the work of args, to be run at
// once. packages are the import paths of the packages that args name. Without -race the result is args
// alone. With -race, one command tests the packages of withoutRace without the detector, one package at
// a time, and another tests the rest. A flag -p in args takes precedence.
func split(args, packages []string) [][]string {
	race := slices.Index(args, "-race")
	if race < 0 {
		return [][]string{args}
	}
	var with, without []string
	for _, pkg := range packages {
		if slices.Contains(withoutRace, pkg) {
			without = append(without, pkg)
		} else {
			with = append(with, pkg)
		}
	}
	for _, packages := range [][]string{with, without} {
		slices.SortStableFunc(packages, func(a, b string) int { return rank(a) - rank(b) })
	}
	flags := args[:firstPattern(args)]
	var runs [][]string
	if len(without) > 0 {
		runs = append(runs, slices.Concat([]string{"-p=1"}, flags[:race], flags[race+1:], without))
	}
	if len(with) > 0 {
		runs = append(runs, slices.Concat([]string{manyAtOnce()}, flags, with))
	}
	return runs
}

// list returns the import paths of the packages that args name, as `go list` does.
func list(args []string) ([]string, error) {
	cmd := exec.Command("go", append([]string{"list"}, args[firstPattern(args):]...)...)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, problem.Bytes())
	}
	return strings.Fields(string(out)), nil
}

// firstPattern returns the index of the first argument that names packages, or len(args).
func firstPattern(args []string) int {
	if i := slices.IndexFunc(args, isPattern); i >= 0 {
		return i
	}
	return len(args)
}

// manyAtOnce returns the flag that tests more packages at once than there are processors, because the
// tests of some packages wait.
func manyAtOnce() string { return fmt.Sprintf("-p=%d", runtime.GOMAXPROCS(0)+1) }

// isPattern reports whether an argument names packages.
func isPattern(arg string) bool {
	return strings.HasPrefix(arg, ".") || strings.HasPrefix(arg, "locus")
}

// longest are the packages whose tests take longest. They start processes and wait for
// them, or talk to many servers.
var longest = []string{
	"locus/cmd/locus", "locus/cmd/locus/internal/killtest", "locus/cmd/locus/internal/browsertest",
	"locus/transfer", "locus/gateway", "locus/proto/ftp", "locus/archive", "locus/check",
}

// rank returns the place of a package in the order in which tests start: first the packages of
// longest, in their order, then the other packages of the command, because their tests often wait
// and other tests can run meanwhile, and then all others.
func rank(pkg string) int {
	switch i := slices.Index(longest, pkg); {
	case i >= 0:
		return i
	case strings.HasPrefix(pkg, "locus/cmd/"):
		return len(longest)
	default:
		return len(longest) + 1
	}
}
