package emit

import "hash/maphash"

// recentTexts are texts of the last links. Pages have many links in common, so most of them
// need no copy of their text.
type recentTexts struct {
	seed maphash.Seed
	all  [1 << 11]string
}

// maxRecentText is the length of the longest text that is kept. All together have at most
// 512 KiB.
const maxRecentText = 256

// of returns a text as a string. nil keeps none.
func (r *recentTexts) of(text []byte) string {
	if r == nil || len(text) > maxRecentText {
		return string(text)
	}
	at := &r.all[maphash.Bytes(r.seed, text)%uint64(len(r.all))]
	if *at != string(text) {
		*at = string(text)
	}
	return *at
}
