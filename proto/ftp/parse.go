package ftp

import (
	"strconv"
	"strings"
	"time"

	"locus/access"
)

// A parser parses one line of a listing. now supplies the year of a line without one.
type parser func(line string, now time.Time) (access.Entry, verdict)

// A verdict is a parser's classification of a line.
type verdict uint8

const (
	unknownFormat verdict = iota // not in the parser's format
	isEntry                      // a complete entry
	noEntry                      // in the parser's format, but not an entry: a total, the directory itself
	needsNextLine                // the first half of an entry, which continues on the next line
)

// parseName parses a line of NLST, which is a name.
func parseName(line string, _ time.Time) (access.Entry, verdict) {
	return access.Entry{Title: line, Size: -1}, isEntry
}

// nameParser returns a parser for NLST of dir. The parser removes dir before a name, because some
// servers write it there so that the name fits the next command (RFC 1123 §4.1.2.7).
//
// QUIRK: vsftpd and proftpd do. Others send names without dir.
func nameParser(dir string) parser {
	if dir == "" {
		return parseName
	}
	prefix := strings.TrimSuffix(dir, "/") + "/"
	return func(line string, now time.Time) (access.Entry, verdict) {
		return parseName(strings.TrimPrefix(line, prefix), now)
	}
}

// parseMLSD parses a line of MLSD (RFC 3659 §7). The entries for the directory itself and its
// parent are noEntry.
func parseMLSD(line string, _ time.Time) (access.Entry, verdict) {
	found, kind, ok := parseFacts(line)
	switch {
	case !ok:
		return infoLine(line)
	case kind == "cdir", kind == "pdir":
		return access.Entry{}, noEntry
	}
	return found, isEntry
}

// parseLine parses a line of LIST, for which RFC 959 has no format. It tries the formats of Unix,
// Windows, EPLF and VMS. The verdict says whether the entry is complete. A line in another format
// becomes an entry of the kind Info, with the line as its Title.
func parseLine(line string, now time.Time) (access.Entry, verdict) {
	for _, parse := range []parser{parseUnix, parseWindows, parseEPLF, parseVMS} {
		if found, v := parse(line, now); v != unknownFormat {
			return found, v
		}
	}
	return infoLine(line)
}

// infoLine returns an entry of kind Info whose title is the line. The verdict for an empty line is
// noEntry.
func infoLine(line string) (access.Entry, verdict) {
	if strings.TrimSpace(line) == "" {
		return access.Entry{}, noEntry
	}
	return access.Entry{Title: line, Kind: access.Info, Size: -1}, isEntry
}

// parseFacts parses facts and a name (RFC 3659 §7.2). kind is the value of the fact "type" in lower
// case, or "". ok is false if the line has another form.
//
//	type=file;size=21;modify=20261121020208; hello.txt
func parseFacts(line string) (found access.Entry, kind string, ok bool) {
	facts, name, ok := strings.Cut(line, " ")
	if !ok || facts != "" && !strings.HasSuffix(facts, ";") {
		return access.Entry{}, "", false
	}
	found = access.Entry{Title: name, Size: -1}
	for fact := range strings.SplitSeq(facts, ";") {
		key, value, _ := strings.Cut(fact, "=")
		switch strings.ToLower(key) {
		case "type":
			kind = strings.ToLower(value)
			found.Kind = factKind(kind)
		case "size":
			found.Size = parseSize(value)
		case "modify":
			found.ModTime = parseTime(value)
		}
	}
	if found.Kind != access.Object && found.Kind != access.Unknown {
		found.Size = -1
	}
	return found, kind, true
}

// factKind returns the kind for a value of the fact "type" in lower case; Unknown for other values.
func factKind(kind string) access.Kind {
	switch {
	case kind == "file":
		return access.Object
	case kind == "dir", kind == "cdir", kind == "pdir":
		return access.Directory
	case strings.HasPrefix(kind, "os.unix=slink"), strings.HasPrefix(kind, "os.unix=symlink"):
		return access.Link
	}
	return access.Unknown
}

// parseEPLF parses a line of D. J. Bernstein's "easily parsed LIST format". The verdict is
// unknownFormat for any other line.
//
//	+i8388621.48594,m825718503,r,s280,\tdjb.html
//
// QUIRK: servers write the name on the next line, with or without the tab. The verdict is then
// needsNextLine.
func parseEPLF(line string, _ time.Time) (access.Entry, verdict) {
	if line == "" || line[0] != '+' {
		return access.Entry{}, unknownFormat
	}
	facts, name, ok := strings.Cut(line, "\t")
	if !ok && strings.HasSuffix(line, ",") {
		return access.Entry{}, needsNextLine
	}
	if !ok {
		if facts, name, ok = strings.Cut(line, ", "); !ok { // two lines that were joined with a space
			return access.Entry{}, unknownFormat
		}
	}
	found := access.Entry{Title: name, Size: -1}
	for fact := range strings.SplitSeq(facts[1:], ",") {
		switch {
		case fact == "/":
			found.Kind = access.Directory
		case fact == "r" && found.Kind == access.Unknown:
			found.Kind = access.Object
		case strings.HasPrefix(fact, "s"):
			found.Size = parseSize(fact[1:])
		case strings.HasPrefix(fact, "m"):
			if seconds, err := strconv.ParseInt(fact[1:], 10, 64); err == nil {
				found.ModTime = time.Unix(seconds, 0).UTC()
			}
		}
	}
	return found, isEntry
}

// parseWindows parses a line in the format of the DOS command dir. The verdict is unknownFormat for
// any other line.
//
//	11-21-26  02:02AM       <DIR>          sub
//	11-21-2026  14:02                 3000 blob.bin
func parseWindows(line string, _ time.Time) (access.Entry, verdict) {
	w := words(line)
	if len(w) < 4 || w[0].start > 0 {
		return access.Entry{}, unknownFormat
	}
	modTime, ok := windowsTime(w[0].text, w[1].text)
	if !ok {
		return access.Entry{}, unknownFormat
	}
	found := access.Entry{Title: line[w[3].start:], Size: -1, ModTime: modTime}
	switch column := strings.ToUpper(w[2].text); {
	case column == "<DIR>":
		found.Kind = access.Directory
	case strings.HasPrefix(column, "<"): // <JUNCTION>, <SYMLINK>, <SYMLINKD>: name [target]
		found.Kind = access.Link
		found.Title, _, _ = strings.Cut(found.Title, " [")
	default:
		found.Kind = access.Object
		found.Size = parseSize(strings.ReplaceAll(w[2].text, ",", ""))
		if found.Size < 0 {
			return access.Entry{}, unknownFormat
		}
	}
	return found, isEntry
}

// windowsTime parses a date and a time of the command dir, in UTC. ok is false if they are invalid.
func windowsTime(date, clock string) (t time.Time, ok bool) {
	for _, day := range []string{"01-02-06", "01-02-2006", "2006-01-02", "01/02/06", "01/02/2006"} {
		for _, hour := range []string{"03:04PM", "15:04"} {
			if t, err := time.Parse(day+" "+hour, date+" "+strings.ToUpper(clock)); err == nil {
				return t, true
			}
		}
	}
	return time.Time{}, false
}

// parseVMS parses a line in the format of the VMS command DIRECTORY. After a long name, the rest of
// the entry is on the next line, so the verdict is needsNextLine. It is unknownFormat for a line in
// another format. The size stays unknown because VMS counts blocks.
//
//	README.TXT;4            25/27     27-MAY-2003 13:19:30  [SYSTEM] (RWED,RE,,)
//	SUB.DIR;1                1/3      27-MAY-2003 13:19:30  [SYSTEM] (RWED,RE,,)
func parseVMS(line string, _ time.Time) (access.Entry, verdict) {
	w := words(line)
	if len(w) == 0 || w[0].start > 0 || !hasVersion(w[0].text) {
		return access.Entry{}, unknownFormat
	}
	if len(w) == 1 {
		return access.Entry{}, needsNextLine
	}
	found := access.Entry{Title: w[0].text, Kind: access.Object, Size: -1}
	base, _, _ := strings.Cut(found.Title, ";")
	if dir := len(base) - len(".DIR"); dir > 0 && strings.EqualFold(base[dir:], ".DIR") {
		found.Kind = access.Directory
		found.Title = base[:dir] // the form that CWD accepts
	}
	for i := 1; i+1 < len(w); i++ {
		for _, clock := range []string{"15:04:05", "15:04"} {
			if t, err := time.Parse("2-Jan-2006 "+clock, w[i].text+" "+w[i+1].text); err == nil {
				found.ModTime = t
			}
		}
	}
	return found, isEntry
}

// hasVersion reports whether a name ends in a VMS version, as "README.TXT;4" does.
func hasVersion(name string) bool {
	base, version, ok := strings.Cut(name, ";")
	_, err := strconv.ParseUint(version, 10, 16)
	return ok && err == nil && strings.Contains(base, ".")
}

// A word is a word of a line and its position.
type word struct {
	text       string
	start, end int
}

// words returns the words of a line, which are separated by spaces, with their offsets.
func words(line string) []word {
	all := make([]word, 0, 12) // enough for ls -l if the name has no spaces
	for end := 0; ; {
		start := end
		for start < len(line) && line[start] == ' ' {
			start++
		}
		if start == len(line) {
			return all
		}
		end = start
		for end < len(line) && line[end] != ' ' {
			end++
		}
		all = append(all, word{line[start:end], start, end})
	}
}
