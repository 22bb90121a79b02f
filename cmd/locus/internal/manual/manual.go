// Package manual writes the help of a program, its manual page, and the words that a shell completes. It makes
// all of them from one description of the program, so that they agree.
//
// The program has verbs, as in "locus get URL". Its verb help explains the others, and its
// verb completion writes a script for a shell.
package manual

import (
	"slices"
	"strings"

	"locus/cmd/locus/internal/flags"
)

// A Page describes a program, or one of its verbs.
type Page struct {
	Name        string        // of the verb, or of the program
	Program     string        // the program of the verb; "" on the page of the program
	Task        string        // the heading above the verb in the help of the program; "": verbs
	Summary     string        // a few words
	Synopsis    string        // "locus ls [FLAG…] URL…"
	Description string        // paragraphs; the short help has only the first
	Details     func() string // returns the end of the description, if it takes time to make; may be nil
	Flags       []flags.Flag  // in the order of the help, without --help
	Common      string        // names of the flags in the short help, with blanks between them; "": all
	Examples    []string      // commands that work
}

// A Program is the page of a program with the pages of its verbs. The Flags of its own page stand before the
// verb.
type Program struct {
	Page
	Verbs     []Page
	URLStarts func() []string // how URLs may begin, such as "ftp://": for a shell to complete; nil: none
}

// takesURLs reports whether, by its synopsis, the verb takes URLs and no files as its arguments.
func (p Page) takesURLs() bool {
	words := strings.Fields(p.Synopsis)
	last := strings.Trim(words[len(words)-1], "[]…")
	return last == "URL" && !strings.Contains(p.Synopsis, "FILE") && !strings.Contains(p.Synopsis, "DIR")
}

// fullName returns the program and the verb as a user types them, such as "locus get".
func (p Page) fullName() string { return strings.TrimPrefix(p.Program+" "+p.Name, " ") }

// description returns Description, followed by the result of Details unless Details is nil.
func (p Page) description() string {
	if p.Details == nil {
		return strings.TrimSuffix(p.Description, "\n") // of a file
	}
	return p.Description + p.Details()
}

// all returns the flags of the page, followed by --help.
func (p Page) all() []flags.Flag { return append(slices.Clip(p.Flags), flags.Help()) }

// Verb returns the page of the verb called name. ok is false if the program does not have the verb.
func (p Program) Verb(name string) (page Page, ok bool) {
	i := slices.IndexFunc(p.Verbs, func(v Page) bool { return v.Name == name })
	if i < 0 {
		return Page{}, false
	}
	return p.Verbs[i], true
}

// summaries returns the name and the summary of each verb.
func summaries(verbs []Page) [][2]string {
	var all [][2]string
	for _, v := range verbs {
		all = append(all, [2]string{v.Name, v.Summary})
	}
	return all
}

// textOf returns a flag as the help writes it, such as "--output, -o FILE", and its sentence, followed by the choices
// if the help lists them.
func textOf(f flags.Flag) [2]string {
	written, usage := f.Text()
	if f.ShowChoices {
		usage += ": " + strings.Join(f.Choices, ", ")
	}
	return [2]string{written, usage}
}
