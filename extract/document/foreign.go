package document

import "bytes"

// A Foreign is an encoding in which no URLs are found. The text must be converted first.
type Foreign struct {
	start    string // its first bytes
	Name     string // "": no foreign encoding
	IsPacked bool   // it is a compressed file
	Convert  string // the command that converts it
}

var foreigns = []Foreign{
	{"\xff\xfe", "UTF-16", false, "iconv -f UTF-16 -t UTF-8"},
	{"\xfe\xff", "UTF-16", false, "iconv -f UTF-16 -t UTF-8"},
	{"\x1f\x8b\x08", "gzip", true, "gzip -dc"},
	{"\xfd7zXZ\x00", "xz", true, "xz -dc"},
	{"\x28\xb5\x2f\xfd", "zstd", true, "zstd -dc"},
	{"PK\x03\x04", "zip", true, "unzip -p"},
	{"BZh91AY&SY", "bzip2", true, "bzip2 -dc"},
}

// LongestForeign is how many bytes of a text show its encoding.
const LongestForeign = len("BZh91AY&SY")

// ForeignIn returns the encoding of a text that begins with start; the zero Foreign if
// it can be read.
func ForeignIn(start []byte) Foreign {
	for _, f := range foreigns {
		if bytes.HasPrefix(start, []byte(f.start)) {
			return f
		}
	}
	return Foreign{}
}
