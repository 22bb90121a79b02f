package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// A verb is a line of the output of "locus help --json".
type verb struct {
	Name, Task, Summary, Synopsis, Description string

	Flags    []struct{ Flag, Text string }
	Examples []string
}

// verbs writes a page for each verb of the command, and a page that lists the verbs.
func (s *site) verbs(ctx context.Context, locus string) error {
	text, err := run(ctx, s.root, locus, "help", "--json")
	if err != nil {
		return err
	}
	var list strings.Builder
	list.WriteString("# Verbs\n\nEach verb does one task. `locus help --all VERB` shows the same text as these pages.\n")
	var pages []page
	task := ""
	for line := range bytes.Lines(text) {
		var v verb
		if err := json.Unmarshal(line, &v); err != nil {
			return err
		}
		if v.Task != task {
			task = v.Task
			fmt.Fprintf(&list, "\n## %s\n\n", strings.ToUpper(task[:1])+task[1:])
		}
		fmt.Fprintf(&list, "- [`%s`](%s.md): %s\n", v.Name, v.Name, escape(v.Summary))
		pages = append(pages, page{path: "verbs/" + v.Name + ".md", title: "locus " + v.Name, short: v.Name, group: "Verbs", text: v.text()})
	}
	for _, p := range append([]page{{path: "verbs/verbs.md", title: "Verbs", short: "All verbs", group: "Verbs", text: list.String()}}, pages...) {
		if err := s.write(p); err != nil {
			return err
		}
	}
	return nil
}

// text returns the page of the verb in Markdown.
func (v verb) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# locus %s\n\n%s.\n\n%s\n", v.Name, escape(strings.ToUpper(v.Summary[:1])+v.Summary[1:]), code("", v.Synopsis))
	fmt.Fprintf(&b, "## Examples\n\n%s\n## Description\n\n%s\n## Flags\n\n", code("bash", strings.Join(v.Examples, "\n")), linked(plain(v.Description)))
	for _, f := range v.Flags {
		fmt.Fprintf(&b, "`%s`\n: %s\n\n", f.Flag, strings.TrimSuffix(linked(plain(f.Text)), "\n"))
	}
	return b.String()
}

// document is the name of a document in the help, such as doc/serve.md.
var document = regexp.MustCompile(`\bdoc/[a-z0-9-]+\.md\b`)

// linked returns text, a part of the page of a verb in Markdown, with links to the documents that it names.
func linked(text string) string { return document.ReplaceAllString(text, "[$0](../$0)") }
