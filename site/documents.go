package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// menu has the documents in the order in which a reader needs them. A document that is not
// here stands at the end, under "More".
var menu = []struct {
	title string
	files []string
}{
	{"Start", []string{"README.md", "doc/command.md", "doc/flags.md", "doc/credentials.md"}},
	{"Find dead links", []string{"doc/check.md", "doc/check-links.md", "doc/check-sources.md", "doc/check-verdicts.md", "doc/check-hosts.md", "doc/check-cluster.md", "doc/extract.md", "doc/extract-differences.md"}},
	{"Move and keep files", []string{"doc/transfer.md", "doc/deploy.md", "doc/archive.md", "doc/offline.md"}},
	{"In the browser", []string{"doc/serve.md", "doc/fleet.md", "doc/gateway.md"}},
	{"Where URLs lead", []string{"doc/compare.md"}},
	{"Protocols", []string{"doc/ftp.md", "doc/ftp-servers.md", "doc/gopher.md", "doc/news.md", "doc/wais.md", "doc/z3950.md", "doc/prospero.md", "doc/nfs.md", "doc/tn3270.md"}},
	{"About locus", []string{"doc/architecture.md", "doc/conformance.md", "doc/threats.md", "doc/versions.md", "doc/dependencies.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"}},
	{"More", nil},
}

// schemePages is the folder of the pages about schemes, which have a menu of their own.
const schemePages = "doc/schemes/"

// documents writes the front page and a page for each document of the module, in the groups of
// menu.
func (s *site) documents() error {
	start, err := os.ReadFile("start.md")
	if err != nil {
		return err
	}
	if err := s.write(page{path: "_index.md", title: "locus", text: string(start)}); err != nil {
		return err
	}
	rest, err := s.found("*.md", "doc/*.md")
	if err != nil {
		return err
	}
	for _, file := range rest {
		s.hasPage[file] = true
	}
	inSchemes, err := s.found(schemePages + "*.md")
	if err != nil {
		return err
	}
	for _, file := range inSchemes {
		s.hasPage[file] = true
	}
	for _, group := range menu {
		files := group.files
		if files == nil {
			files = rest
		}
		for _, file := range files {
			if err := s.document(file, group.title); err != nil {
				return err
			}
		}
		rest = slices.DeleteFunc(rest, func(file string) bool { return slices.Contains(files, file) })
	}
	return nil
}

// found returns the files of the module that match patterns. Their paths are relative to the module
// and have slashes.
func (s *site) found(patterns ...string) ([]string, error) {
	var all []string
	for _, pattern := range patterns {
		names, err := filepath.Glob(filepath.Join(s.root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			file, err := filepath.Rel(s.root, name)
			if err != nil {
				return nil, err
			}
			all = append(all, filepath.ToSlash(file))
		}
	}
	return all, nil
}

// document writes the page of the document file and, through addLinked, of the documents to which
// it links. group is the title of its group in the menu; "" for a document that is not in the menu.
// A document that does not begin with a heading is an error.
func (s *site) document(file, group string) error {
	text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	title, err := titleOf(file, string(text))
	if err != nil {
		return err
	}
	s.hasPage[file] = true
	if err := s.addLinked(file, string(text)); err != nil {
		return err
	}
	short := title
	if file == "README.md" {
		short = "Overview"
	}
	return s.write(page{path: file, title: title, short: short, group: group, text: string(text)})
}

// titleOf returns the text of the heading in the first line of the document file. A document
// without a heading there is an error.
func titleOf(file, text string) (string, error) {
	first, _, _ := strings.Cut(text, "\n")
	title, ok := strings.CutPrefix(first, "# ")
	if !ok {
		return "", fmt.Errorf("%s does not begin with a heading", file)
	}
	return title, nil
}

// target matches a link of Markdown. Its group is the target without a fragment.
var target = regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)

// addLinked adds the files to which the document file, with this text, links, unless they have a
// page. It writes the page of a document and copies an SVG picture. It adds any other file to
// s.files, for writeFiles. It ignores URLs, folders and files that do not exist.
func (s *site) addLinked(file, text string) error {
	for _, match := range target.FindAllStringSubmatch(text, -1) {
		to := path.Join(path.Dir(file), match[1])
		name := filepath.Join(s.root, filepath.FromSlash(to))
		info, err := os.Stat(name)
		switch {
		case strings.Contains(match[1], ":") || err != nil || info.IsDir(): // the layout of links finds dead ones
		case path.Ext(to) == ".md":
			if !s.hasPage[to] {
				if err := s.document(to, ""); err != nil {
					return err
				}
			}
		case path.Ext(to) == ".svg":
			picture, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if err := writeFile(filepath.Join(s.static, filepath.FromSlash(to)), picture); err != nil {
				return err
			}
		default:
			s.files[to] = "files/" + strings.NewReplacer("/", "-", ".", "-").Replace(strings.ToLower(to))
		}
	}
	return nil
}
