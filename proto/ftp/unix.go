package ftp

import (
	"strconv"
	"strings"
	"time"

	"locus/access"
)

// parseUnix parses a line in the format of ls -l. The verdict is noEntry for the line with the total, and unknownFormat
// for a line in another format. The columns before the size differ (owner, group, number of links), so parseUnix looks
// for the date, which follows the size:
//
//	-rw-r--r--   1 alice  staff     3000 Nov 21 02:02 blob.bin
//	-rw-r--r--   1 alice            3000 Nov 21  2025 blob.bin
//	drwxr-xr-x   2 alice  staff     4096 21 Nov 02:02 sub
//	lrwxrwxrwx   1 alice  staff        4 2026-11-21 02:02 link -> blob.bin
//	d [R----F--] supervisor          512 Jan 16 18:53 login
//	-rw-r--r--   1 alice  staff     3000 Oct 08, 2002 09:47 blob.bin
//	-rw-r--r--   1 alice  staff     3000 09-26 2000 blob.bin
//
// The name starts one space after the date, and may itself start with spaces, except on NetWare.
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
	if i, n := foreignDateAt(w); n > 0 && w[i+n-1].end < len(line) {
		return unixEntry(line, w[i-1], w[i+n-1], time.Time{}), isEntry
	}
	return access.Entry{}, unknownFormat
}

// foreignDateAt returns the index and the number of words of a date that unixTime cannot parse. It finds the
// start of the date by the columns before it: links, owner, perhaps a group, and the size. It finds the end by a time of
// day or a year. n is 0 if the line has other columns.
//
// QUIRK: servers write the names of months in their own language.
func foreignDateAt(w []word) (at, n int) {
	for _, i := range []int{5, 4} {
		if len(w) <= i+2 || !isNumber(w[1].text) || !isNumber(w[i-1].text) {
			continue
		}
		switch {
		case len(w) > i+4 && strings.HasSuffix(w[i+1].text, ",") && isYear(w[i+2].text) && isClock(w[i+3].text):
			return i, 4
		case len(w) > i+3 && (isYear(w[i+2].text) || isClock(w[i+2].text)):
			return i, 3
		case isYear(w[i+1].text) || isClock(w[i+1].text):
			return i, 2
		}
	}
	return 0, 0
}

// isClock reports whether s has the form of a time of day, such as 9:47 or 09:47:12.
func isClock(s string) bool {
	hour, rest, ok := strings.Cut(s, ":")
	return ok && len(hour) <= 2 && isNumber(hour) && isNumber(strings.Replace(rest, ":", "", 1))
}

// isYear reports whether s is a year of four digits.
func isYear(s string) bool { return len(s) == 4 && isNumber(s) }

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
	if isNetWare(line) { // its names are aligned
		found.Title = strings.TrimLeft(found.Title, " ")
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
//
// QUIRK: servers leave out the last permissions, as in "drwxr-x".
func hasMode(line string) bool {
	if line == "" || strings.IndexByte("-bcdlpsDP", line[0]) < 0 {
		return false
	}
	if isNetWare(line) {
		return true
	}
	mode, _, _ := strings.Cut(line[1:], " ")
	mode = mode[:min(len(mode), 9)]
	return len(mode) >= 6 && strings.Trim(mode, "rwxsStTlL-") == ""
}

// isNetWare reports whether a line starts with NetWare's permissions.
func isNetWare(line string) bool { return strings.HasPrefix(line[1:], " [") }

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

// unixTime parses the date at the start of w, as in ls -l. length is the number of words of the date; 0 if w does not
// start with a date. now supplies the year of a date without one.
func unixTime(w []word, now time.Time) (t time.Time, length int) {
	if len(w) < 3 {
		return time.Time{}, 0
	}
	if strings.IndexAny(w[0].text, "-/.") > 0 {
		return numericTime(w, now)
	}
	month, day := w[0].text, w[1].text
	if isNumber(month) {
		month, day = day, month
	}
	if day, ok := strings.CutSuffix(day, ","); ok && len(w) > 3 {
		t, err := time.Parse("Jan 2 2006 15:04", month+" "+day+" "+w[2].text+" "+w[3].text)
		if err != nil {
			return time.Time{}, 0
		}
		return t, 4
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

// numericTime parses a date such as "2026-11-21 02:02" at the start of w. length is the number of words of the date; 0
// if w does not start with such a date. If the day and the month can be exchanged, the day is first, as in all
// countries but one.
func numericTime(w []word, now time.Time) (t time.Time, length int) {
	// ls --full-time
	if t, err := time.Parse("2006-01-02 15:04:05 -0700", w[0].text+" "+w[1].text+" "+w[2].text); err == nil {
		return t.UTC().Truncate(time.Second), 3
	}
	for _, date := range []string{"2006-01-02", "2006/01/02", "02-01-2006", "01-02-2006", "02/01/2006", "01/02/2006", "02.01.2006", "2-Jan-2006"} {
		for _, clock := range []string{"15:04", "15:04:05"} {
			if t, err := time.Parse(date+" "+clock, w[0].text+" "+w[1].text); err == nil {
				return t, 2
			}
		}
	}
	if t, err := time.Parse("01-02 2006", w[0].text+" "+w[1].text); err == nil {
		return t, 2
	}
	if t, err := time.Parse("01-02 15:04 2006", w[0].text+" "+w[1].text+" 2000"); err == nil {
		return withYear(t, now), 2
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
