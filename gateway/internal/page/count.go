package page

import (
	"encoding/json"
	"fmt"
	"strings"

	"locus/access"
	"locus/gateway/internal/content"
)

// nouns are the names of kinds of entries, by the kind: one entry, and several.
type nouns [access.Failure + 1][2]string

// kindOrder is the order of the kinds in a sum. Lines of text do not count.
var kindOrder = []access.Kind{access.Directory, access.Object, access.Search, access.Form, access.Terminal, access.Link, access.Unknown, access.Failure}

// nounsOf returns the nouns for the entries that t counts. Folders that are all newsgroups or terms,
// and files that are all articles, get these names.
func nounsOf(t content.Tally) nouns {
	n := nouns{
		access.Directory: {"folder", "folders"}, access.Object: {"file", "files"}, access.Search: {"search", "searches"},
		access.Form: {"form", "forms"}, access.Terminal: {"terminal", "terminals"}, access.Link: {"link", "links"},
		access.Unknown: {"other", "others"}, access.Failure: {"error", "errors"},
	}
	folders := t.Kinds[access.Directory]
	switch {
	case folders > 0 && t.Groups == folders:
		n[access.Directory] = [2]string{"newsgroup", "newsgroups"}
	case folders > 0 && t.Terms == folders:
		n[access.Directory] = [2]string{"term", "terms"}
	}
	if files := t.Kinds[access.Object]; files > 0 && t.Articles == files {
		n[access.Object] = [2]string{"article", "articles"}
	}
	return n
}

// forScript returns the kinds in kindOrder as JSON: the name, and the singular and plural noun of
// each. The script that filters a listing uses them to write the same sum as countText.
func (n nouns) forScript() string {
	var all [][3]string
	for _, kind := range kindOrder {
		all = append(all, [3]string{kind.String(), n[kind][0], n[kind][1]})
	}
	text, _ := json.Marshal(all) // texts do not fail
	return string(text)
}

// countText returns the sum of t for people, such as "3 items: 1 folder, 2 files, 20 bytes", or "2
// files, 20 bytes" if all entries are files. It has the bytes only for files whose sizes are all
// known.
func countText(t content.Tally) string {
	names := nounsOf(t)
	var parts []string
	for _, kind := range kindOrder {
		if n := t.Kinds[kind]; n > 0 {
			parts = append(parts, counted(n, names[kind][0], names[kind][1]))
		}
	}
	all := strings.Join(parts, ", ")
	if len(parts) != 1 {
		all = strings.TrimSuffix(counted(t.Entries-t.Kinds[access.Info], "item", "items")+": "+all, ": ")
	}
	if t.Kinds[access.Object] > 0 && t.Unsized == 0 {
		all += ", " + humanSize(t.Bytes)
	}
	return all
}

// counted returns a number and its noun for people: "1 item" or "1,234 items".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(n) + " " + many
}

// grouped formats a number with commas: "1,234".
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
