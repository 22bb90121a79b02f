package desktop

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"locus/cmd/locus/internal/savefile"
)

// browserEntry returns the file name of the desktop entry for URLs that need no terminal, and
// terminalEntry returns the file name of the entry for sessions.
func (h Handler) browserEntry() string  { return h.Name + "-handler.desktop" }
func (h Handler) terminalEntry() string { return h.Name + "-session.desktop" }

// entryOf returns the file name of the desktop entry for a scheme: terminalEntry for a session, and
// browserEntry for any other scheme.
func (h Handler) entryOf(scheme string) string {
	if h.isSession(scheme) {
		return h.terminalEntry()
	}
	return h.browserEntry()
}

// installEntries returns a Plan that writes the desktop entries of h and makes them the default
// applications of schemes in mimeapps.list. A scheme with another default application keeps that
// application, unless takes is set. installEntries does not write files.
func (d *Desktop) installEntries(h Handler, schemes []string, takes bool) (*Plan, error) {
	list, err := d.defaults()
	if err != nil {
		return nil, err
	}
	plan := &Plan{}
	for _, scheme := range schemes {
		entry := h.entryOf(scheme)
		if other := list.firstEntry(scheme); other != "" && other != entry && !takes {
			plan.Kept = append(plan.Kept, Kept{scheme, other})
			continue
		}
		list = list.with(scheme, entry)
		plan.Opens = append(plan.Opens, scheme)
	}
	d.planEntries(plan, h, list)
	return plan, nil
}

// removeEntries returns a Plan that removes the desktop entries of h, and their names in
// mimeapps.list. It does not change files.
func (d *Desktop) removeEntries(h Handler) (*Plan, error) {
	list, err := d.defaults()
	if err != nil {
		return nil, err
	}
	for _, scheme := range h.Schemes {
		list = list.without(scheme, h.browserEntry()).without(scheme, h.terminalEntry())
	}
	plan := &Plan{}
	d.planEntries(plan, h, list)
	return plan, nil
}

// planEntries sets the text and the function of plan. The plan writes list, and each desktop entry
// of h by which list opens a scheme, and removes the other entries of h.
func (d *Desktop) planEntries(plan *Plan, h Handler, list defaults) {
	folder := filepath.Join(d.Data, "applications")
	var changes []change
	for _, entry := range []string{h.browserEntry(), h.terminalEntry()} {
		c := change{name: filepath.Join(folder, entry)}
		if opened := list.openedBy(entry, h.Schemes); len(opened) > 0 {
			c.text = desktopEntry(h, entry == h.terminalEntry(), opened)
		}
		changes = append(changes, c)
	}
	changes = append(changes, change{d.listFile(), list.String()})
	for _, c := range changes {
		plan.text += c.String()
	}
	plan.do = func(ctx context.Context) error {
		for _, c := range changes {
			if err := c.do(); err != nil {
				return err
			}
		}
		if program, err := d.LookPath("update-desktop-database"); err == nil {
			_ = d.Command(ctx, program, folder).Run() // if it fails, the desktop reads them later
		}
		return nil
	}
}

// A change replaces the text of a file.
type change struct {
	name, text string // the new text; "" deletes the file
}

// String returns the change as a dry run shows it.
func (c change) String() string {
	if c.text == "" {
		return "# remove " + c.name + "\n"
	}
	return "# write " + c.name + "\n" + c.text + "\n"
}

// do replaces or deletes the file. If the file is a symbolic link, do replaces the target of the
// link.
func (c change) do() error {
	if c.text == "" {
		if err := os.Remove(c.name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(c.name), 0o700); err != nil {
		return err
	}
	return savefile.Write(c.name, func(w io.Writer) error {
		_, err := io.WriteString(w, c.text)
		return err
	})
}

// listFile returns the name of the file with the default applications of the user.
func (d *Desktop) listFile() string { return filepath.Join(d.Config, "mimeapps.list") }

// defaults reads the default applications of the user. If the file is missing, it returns an empty
// list. The error is errNoHome if the folders are unknown.
func (d *Desktop) defaults() (defaults, error) {
	if d.Data == "" || d.Config == "" {
		return nil, errNoHome
	}
	text, err := os.ReadFile(d.listFile())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return parseDefaults(string(text)), nil
}

// desktopEntry returns the text of a desktop entry (Desktop Entry Specification) that makes h open
// the URLs of schemes. If terminal is set, h runs in a terminal.
func desktopEntry(h Handler, terminal bool, schemes []string) string {
	var b strings.Builder
	b.WriteString("[Desktop Entry]\nType=Application\nName=" + h.Name + "\nNoDisplay=true\n")
	if terminal {
		b.WriteString("Terminal=true\n")
	}
	b.WriteString("Exec=" + execWord(h.Program) + " ")
	for _, arg := range h.Args {
		b.WriteString(execWord(arg) + " ")
	}
	b.WriteString("%u\nMimeType=")
	for _, s := range schemes {
		b.WriteString(handlerType(s) + ";")
	}
	b.WriteString("\n")
	return b.String()
}

// handlerType returns the media type of a scheme's URLs on a desktop.
func handlerType(scheme string) string { return "x-scheme-handler/" + scheme }

// execWord quotes a word for the key Exec of a desktop entry, and then escapes it as every string
// of the file is escaped.
//
// QUIRK: without a desktop, xdg-open 1.1.3 does not understand quotes, so execWord quotes only
// words that need quotes.
func execWord(word string) string {
	needs := word == "" || strings.ContainsAny(word, " \t\n\r\"'\\><~|&;$*?#()`")
	word = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", "$", `\$`).Replace(word)
	word = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "%", "%%").Replace(word)
	if !needs {
		return word
	}
	return `"` + word + `"`
}

// defaults are the lines of mimeapps.list, which names the default applications.
type defaults []string

// parseDefaults splits the text of mimeapps.list into its lines. It returns nil for an empty text.
func parseDefaults(text string) defaults {
	text = strings.TrimSuffix(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// String returns the text of the file.
func (d defaults) String() string {
	if len(d) == 0 {
		return ""
	}
	return strings.Join(d, "\n") + "\n"
}

const defaultsGroup = "[Default Applications]"

// group returns the range of the lines below "[Default Applications]": d[start:end]. Without such a
// line, both are 0.
func (d defaults) group() (start, end int) {
	start = slices.IndexFunc(d, func(line string) bool { return strings.TrimSpace(line) == defaultsGroup }) + 1
	if start == 0 {
		return 0, 0
	}
	end = start
	for end < len(d) && !strings.HasPrefix(strings.TrimSpace(d[end]), "[") {
		end++
	}
	return start, end
}

// firstEntry returns the file name of the entry that opens the URLs of a scheme by default, or ""
// if d names no entry.
func (d defaults) firstEntry(scheme string) string {
	start, end := d.group()
	for _, line := range d[start:end] {
		key, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(key) == handlerType(scheme) {
			first, _, _ := strings.Cut(value, ";")
			return strings.TrimSpace(first)
		}
	}
	return ""
}

// openedBy returns the schemes, among schemes, whose URLs entry opens by default.
func (d defaults) openedBy(entry string, schemes []string) (opened []string) {
	for _, scheme := range schemes {
		if d.firstEntry(scheme) == entry {
			opened = append(opened, scheme)
		}
	}
	return opened
}

// with returns a copy of d with entry as the first entry for the URLs of a scheme, before the other
// entries for that scheme. A scheme that d has keeps its line.
func (d defaults) with(scheme, entry string) defaults {
	d = slices.Clone(d)
	start, end := d.group()
	if start == 0 {
		if len(d) > 0 && strings.TrimSpace(d[len(d)-1]) != "" {
			d = append(d, "")
		}
		return append(d, defaultsGroup, handlerType(scheme)+"="+entry)
	}
	for i, line := range d[start:end] {
		key, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(key) == handlerType(scheme) {
			d[start+i] = handlerType(scheme) + "=" + strings.Join(append([]string{entry}, otherEntries(value, entry)...), ";")
			return d
		}
	}
	for end > start && strings.TrimSpace(d[end-1]) == "" {
		end--
	}
	return slices.Insert(d, end, handlerType(scheme)+"="+entry)
}

// otherEntries returns the entries in the value of a line, without entry and without spaces around them.
func otherEntries(value, entry string) (others []string) {
	for e := range strings.SplitSeq(value, ";") {
		if e = strings.TrimSpace(e); e != "" && e != entry {
			others = append(others, e)
		}
	}
	return others
}

// without returns a copy of d without entry for the URLs of a scheme. Other entries for the scheme
// stay.
func (d defaults) without(scheme, entry string) defaults {
	kept := slices.Clone(d)
	start, end := kept.group()
	for i := end - 1; i >= start; i-- {
		key, value, _ := strings.Cut(kept[i], "=")
		if strings.TrimSpace(key) != handlerType(scheme) {
			continue
		}
		isEntry := func(e string) bool { return strings.TrimSpace(e) == entry }
		others := otherEntries(value, entry)
		switch {
		case !slices.ContainsFunc(strings.Split(value, ";"), isEntry):
		case len(others) == 0:
			kept = slices.Delete(kept, i, i+1)
		default:
			kept[i] = handlerType(scheme) + "=" + strings.Join(others, ";")
		}
	}
	return kept
}
