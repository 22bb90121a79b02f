package run

import (
	"strings"

	"locus/check"
	"locus/internal/spill"
)

// The state of a text. Its low bits are the offset of the result + 1, or 0 if the text has no result. Its high bits are
// the depth of the crawl. Between them are these flags:
const (
	isLink       = 1 << (spill.OffsetBits + iota)
	isPlain      // others contains a job for it
	needsAnchors // that job has Anchors
	isCrawl      // crawls contains a job for it
	hasDetails   // its result is not simply good, so a report needs the record
	hasAnchors   // its result has anchors
)

const (
	statusBit  = spill.OffsetBits + 7 // Status, 3 bits
	statusMask = 7 << statusBit
	isCrawled  = 1 << (spill.OffsetBits + 10) // the job in crawls was done
	isChecked  = 1 << (spill.OffsetBits + 11) // the job in others was done once
	isRead     = 1 << (spill.OffsetBits + 12) // the job in others was done with Anchors
	depthBit   = spill.OffsetBits + 13
	maxDepth   = 1<<(64-depthBit) - 1
)

// textOf returns the text under which a link or a job is stored: its URL, and for a bad link also the reason.
func textOf(u, bad string) string {
	if bad == "" {
		return u
	}
	return u + "\x00" + bad
}

// parseText splits a text that textOf has made into the URL and the reason why it is bad. bad is "" for a good URL.
func parseText(s string) (u, bad string) {
	if i := strings.LastIndexByte(s, 0); i >= 0 {
		return s[:i], s[i+1:]
	}
	return s, ""
}

// stateOf returns the flags that a text gets when a job for it is added.
func stateOf(j check.Job) uint64 {
	switch {
	case j.Crawl:
		return isCrawl
	case j.Anchors:
		return isPlain | needsAnchors
	}
	return isPlain
}

// doneState returns the flags that a text gets when a job for it is done.
func doneState(j check.Job) uint64 {
	switch {
	case j.Crawl:
		return isCrawled
	case j.Anchors:
		return isChecked | isRead
	}
	return isChecked
}
