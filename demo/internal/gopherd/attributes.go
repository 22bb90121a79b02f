package gopherd

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"locus/demo/internal/library"
)

const (
	menuType       = "application/gopher-menu"
	attributesType = "application/gopher+-menu"
)

// A view is one of the representations of an item.
type view struct {
	kind     string // media type
	language string // may be ""
	name     string // file, or ""
	size     int64  // -1 if unknown
}

// label returns the name of the view: "text/plain De_DE".
func (v view) label() string {
	return strings.TrimSpace(v.kind + " " + v.language)
}

// views returns the views of an item, the preferred one first.
func (a *answer) views(it item) []view {
	switch {
	case it.kind == '1':
		return []view{{kind: menuType, size: -1}, {kind: attributesType, size: -1}}
	case it.kind == '7':
		return []view{{kind: menuType, size: -1}}
	case it.flag == "?":
		return []view{{kind: "text/plain", language: "En_US", size: -1}}
	case it.kind != '0':
		return []view{{kind: library.TypeOf(it.name), name: it.name, size: a.size(it.name)}}
	}
	var vs []view
	for _, v := range library.Languages(a.Files, it.name) {
		vs = append(vs, view{"text/plain", v.Language, v.Path, a.size(v.Path)})
	}
	return vs
}

// size returns the size of the named file in bytes, or -1 if it is unknown.
func (a *answer) size(name string) int64 {
	st, err := fs.Stat(a.Files, name)
	if err != nil {
		return -1
	}
	return st.Size()
}

// pick returns the first view whose label or whose media type is label, ignoring case. For ""
// it returns the first view. It returns false if there is no such view.
func pick(views []view, label string) (view, bool) {
	for _, v := range views {
		if label == "" || strings.EqualFold(v.label(), label) || strings.EqualFold(v.kind, label) {
			return v, true
		}
	}
	return view{}, false
}

// attributes returns the +INFO line of an item and the attribute blocks that filter names; all
// blocks if filter is empty. An item without Gopher+ has only +INFO.
func (a *answer) attributes(it item, filter []string) string {
	var b strings.Builder
	b.WriteString("+INFO: " + it.line() + "\n")
	if it.flag == "" {
		return b.String()
	}
	block := func(name string, lines []string) {
		if len(lines) == 0 || len(filter) > 0 && !slices.Contains(filter, name) {
			return
		}
		b.WriteString("+" + name + ":\n")
		for _, line := range lines {
			b.WriteString(" " + line + "\n")
		}
	}
	block("ADMIN", a.admin(it))
	block("VIEWS", viewLines(a.views(it)))
	block("ABSTRACT", a.abstract(it))
	if it.flag == "?" {
		block("ASK", askLines())
	}
	return b.String()
}

// admin returns the lines of the block ADMIN: the keeper, and the time of the last change. A search
// and a form have the time of the root.
func (a *answer) admin(it item) []string {
	lines := []string{"Admin: " + keeper}
	if st, err := fs.Stat(a.Files, cmp.Or(it.name, ".")); err == nil {
		mod := st.ModTime().UTC()
		lines = append(lines, "Mod-Date: "+mod.Format("Mon Jan _2 15:04:05 2006 <20060102150405>"))
	}
	return lines
}

// abstract returns the lines of the block ABSTRACT: a sentence about a search or a form, the first
// paragraph of a text, or that paragraph of the README of a directory. It returns nil if there is
// no such text.
func (a *answer) abstract(it item) []string {
	switch {
	case it.kind == '7':
		return []string{"Texts that have every one of your words."}
	case it.flag == "?":
		return []string{"One question of every kind. Nothing you answer is kept."}
	case it.kind == '1':
		return library.Abstract(a.Files, strings.TrimPrefix(it.name+"/README.txt", "./"))
	}
	return library.Abstract(a.Files, it.name)
}

// viewLines returns the lines of the block VIEWS: each view with its size in units of 1000 bytes,
// if the size is known.
func viewLines(views []view) []string {
	var lines []string
	for _, v := range views {
		line := v.label() + ":"
		switch {
		case v.size >= 1000:
			line += fmt.Sprintf(" <%dk>", (v.size+500)/1000)
		case v.size >= 0:
			line += fmt.Sprintf(" <.%dk>", v.size/100)
		}
		lines = append(lines, line)
	}
	return lines
}
