package archive

import (
	"encoding/base32"
	"encoding/hex"
	"strings"
)

// A digest in a record has an algorithm and a value (WARC/1.1 §5.8). The standard leaves the notation of the value open,
// so these are the same digest:
//
//	sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ
//	sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709

// digestSizes has the number of bytes in a digest, by algorithm.
var digestSizes = map[string]int{"md5": 16, "sha1": 20, "sha256": 32, "sha512": 64}

// digestKey returns a key for a digest, which is equal for all notations of the same digest. It returns a digest
// unchanged if the algorithm or the notation is unknown.
//
// QUIRK: brozzler writes SHA-1 in hexadecimal, most programs write it in base32, and StormCrawler adds "=" to it.
func digestKey(digest string) string {
	algorithm, value, _ := strings.Cut(digest, ":")
	algorithm = strings.ReplaceAll(strings.ToLower(algorithm), "-", "")
	size, known := digestSizes[algorithm]
	sum, err := hex.DecodeString(value)
	if err != nil || len(sum) != size {
		sum, err = base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(strings.TrimRight(value, "=")))
	}
	if !known || err != nil || len(sum) != size {
		return digest
	}
	return algorithm + ":" + string(sum)
}
