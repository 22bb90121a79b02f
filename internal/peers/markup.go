package peers

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Asciidoctor returns documents of AsciiDoc as HTML without a header and footer. It converts
// all with one process.
func Asciidoctor(t testing.TB, documents []string) (pages []string) {
	t.Helper()
	const script = `require 'json'
require 'asciidoctor'
Asciidoctor::LoggerManager.logger.level = 5
puts JSON.generate(JSON.parse($stdin.read).map { |text| Asciidoctor.convert(text, safe: :secure, standalone: false) })`
	dir := tree(t, "asciidoctor")
	cmd := program(dir, "usr/bin/ruby", "--disable-gems", "-e", script)
	if _, err := os.Stat(cmd.Path); err != nil {
		cmd.Path = "/usr/bin/ruby"
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C.UTF-8", "RUBYLIB="+strings.Join(globs(dir, "usr/lib/ruby/[0-9]*", "usr/lib/*/ruby/[0-9]*", "usr/share/rubygems-integration/all/gems/asciidoctor-*/lib"), ":"))
	convert(t, cmd, documents, &pages)
	return pages
}

// A Doctree is a document as docutils reads it.
type Doctree struct {
	URIs []string // of targets, references and images
	IDs  []string // of sections and inline targets
}

// Docutils returns documents of reStructuredText as docutils reads them. It reads all with one
// process.
func Docutils(t testing.TB, documents []string) (trees []Doctree) {
	t.Helper()
	const script = `import json, sys
from docutils import nodes
from docutils.core import publish_doctree
settings = {"report_level": 5, "halt_level": 6, "file_insertion_enabled": False, "raw_enabled": True, "_disable_config": True}
def read(text):
    tree = {"URIs": [], "IDs": []}
    for node in publish_doctree(text, settings_overrides=settings).findall(nodes.Element):
        tree["URIs"] += [node[name] for name in ("refuri", "uri") if name in node]
        if isinstance(node, (nodes.section, nodes.target)) and "refuri" not in node:
            tree["IDs"] += node["ids"]
    return tree
json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout)`
	convert(t, python(tree(t, "docutils"), "-c", script), documents, &trees)
	return trees
}

// convert gives documents to a program as JSON, and stores its output, which is JSON, in
// answer, a pointer.
func convert(t testing.TB, cmd *exec.Cmd, documents []string, answer any) {
	t.Helper()
	input, err := json.Marshal(documents)
	check(t, err)
	var problems strings.Builder
	cmd.Stdin, cmd.Stderr, cmd.SysProcAttr = strings.NewReader(string(input)), &problems, attributes()
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("peers: %s: %v\n%s", cmd.Path, err, problems.String())
	}
	check(t, json.Unmarshal(output, answer))
}

// Document returns the text of the file of a peer with this name, such as a document about the
// peer. It unpacks a file whose name ends in ".gz".
func Document(t testing.TB, peer, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join(tree(t, peer), name))
	check(t, err)
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		r, err = gzip.NewReader(f)
		check(t, err)
	}
	text, err := io.ReadAll(r)
	check(t, err)
	return string(text)
}

// Documents returns the names of the files of a peer, relative to its folder, that match one of
// the patterns.
func Documents(t testing.TB, peer string, patterns ...string) (names []string) {
	t.Helper()
	dir := tree(t, peer)
	for _, file := range globs(dir, patterns...) {
		name, err := filepath.Rel(dir, file)
		check(t, err)
		names = append(names, name)
	}
	return names
}

// globs returns the paths of the files below dir that match one of the patterns, which must be
// valid.
func globs(dir string, patterns ...string) (files []string) {
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join(dir, pattern)) // the patterns are valid
		files = append(files, found...)
	}
	return files
}
