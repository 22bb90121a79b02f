package ftp

import (
	"strconv"
	"strings"
	"time"

	"locus/access"
)

// A parser reads one line of a listing. Now tells the year if the line leaves it
// out.
type parser func(line string, now time.Time) (item, verdict)

// A verdict is what a parser makes of a line.
type verdict uint8

const (
	foreign verdict = iota // not in the parser's format
	listed                 // an entry
	nothing                // in the format, and no entry: a total, the directory itself
	half                   // the rest is on the next line
)

// parseName reads a line of NLST: a name, and nothing else.
func parseName(line string, _ time.Time) (item, verdict) {
	return item{name: line, size: -1}, listed
}

// namesIn reads lines of NLST of dir. Some servers put dir before each name, so
// that it can be used as it is in the next command (RFC 1123 §4.1.2.7).
//
// QUIRK: vsftpd and proftpd do, others give the names alone.
func namesIn(dir string) parser {
	if dir == "" {
		return parseName
	}
	prefix := strings.TrimSuffix(dir, "/") + "/"
	return func(line string, now time.Time) (item, verdict) {
		return parseName(strings.TrimPrefix(line, prefix), now)
	}
}

// parseMLSD reads a line of MLSD (RFC 3659 §7).
func parseMLSD(line string, _ time.Time) (item, verdict) {
	found, kind, ok := parseFacts(line)
	switch {
	case !ok:
		return remark(line)
	case kind == "cdir", kind == "pdir":
		return item{}, nothing
	}
	return found, listed
}

// parseLine reads a line of LIST, for which RFC 959 gives no format. A line in
// none that is known is text to be read.
func parseLine(line string, now time.Time) (item, verdict) {
	for _, parse := range []parser{parseUnix, parseWindows, parseEPLF, parseVMS} {
		if found, v := parse(line, now); v != foreign {
			return found, v
		}
	}
	return remark(line)
}

// remark returns a line that a person may read, if there is something to read.
func remark(line string) (item, verdict) {
	if strings.TrimSpace(line) == "" {
		return item{}, nothing
	}
	return item{name: line, kind: access.Info, size: -1}, listed
}

// parseFacts reads facts and a name (RFC 3659 §7.2). Kind is the value of the
// fact "type" in lower case.
//
//	type=file;size=21;modify=20261121020208; hello.txt
func parseFacts(line string) (found item, kind string, ok bool) {
	facts, name, ok := strings.Cut(line, " ")
	if !ok || facts != "" && !strings.HasSuffix(facts, ";") {
		return item{}, "", false
	}
	found = item{name: name, size: -1}
	for fact := range strings.SplitSeq(facts, ";") {
		key, value, _ := strings.Cut(fact, "=")
		switch strings.ToLower(key) {
		case "type":
			kind = strings.ToLower(value)
			found.kind = factKind(kind)
		case "size":
			found.size = octets(value)
		case "modify":
			found.modTime = timeVal(value)
		}
	}
	if found.kind != access.Object && found.kind != access.Unknown {
		found.size = -1
	}
	return found, kind, true
}

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

// parseEPLF reads a line of D. J. Bernstein's "easily parsed LIST format":
//
//	+i8388621.48594,m825718503,r,s280,\tdjb.html
func parseEPLF(line string, _ time.Time) (item, verdict) {
	facts, name, ok := strings.Cut(line, "\t")
	if !ok || facts == "" || facts[0] != '+' {
		return item{}, foreign
	}
	found := item{name: name, size: -1}
	for fact := range strings.SplitSeq(facts[1:], ",") {
		switch {
		case fact == "/":
			found.kind = access.Directory
		case fact == "r" && found.kind == access.Unknown:
			found.kind = access.Object
		case strings.HasPrefix(fact, "s"):
			found.size = octets(fact[1:])
		case strings.HasPrefix(fact, "m"):
			if seconds, err := strconv.ParseInt(fact[1:], 10, 64); err == nil {
				found.modTime = time.Unix(seconds, 0).UTC()
			}
		}
	}
	return found, listed
}

// parseWindows reads a line as dir writes it:
//
//	11-21-26  02:02AM       <DIR>          sub
//	11-21-2026  14:02                 3000 blob.bin
func parseWindows(line string, _ time.Time) (item, verdict) {
	w := words(line)
	if len(w) < 4 || w[0].start > 0 {
		return item{}, foreign
	}
	modTime, ok := windowsTime(w[0].text, w[1].text)
	if !ok {
		return item{}, foreign
	}
	found := item{name: line[w[3].start:], size: -1, modTime: modTime}
	switch what := strings.ToUpper(w[2].text); {
	case what == "<DIR>":
		found.kind = access.Directory
	case strings.HasPrefix(what, "<"): // <JUNCTION>, <SYMLINK>, <SYMLINKD>: name [target]
		found.kind = access.Link
		found.name, _, _ = strings.Cut(found.name, " [")
	default:
		found.kind = access.Object
		found.size = octets(strings.ReplaceAll(w[2].text, ",", ""))
		if found.size < 0 {
			return item{}, foreign
		}
	}
	return found, listed
}

func windowsTime(date, clock string) (time.Time, bool) {
	for _, day := range []string{"01-02-06", "01-02-2006", "2006-01-02", "01/02/06", "01/02/2006"} {
		for _, hour := range []string{"03:04PM", "15:04"} {
			if t, err := time.Parse(day+" "+hour, date+" "+strings.ToUpper(clock)); err == nil {
				return t, true
			}
		}
	}
	return time.Time{}, false
}

// parseVMS reads a line as DIRECTORY writes it. A long name has the rest on the
// next line. Sizes are blocks, not octets, and so unknown.
//
//	README.TXT;4            25/27     27-MAY-2003 13:19:30  [SYSTEM] (RWED,RE,,)
//	SUB.DIR;1                1/3      27-MAY-2003 13:19:30  [SYSTEM] (RWED,RE,,)
func parseVMS(line string, _ time.Time) (item, verdict) {
	w := words(line)
	if len(w) == 0 || w[0].start > 0 || !hasVersion(w[0].text) {
		return item{}, foreign
	}
	if len(w) == 1 {
		return item{}, half
	}
	found := item{name: w[0].text, kind: access.Object, size: -1}
	base, _, _ := strings.Cut(found.name, ";")
	if dir := len(base) - len(".DIR"); dir > 0 && strings.EqualFold(base[dir:], ".DIR") {
		found.kind = access.Directory
		found.name = base[:dir] // what CWD takes
	}
	for i := 1; i+1 < len(w); i++ {
		for _, clock := range []string{"15:04:05", "15:04"} {
			if t, err := time.Parse("2-Jan-2006 "+clock, w[i].text+" "+w[i+1].text); err == nil {
				found.modTime = t
			}
		}
	}
	return found, listed
}

// hasVersion reports whether a name ends as VMS names do: "README.TXT;4".
func hasVersion(name string) bool {
	base, version, ok := strings.Cut(name, ";")
	_, err := strconv.ParseUint(version, 10, 16)
	return ok && err == nil && strings.Contains(base, ".")
}

// A word is one of a line, and where it is.
type word struct {
	text       string
	start, end int
}

// words returns what stands between the spaces of a line.
func words(line string) []word {
	all := make([]word, 0, 12) // which ls -l has at most, without spaces in the name
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
