package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// withoutRace are the packages that start no goroutines, neither themselves nor in tests.
// They have no races to detect, and the detector makes their tests five to ten times as
// slow. TestWithoutRace holds the list to what the sources say. Those of the command are not
// in it: the libraries that they use start goroutines.
var withoutRace = []string{
	"locus/access",
	"locus/board",
	"locus/check/config",
	"locus/check/runfile",
	"locus/compare",
	"locus/demo/library",
	"locus/describe",
	"locus/desktop",
	"locus/extract/document",
	"locus/extract/rewrite",
	"locus/internal/ascii",
	"locus/internal/autoindex",
	"locus/internal/ber",
	"locus/internal/buildinfo",
	"locus/internal/cells",
	"locus/internal/charset",
	"locus/internal/edit",
	"locus/internal/facts",
	"locus/internal/filelock",
	"locus/internal/flags",
	"locus/internal/form",
	"locus/internal/gateways",
	"locus/internal/manual",
	"locus/internal/record",
	"locus/internal/savefile",
	"locus/internal/sentinel",
	"locus/internal/tests",
	"locus/internal/typo",
	"locus/internal/urllist",
	"locus/internal/work",
	"locus/internal/xdr",
	"locus/marc",
	"locus/netrc",
	"locus/proto/internal/mediatype",
	"locus/proto/internal/screen",
	"locus/proto/internal/urilist",
	"locus/proto/internal/words",
	"locus/render",
	"locus/scheme",
	"locus/scheme/trail",
	"locus/server/certs",
	"locus/terminal",
	"locus/url",
	"locus/url/iri",
	"locus/url/query",
	"locus/url/whatwg",
}

// split returns the arguments of each `go test` to run for args. With -race there is one
// for the packages of withoutRace, and one for the others.
func split(args []string) ([][]string, error) {
	race := slices.Index(args, "-race")
	if race < 0 {
		return [][]string{args}, nil
	}
	first := slices.IndexFunc(args, isPattern)
	if first < 0 {
		first = len(args)
	}
	list := exec.Command("go", append([]string{"list"}, args[first:]...)...)
	var problem bytes.Buffer
	list.Stderr = &problem
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, problem.Bytes())
	}
	var with, without []string
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if pkg := lines.Text(); slices.Contains(withoutRace, pkg) {
			without = append(without, pkg)
		} else {
			with = append(with, pkg)
		}
	}
	// Those of the command wait for processes and browsers: others can run meanwhile.
	slices.SortStableFunc(with, func(a, b string) int { return waits(b) - waits(a) })
	flags := args[:first]
	var runs [][]string
	if len(without) > 0 {
		runs = append(runs, slices.Concat(flags[:race], flags[race+1:], without))
	}
	if len(with) > 0 {
		runs = append(runs, slices.Concat(flags, with))
	}
	return runs, nil
}

// isPattern reports whether an argument names packages.
func isPattern(arg string) bool {
	return strings.HasPrefix(arg, ".") || strings.HasPrefix(arg, "locus")
}

// waits is 1 for a package whose tests wait for much.
func waits(pkg string) int {
	if strings.HasPrefix(pkg, "locus/cmd/") {
		return 1
	}
	return 0
}
