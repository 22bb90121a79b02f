package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A fact is a line of the output of "locus schemes --json".
type fact struct {
	Name   string
	Port   int `json:"default_port"`
	Secure string
	Opens  bool
	Flags  []string
	Spec   string
}

// schemes writes a page for each document in doc/schemes, with the facts that the command knows
// about its schemes, and a page that lists all schemes. The second line of a document names its
// schemes: "<!-- schemes: news snews -->".
func (s *site) schemes(ctx context.Context, locus string) error {
	text, err := run(ctx, s.root, locus, "schemes", "--json")
	if err != nil {
		return err
	}
	facts := map[string]fact{}
	var names []string
	for line := range bytes.Lines(text) {
		var f fact
		if err := json.Unmarshal(line, &f); err != nil {
			return err
		}
		facts[f.Name] = f
		names = append(names, f.Name)
	}
	files, err := s.found(schemePages + "*.md")
	if err != nil {
		return err
	}
	pages, at := []page{}, map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		title, err := titleOf(file, string(text))
		if err != nil {
			return err
		}
		if err := s.addLinked(file, string(text)); err != nil {
			return err
		}
		first, rest, _ := strings.Cut(string(text), "\n")
		list, after, ok := strings.Cut(strings.TrimSpace(rest), " -->")
		list, begins := strings.CutPrefix(list, "<!-- schemes: ")
		if !ok || !begins {
			return fmt.Errorf("%s does not say which schemes it is about", file)
		}
		var known []fact
		for name := range strings.FieldsSeq(list) {
			f, ok := facts[name]
			if !ok {
				return fmt.Errorf("%s is about the scheme %q, which locus schemes does not list", file, name)
			}
			known, at[name] = append(known, f), strings.TrimPrefix(file, schemePages)
		}
		pages = append(pages, page{path: file, title: title, short: list, group: "Schemes", text: first + "\n\n" + table(known, nil) + after})
	}
	var all []fact
	for _, name := range names {
		all = append(all, facts[name])
	}
	list := page{path: schemePages + "schemes.md", title: "Schemes", short: "All schemes", group: "Schemes", text: "# Schemes\n\n" +
		"The part of a URL before the first colon is its scheme. The scheme says which protocol opens the URL.\n\n" + table(all, at)}
	for _, p := range append([]page{list}, pages...) {
		if err := s.write(p); err != nil {
			return err
		}
	}
	return nil
}

// table returns facts as a table in Markdown. pages has the files of the pages of schemes, by
// scheme. A scheme in pages becomes a link.
func table(facts []fact, pages map[string]string) string {
	var b strings.Builder
	b.WriteString("| Scheme | Port | Over TLS | What locus does | Defined in |\n|---|---|---|---|---|\n")
	for _, f := range facts {
		name, port, secure := "`"+f.Name+"`", "", ""
		if to, ok := pages[f.Name]; ok {
			name = "[" + name + "](" + to + ")"
		}
		if f.Port != 0 {
			port = fmt.Sprint(f.Port)
		}
		if f.Secure != "" {
			secure = "`" + f.Secure + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", name, port, secure, f.use(), escape(f.Spec))
	}
	return b.String()
}

// use returns a phrase that says whether locus opens a URL of the scheme, only reads it, sends a
// message to it, or opens a session.
func (f fact) use() string {
	for _, flag := range f.Flags {
		switch flag {
		case "address":
			return "writes and sends the message"
		case "session":
			return "opens a terminal session"
		}
	}
	if f.Opens {
		return "opens the URL"
	}
	return "reads the URL"
}
