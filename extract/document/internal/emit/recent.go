package emit

import "hash/maphash"

// recentTexts is a table of the texts of recent links, by hash. Because pages have many links in common, most links
// need no copy of their text.
type recentTexts struct {
	seed maphash.Seed
	all  [1 << 11]string
}

// maxRecentText is the length of the longest text that is kept. All texts together have at most 512 KiB.
const maxRecentText = 256

// intern returns text as a string. It returns the string of an earlier call with the same text if the table still has
// it. A nil table always copies.
func (r *recentTexts) intern(text []byte) string {
	if r == nil || len(text) > maxRecentText {
		return string(text)
	}
	at := &r.all[maphash.Bytes(r.seed, text)%uint64(len(r.all))]
	if *at != string(text) {
		*at = string(text)
	}
	return *at
}
