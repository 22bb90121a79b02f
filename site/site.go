package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A site has the state of writing all pages. A page has the path of its document in the module, so that the links
// between documents lead to the right pages.
type site struct {
	root    string            // the folder of the module
	content string            // the folder for the pages, as Markdown
	static  string            // the folder for the pictures
	hasPage map[string]bool   // the documents of the module that have a page
	files   map[string]string // the pages, without ".md", of other files of the module, by the path of the file
}

// A page is a page in Markdown.
type page struct {
	path  string // in the folder content, such as "doc/check.md"
	title string
	group string // the heading in the menu under which the page stands
	short string // the title in the menu; "": title
	text  string
}

// weight is the number of pages that were written. It is the position of a page in the menu, so that the pages of a
// group stand in the order in which they are written.
var weight int

// write writes a page into the folder content, with a head for Hugo: the title, and the place in the menu.
func (s *site) write(p page) error {
	weight++
	short := p.short
	if short == "" {
		short = p.title
	}
	head := fmt.Sprintf("+++\ntitle = %s\nlinkTitle = %s\nweight = %d\n[params]\ngroup = %s\n+++\n",
		strconv.Quote(p.title), strconv.Quote(short), weight, strconv.Quote(p.group))
	return writeFile(filepath.Join(s.content, filepath.FromSlash(p.path)), []byte(head+literal(p.text)))
}

// shortcode matches a shortcode of Hugo on one line, such as {{< ref "x" >}}.
var shortcode = regexp.MustCompile(`\{\{([<%])([^\n]*?)([>%])\}\}`)

// wordJoiner is an invisible character.
const wordJoiner = "\u2060"

// literal returns text escaped so that Hugo shows it unchanged, although it has the marks of shortcodes, such as {{<.
// Hugo has an escape for a whole shortcode. Any other mark gets an invisible character, because Hugo cannot escape
// it.
func literal(text string) string {
	text = shortcode.ReplaceAllString(text, "{{$1/*$2*/$3}}")
	return lonely.ReplaceAllString(text, "{{"+wordJoiner+"$1$2")
}

// lonely matches the beginning of a shortcode that literal has not escaped.
var lonely = regexp.MustCompile(`\{\{([<%])([^/]|$)`)

// writeFile makes or replaces the file name, and makes its folder if it is missing.
func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

// writeFiles writes a page for each of s.files. It also writes s.files as JSON to the file data,
// which Hugo's layout of links reads.
func (s *site) writeFiles(data string) error {
	for _, file := range slices.Sorted(maps.Keys(s.files)) { // so that two builds write the same bytes
		text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(file)))
		if err != nil {
			return err
		}
		if err := s.write(page{path: s.files[file] + ".md", title: file, text: "# " + file + "\n\n" + code(languages[path.Ext(file)], string(text))}); err != nil {
			return err
		}
	}
	text, err := json.Marshal(s.files)
	if err != nil {
		return err
	}
	return writeFile(data, text)
}

// languages are the languages of files by the ends of their names.
var languages = map[string]string{".go": "go", ".yml": "yaml", ".yaml": "yaml", ".json": "json", ".sh": "bash", ".conf": "nginx", ".service": "ini"}

// code returns text as a fenced block of code in Markdown. The fence is longer than each fence in text.
func code(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence + "\n"
}

// escaper marks the punctuation of plain text that Markdown would take as its own.
var escaper = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "#", `\#`, "|", `\|`, "~", `\~`, "&", `\&`)

// escape returns plain text as Markdown.
func escape(text string) string { return escaper.Replace(text) }

// flagName is the name of a flag in a sentence, such as --output or -o.
var flagName = regexp.MustCompile(`(^|[ (])(--[a-z][a-z0-9-]*|-[a-zA-Z])\b`)

// plain returns paragraphs of plain text as Markdown. Lines that begin with a blank become a block
// of code, and names of flags are marked as code.
func plain(text string) string {
	var b strings.Builder
	var block []string
	flush := func() {
		if len(block) > 0 {
			b.WriteString("\n" + code("", strings.Join(block, "\n")) + "\n")
			block = nil
		}
	}
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			block = append(block, strings.TrimPrefix(strings.TrimPrefix(line, "   "), "\t"))
			continue
		}
		flush()
		b.WriteString(flagName.ReplaceAllString(escape(line), "$1`$2`"))
		b.WriteString("\n")
	}
	flush()
	return b.String()
}
