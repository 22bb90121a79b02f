package archive

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// ARC files are the predecessors of WARC files. They are only read. A record begins with
// one line, in version 1 of the format and in version 2:
//
//	URL IP-address date type length
//	URL IP-address date type status checksum location offset file-name length
//
// Then the bytes that the server sent follow, and a line end. The first record describes
// the file, and its URL has the scheme filedesc. A URL may have spaces.

// The start of a record of a WARC file, and of a recorded response.
const (
	startWARC = "WARC/"
	startHTTP = "HTTP/"
)

// beginsWARC reports whether text, the start of a record, is the start of a WARC record. It ignores the case of letters.
func beginsWARC(text string) bool {
	return len(text) >= len(startWARC) && strings.EqualFold(text[:len(startWARC)], startWARC)
}

// isFirstLine reports whether line, without its line feed, begins a record of a WARC file or an ARC
// file.
func isFirstLine(line string) bool {
	_, isARC := arcFields(strings.TrimSuffix(line, "\r"))
	return isARC || beginsWARC(line)
}

// arcFields converts the first line of a record of an ARC file to the fields of a WARC record,
// without a WARC-Type. ok is false if line is not such a line.
func arcFields(line string) (fields Fields, ok bool) {
	words := strings.Split(line, " ")
	for _, after := range []int{4, 9} { // words after the URL
		n := len(words) - after
		if n < 1 || !strings.Contains(words[0], ":") {
			continue
		}
		date, err := time.Parse("20060102150405", words[n+1])
		if _, lengthErr := strconv.ParseUint(words[len(words)-1], 10, 63); err != nil || lengthErr != nil {
			continue
		}
		return Fields{
			{"WARC-Target-URI", strings.Join(words[:n], " ")},
			{"WARC-IP-Address", words[n]},
			{"WARC-Date", date.Format(dateFormat)},
			{"Content-Type", words[n+2]},
			{"Content-Length", words[len(words)-1]},
		}, true
	}
	return nil, false
}

// typeARC returns the fields of arcFields with a WARC-Type, because ARC files lack types. start is
// the first bytes of the record's block. If the block starts with an HTTP status line, the record
// is a response, and typeARC also changes the Content-Type in fields itself.
func typeARC(fields Fields, start string) Fields {
	kind := typeResource
	switch {
	case strings.HasPrefix(fields.target(), "filedesc:"):
		kind = typeInfo
	case start == startHTTP:
		kind = typeResponse
		media := slices.IndexFunc(fields, func(f Field) bool { return f.Name == "Content-Type" })
		fields[media].Value = mediaResponse
	}
	return append(fields, Field{"WARC-Type", kind})
}
