package page

import (
	"fmt"
	"strings"

	"locus/gateway/internal/content"
)

// countText returns "3 items: 1 folder, 2 files, 20 bytes", or "2 files, 20 bytes" if all entries are
// files. It leaves out the sum of the sizes if a size is unknown.
func countText(t content.Tally) string {
	items := t.Entries - t.Info
	var parts []string
	switch {
	case t.Folders > 0 && t.Groups == t.Folders:
		parts = append(parts, counted(t.Folders, "newsgroup", "newsgroups"))
	case t.Folders > 0 && t.Terms == t.Folders:
		parts = append(parts, counted(t.Folders, "term", "terms"))
	case t.Folders > 0:
		parts = append(parts, counted(t.Folders, "folder", "folders"))
	}
	switch {
	case t.Files > 0 && t.Articles == t.Files:
		parts = append(parts, counted(t.Files, "article", "articles"))
	case t.Files > 0:
		parts = append(parts, counted(t.Files, "file", "files"))
	}
	all := strings.Join(parts, ", ")
	if items != t.Files && items != t.Folders || items == 0 {
		all = strings.TrimSuffix(counted(items, "item", "items")+": "+all, ": ")
	}
	if t.Files > 0 && t.Unsized == 0 {
		all += ", " + humanSize(t.Bytes)
	}
	return all
}

// counted returns "1 item" or "1,234 items".
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
