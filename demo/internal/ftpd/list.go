package ftpd

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An entry is a line of a listing: a name for the client, and its attributes.
type entry struct {
	name string
	info fs.FileInfo
}

// entries returns the entries of a directory, or the file itself. If there is neither
// it sends the reply and returns false.
func (s *session) entries(name string) ([]entry, bool) {
	info, err := fs.Stat(s.Files, name)
	if err != nil {
		s.reply(550, "No such file or directory.")
		return nil, false
	}
	if !info.IsDir() {
		return []entry{{info.Name(), info}}, true
	}
	dir, err := fs.ReadDir(s.Files, name)
	if err != nil {
		s.reply(550, "The directory cannot be read.")
		return nil, false
	}
	var es []entry
	for _, d := range dir {
		if info, err := d.Info(); err == nil {
			es = append(es, entry{d.Name(), info})
		}
	}
	return es, true
}

// list sends a listing of one line an entry.
func (s *session) list(es []entry, line func(entry) string) {
	var b strings.Builder
	for _, e := range es {
		b.WriteString(line(e))
		b.WriteString("\r\n")
	}
	s.transfer("the listing", strings.NewReader(b.String()))
}

// cmdList sends lines like ls -l. It ignores options before the name.
func (s *session) cmdList(arg string) {
	arg = dropOptions(arg)
	es, ok := s.entries(s.resolve(arg))
	if !ok {
		return
	}
	s.list(es, func(e entry) string { return unixLine(e, s.now()) })
}

// cmdNlst sends names for the next command (RFC 1123 §4.1.2.7): those in another
// directory with its path.
func (s *session) cmdNlst(arg string) {
	arg = dropOptions(arg)
	name := s.resolve(arg)
	es, ok := s.entries(name)
	if !ok {
		return
	}
	switch {
	case arg == "":
	case s.isDir(name):
		for i := range es {
			es[i].name = path.Join(arg, es[i].name)
		}
	default:
		es[0].name = arg
	}
	s.list(es, func(e entry) string { return e.name })
}

func dropOptions(arg string) string {
	for strings.HasPrefix(arg, "-") {
		_, arg, _ = strings.Cut(arg, " ")
	}
	return arg
}

// unixLine writes an entry as ls -l does: with the time of day if it changed in
// the last half year, otherwise with the year.
func unixLine(e entry, now time.Time) string {
	links := 1
	if e.info.IsDir() {
		links = 2
	}
	mod := e.info.ModTime().UTC()
	date := mod.Format("Jan _2 15:04")
	if age := now.Sub(mod); age < 0 || age > 182*24*time.Hour {
		date = mod.Format("Jan _2  2006")
	}
	return fmt.Sprintf("%s %3d %-8s %-8s %8d %s %s", mode(e.info), links, "demo", "demo", e.info.Size(), date, e.name)
}

func mode(info fs.FileInfo) string {
	if info.IsDir() {
		return "dr-xr-xr-x"
	}
	return "-r--r--r--"
}

// cmdMlsd sends the facts of a directory and of its entries (RFC 3659 §7).
func (s *session) cmdMlsd(arg string) {
	name := s.resolve(arg)
	es, ok := s.entries(name)
	if !ok {
		return
	}
	if !s.isDir(name) {
		s.reply(501, "That is no directory: use MLST.")
		return
	}
	lines := []string{}
	if info, err := fs.Stat(s.Files, name); err == nil {
		lines = append(lines, s.factLine("cdir", info, "."))
	}
	for _, e := range es {
		lines = append(lines, s.factLine(kind(e.info), e.info, e.name))
	}
	s.transfer("the listing", strings.NewReader(strings.Join(lines, "\r\n")+"\r\n"))
}

func (s *session) cmdMlst(arg string) {
	name := s.resolve(arg)
	info, err := fs.Stat(s.Files, name)
	if err != nil {
		s.reply(550, "No such file or directory.")
		return
	}
	s.reply(250, "The facts:", s.factLine(kind(info), info, absolute(name)), "End")
}

func kind(info fs.FileInfo) string {
	if info.IsDir() {
		return "dir"
	}
	return "file"
}

var allFacts = []string{"type", "size", "modify", "perm"}

// factLine writes the chosen facts, a space and the name (RFC 3659 §7.2).
func (s *session) factLine(kind string, info fs.FileInfo, name string) string {
	perm := "r"
	if info.IsDir() {
		perm = "el"
	}
	var b strings.Builder
	for _, fact := range s.facts {
		switch fact {
		case "type":
			b.WriteString("type=" + kind + ";")
		case "size":
			if !info.IsDir() {
				b.WriteString("size=" + strconv.FormatInt(info.Size(), 10) + ";")
			}
		case "modify":
			b.WriteString("modify=" + timeValue(info.ModTime()) + ";")
		case "perm":
			b.WriteString("perm=" + perm + ";")
		}
	}
	return b.String() + " " + name
}

// timeValue writes a time as RFC 3659 §2.3 does.
func timeValue(t time.Time) string { return t.UTC().Format("20060102150405") }

// chooseFacts returns the known facts in a list of OPTS MLST.
func chooseFacts(list string) []string {
	var facts []string
	asked := strings.Split(strings.ToLower(list), ";")
	for _, fact := range allFacts {
		if slices.Contains(asked, fact) {
			facts = append(facts, fact)
		}
	}
	return facts
}

func joinFacts(facts []string) string {
	if len(facts) == 0 {
		return ""
	}
	return strings.Join(facts, ";") + ";"
}

// featFacts marks the chosen facts with a star (RFC 3659 §7.8).
func featFacts(chosen []string) string {
	var b strings.Builder
	for _, fact := range allFacts {
		b.WriteString(fact)
		if slices.Contains(chosen, fact) {
			b.WriteByte('*')
		}
		b.WriteByte(';')
	}
	return b.String()
}
