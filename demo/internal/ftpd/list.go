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

// entries returns the entries of the directory name, a path in Files, or the entry of name itself
// if it is a file. If name does not exist or cannot be read, entries replies 550 and returns false.
func (c *conn) entries(name string) ([]fs.FileInfo, bool) {
	info := c.stat(name)
	if info == nil || !info.IsDir() {
		return []fs.FileInfo{info}, info != nil
	}
	dir, err := fs.ReadDir(c.Files, name)
	if err != nil {
		c.reply(550, "The directory cannot be read.")
		return nil, false
	}
	var entries []fs.FileInfo
	for _, d := range dir {
		if info, err := d.Info(); err == nil {
			entries = append(entries, info)
		}
	}
	return entries, true
}

// sendList sends the lines, each with CR LF, over a data connection, and the replies for it.
func (c *conn) sendList(lines []string) {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(line + "\r\n")
	}
	c.transfer("the listing", strings.NewReader(b.String()))
}

// cmdList sends the entries of a directory, or a file, in the format of ls -l. It ignores options
// before the name.
func (c *conn) cmdList(arg string) {
	entries, ok := c.entries(c.resolve(dropOptions(arg)))
	if !ok {
		return
	}
	var lines []string
	for _, info := range entries {
		lines = append(lines, unixLine(info, c.now()))
	}
	c.sendList(lines)
}

// cmdNlst sends names that the next command can use (RFC 1123 §4.1.2.7). If arg names a directory,
// each name begins with arg.
func (c *conn) cmdNlst(arg string) {
	arg = dropOptions(arg)
	name := c.resolve(arg)
	entries, ok := c.entries(name)
	if !ok {
		return
	}
	if arg != "" && !c.isDir(name) {
		c.sendList([]string{arg})
		return
	}
	var lines []string
	for _, info := range entries {
		lines = append(lines, path.Join(arg, info.Name()))
	}
	c.sendList(lines)
}

// dropOptions returns arg without words at its start that begin with "-", because clients
// send options of ls.
func dropOptions(arg string) string {
	for strings.HasPrefix(arg, "-") {
		_, arg, _ = strings.Cut(arg, " ")
	}
	return arg
}

// unixLine formats an entry like ls -l, with the time of day if it changed in the last half
// year, and otherwise with the year.
func unixLine(info fs.FileInfo, now time.Time) string {
	mode, links := "-r--r--r--", 1
	if info.IsDir() {
		mode, links = "dr-xr-xr-x", 2
	}
	mod := info.ModTime().UTC()
	date := mod.Format("Jan _2 15:04")
	if age := now.Sub(mod); age < 0 || age > 182*24*time.Hour {
		date = mod.Format("Jan _2  2006")
	}
	return fmt.Sprintf("%s %3d %-8s %-8s %8d %s %s", mode, links, "demo", "demo", info.Size(), date, info.Name())
}

// cmdMlsd sends the facts of a directory and of its entries (RFC 3659 §7).
func (c *conn) cmdMlsd(arg string) {
	name := c.resolve(arg)
	dir := c.stat(name)
	if dir == nil {
		return
	}
	if !dir.IsDir() {
		c.reply(501, "That is no directory: use MLST.")
		return
	}
	entries, ok := c.entries(name)
	if !ok {
		return
	}
	lines := []string{c.factLine("cdir", dir, ".")}
	for _, info := range entries {
		lines = append(lines, c.factLine(kind(info), info, info.Name()))
	}
	c.sendList(lines)
}

// cmdMlst sends the facts of one file or directory, in its reply (RFC 3659 §7).
func (c *conn) cmdMlst(arg string) {
	name := c.resolve(arg)
	if info := c.stat(name); info != nil {
		c.reply(250, "The facts:", c.factLine(kind(info), info, absolute(name)), "End")
	}
}

// kind returns "dir" or "file", the value of the fact type.
func kind(info fs.FileInfo) string {
	if info.IsDir() {
		return "dir"
	}
	return "file"
}

var allFacts = []string{"type", "size", "modify", "perm"}

// factLine returns a line of MLSD: the values of the facts that the client has chosen, a space and
// the name (RFC 3659 §7.2). kind is the value of the fact type. A directory lacks the fact size.
func (c *conn) factLine(kind string, info fs.FileInfo, name string) string {
	values := map[string]string{"type": kind, "modify": timeValue(info.ModTime()), "perm": "el"}
	if !info.IsDir() {
		values["size"], values["perm"] = strconv.FormatInt(info.Size(), 10), "r"
	}
	var b strings.Builder
	for _, fact := range c.facts {
		if value, ok := values[fact]; ok {
			b.WriteString(fact + "=" + value + ";")
		}
	}
	return b.String() + " " + name
}

// timeValue writes a time as RFC 3659 §2.3 does.
func timeValue(t time.Time) string { return t.UTC().Format("20060102150405") }

// chooseFacts returns the facts in list, the argument of OPTS MLST, that the server knows.
func chooseFacts(list string) []string {
	asked := strings.Split(strings.ToLower(list), ";")
	return slices.DeleteFunc(slices.Clone(allFacts), func(fact string) bool { return !slices.Contains(asked, fact) })
}

// featFacts lists all facts for the reply to FEAT. A star marks the chosen facts, and a semicolon
// ends each fact, as in "size*;type;" (RFC 3659 §7.8).
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
