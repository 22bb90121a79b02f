// Package shard divides names among machines that do not talk to each other: each takes the names of its part.
//
// The part of a name is
//
//	1 + (the first 8 bytes of the SHA-256 of the name, as a big-endian number) mod N
//
// This rule is stable: no later version changes it, so that machines with different versions divide a tree in the same
// way, and other programs can compute the part of a name. SHA-256 spreads similar names evenly over any number of parts.
package shard

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// MaxCount is the greatest number of parts.
const MaxCount = 100_000

// A Shard is one of the parts into which names are divided. The zero Shard has every name. A Shard is comparable.
type Shard struct {
	Part  int // from 1 to Count
	Count int // the number of parts; 0 means that the names are not divided
}

// Parse parses a text such as "2/5", the second of five parts. It refuses a text for which Check returns an error, and
// the other spellings of the numbers, such as "02/5".
func Parse(text string) (Shard, error) {
	part, count, _ := strings.Cut(text, "/")
	var s Shard
	var err, err2 error
	s.Part, err = strconv.Atoi(part)
	s.Count, err2 = strconv.Atoi(count)
	if err != nil || err2 != nil || s.Count == 0 || s.String() != text || s.Check() != nil {
		return Shard{}, fmt.Errorf("%q is not a part such as 2/5", text)
	}
	return s, nil
}

// Check returns an error unless Part is between 1 and Count and Count is at most MaxCount. The zero Shard is valid.
func (s Shard) Check() error {
	if s != (Shard{}) && (s.Part < 1 || s.Part > s.Count || s.Count > MaxCount) {
		return fmt.Errorf("%d of %d is not a part", s.Part, s.Count)
	}
	return nil
}

// String returns a text such as "2/5".
func (s Shard) String() string { return strconv.Itoa(s.Part) + "/" + strconv.Itoa(s.Count) }

// Has reports whether name belongs to the part s. Every name belongs to the zero Shard.
func (s Shard) Has(name string) bool {
	if s.Count == 0 {
		return true
	}
	sum := sha256.Sum256([]byte(name))
	return 1+int(binary.BigEndian.Uint64(sum[:8])%uint64(s.Count)) == s.Part //nolint:gosec // Count is at most MaxCount
}
