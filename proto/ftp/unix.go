package ftp

import (
	"strconv"
	"strings"
	"time"

	"locus/access"
)

// parseUnix parses a line in the format of ls -l. The columns before the size differ (owner, group,
// number of links), so parseUnix looks for the date, which follows the size:
//
//	-rw-r--r--   1 alice  staff     3000 Nov 21 02:02 blob.bin
//	-rw-r--r--   1 alice            3000 Nov 21  2025 blob.bin
//	drwxr-xr-x   2 alice  staff     4096 21 Nov 02:02 sub
//	lrwxrwxrwx   1 alice  staff        4 2026-11-21 02:02 link -> blob.bin
//	d [R----F--] supervisor          512 Jan 16 18:53 login
//
// The name starts one space after the date, and may itself start with spaces.
func parseUnix(line string, now time.Time) (access.Entry, verdict) {
	if isTotal(line) {
		return access.Entry{}, noEntry
	}
	if !hasMode(line) {
		return access.Entry{}, unknownFormat
	}
	w := words(line)
	for i := 2; i < len(w); i++ {
		if !isNumber(w[i-1].text) {
			continue
		}
		modTime, n := unixTime(w[i:], now)
		if n == 0 || w[i+n-1].end == len(line) {
			continue
		}
		return unixEntry(line, w[i-1], w[i+n-1], modTime), isEntry
	}
	if i := foreignDateAt(w); i > 0 && w[i+2].end < len(line) {
		return unixEntry(line, w[i-1], w[i+2], time.Time{}), isEntry
	}
	return access.Entry{}, unknownFormat
}

// foreignDateAt returns the index of a date of three words that unixTime cannot parse. It finds the
// date by the columns before it: links, owner, perhaps a group, and the size. It returns 0 if the
// line has other columns.
//
// QUIRK: servers write the names of months in their own language.
func foreignDateAt(w []word) int {
	for _, i := range []int{5, 4} {
		if len(w) > i+3 && isNumber(w[1].text) && isNumber(w[i-1].text) {
			return i
		}
	}
	return 0
}

// unixEntry returns the entry of a line of ls -l. size is the word with the size, and last is the
// last word before the name.
func unixEntry(line string, size, last word, modTime time.Time) access.Entry {
	found := access.Entry{
		Title:   line[last.end+1:],
		Kind:    kindOfMode(line[0]),
		Size:    parseSize(size.text),
		ModTime: modTime,
	}
	if found.Kind != access.Object {
		found.Size = -1
	}
	if found.Kind == access.Link {
		found.Title, _, _ = strings.Cut(found.Title, " -> ")
	}
	// QUIRK: ls -F adds a slash to directories.
	found.Title = strings.TrimSuffix(found.Title, "/")
	return found
}

// isTotal reports whether a line is the first line of ls -l, such as "total 12".
func isTotal(line string) bool {
	blocks, ok := strings.CutPrefix(line, "total ")
	return ok && isNumber(blocks)
}

// hasMode reports whether a line starts with permissions: "-rw-r--r--", or NetWare's "d
// [R----F--]".
func hasMode(line string) bool {
	if len(line) < 10 || strings.IndexByte("-bcdlpsDP", line[0]) < 0 {
		return false
	}
	if line[1] == ' ' {
		return line[2] == '['
	}
	for _, c := range line[1:10] {
		if !strings.ContainsRune("rwxsStTlL-", c) {
			return false
		}
	}
	return true
}

// kindOfMode returns the kind of a file by the first character of the mode that ls writes.
func kindOfMode(c byte) access.Kind {
	switch c {
	case '-':
		return access.Object
	case 'd':
		return access.Directory
	case 'l':
		return access.Link
	}
	return access.Unknown
}

// unixTime parses the date at the start of w. It returns the number of words of the date; 0 if w
// does not start with a date.
func unixTime(w []word, now time.Time) (time.Time, int) {
	if len(w) < 3 {
		return time.Time{}, 0
	}
	if strings.IndexByte(w[0].text, '-') > 0 {
		return isoTime(w)
	}
	month, day := w[0].text, w[1].text
	if isNumber(month) {
		month, day = day, month
	}
	if len(day) > 2 || !isNumber(day) || isNumber(month) {
		return time.Time{}, 0
	}
	if strings.IndexByte(w[2].text, ':') < 0 {
		if t, err := time.Parse("Jan 2 2006", month+" "+day+" "+w[2].text); err == nil {
			return t, 3
		}
	} else if t, err := time.Parse("Jan 2 15:04 2006", month+" "+day+" "+w[2].text+" 2000"); err == nil {
		return withYear(t, now), 3
	}
	return time.Time{}, 0
}

// isoTime is unixTime for dates such as "2026-11-21 02:02".
func isoTime(w []word) (time.Time, int) {
	if t, err := time.Parse("2006-01-02 15:04", w[0].text+" "+w[1].text); err == nil {
		return t, 2
	}
	// ls --full-time
	if t, err := time.Parse("2006-01-02 15:04:05 -0700", w[0].text+" "+w[1].text+" "+w[2].text); err == nil {
		return t.UTC().Truncate(time.Second), 3
	}
	return time.Time{}, 0
}

// withYear returns t in the latest year in which it is at most a day ahead of now. A day is allowed
// because the server's time zone is unknown. It returns the zero time if none of the last eight
// years has that day.
func withYear(t, now time.Time) time.Time {
	for year := now.Year() + 1; year > now.Year()-8; year-- {
		dated := time.Date(year, t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
		if dated.Day() == t.Day() && !dated.After(now.AddDate(0, 0, 1)) { // the day differs if the year has no February 29
			return dated
		}
	}
	return time.Time{}
}

// isNumber reports whether s consists of decimal digits and fits into 64 bits.
func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 64)
	return err == nil
}
