package scheme

import (
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// FTP is the view of an ftp or ftps URL.
//
//	ftp://user:password@host:21/cwd1/cwd2/name;type=a
//	                            \_______/ \__/      |
//	                              Dirs    Name     Type
//
// RFC 1738 §5, with the additions of RFC 1630 to the type code:
//
//	ftpurl   = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]
//	fpath    = fsegment *[ "/" fsegment ]
//	fsegment = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
//	ftptype  = "A" | "I" | "D" | "a" | "i" | "d"
//	         | "A" [ form ] | "E" [ form ] | "L" digits      ; RFC 1630, RFC 959
//	form     = "N" | "T" | "C"
type FTP struct {
	Scheme string // "ftp", "ftps" or "ftpes"; "" means "ftp"
	Host
	User     url.Part // if absent, log in as anonymous
	Password url.Part
	Dirs     []string // the arguments of the CWD commands, in order; each may be empty and contain any byte
	Name     string   // the argument of RETR or NLST; "" means the directory itself
	Type     string   // in lower case: "a", "i", "d", "an", "et", "l8" …; "" if the URL has none
}

const ftpRule = "RFC 1738 §3.2.2"

// ParseFTP returns the view of an ftp, ftps or ftpes URL.
func ParseFTP(u url.URL) (FTP, error) {
	host, err := hostPort(u, "RFC 1738 §3.1", "ftp", "ftps", "ftpes")
	if err != nil {
		return FTP{}, err
	}
	v := FTP{Scheme: u.Scheme(), Host: host}
	v.User = decoded(u.User())
	v.Password = decoded(u.Password())
	path := u.PathAndQuery()
	if path == "" {
		return v, nil
	}
	if path[0] != '/' {
		return FTP{}, pathFail(u, 0, ftpRule, `a "/" before the path`)
	}
	path = path[1:]
	if i := strings.IndexByte(path, ';'); i >= 0 {
		n, want := ftpType(path[i:], anyCode)
		if want != "" {
			return FTP{}, pathFail(u, 1+i+n, ftpRule, want)
		}
		code, _ := skipTypePrefix(path[i:])
		v.Type = strings.ToLower(ascii.Unescape(path[i+code:]))
		path = path[:i]
	}
	last := strings.LastIndexByte(path, '/')
	if last >= 0 {
		v.Dirs = segments(path[:last])
	}
	v.Name = ascii.Unescape(path[last+1:])
	return v, nil
}

const typePrefix = ";type="

// ftpType checks that s consists of ";type=" and a type code whose first letter, in lower case, is in codes. It returns
// the offset of the first error in s and the text that is wanted there. want is "" if s is correct. The other check
// functions of this package report errors in the same way.
func ftpType(s, codes string) (offset int, want string) {
	start, ok := skipTypePrefix(s)
	if !ok {
		return start, `";type=" and a type code (";" in a name is written "%3B")`
	}
	raw := s[start:]
	code := ascii.Unescape(raw)
	if code == "" || strings.IndexByte(codes, ascii.Lower(code[0])) < 0 {
		if codes == codes1630 {
			return start, `a type code: "A", "E", "I", or "L" and a byte size`
		}
		return start, `a type code: "a", "i" or "d"`
	}
	end := 1
	switch ascii.Lower(code[0]) {
	case 'a', 'e':
		if len(code) > 1 && strings.IndexByte("ntc", ascii.Lower(code[1])) >= 0 && codes != codes1738 {
			end = 2
		}
	case 'l':
		end += skip(code[1:], isDigit)
		if end == 1 {
			return start + encodedOffset(raw, 1), "the digits of a byte size"
		}
	}
	if end < len(code) {
		return start + encodedOffset(raw, end), "the end of the URL after the type code"
	}
	return 0, ""
}

// skipTypePrefix returns true and the length of ";type=" if s starts with it. The letters may be in either case, and
// escaped (RFC 1738 §2.2). Otherwise it returns false and the offset of the first byte that differs.
func skipTypePrefix(s string) (n int, ok bool) {
	for i := range len(typePrefix) {
		if n == len(s) {
			return n, false
		}
		width := escapeLen(s[n:])
		c := ascii.Lower(ascii.Unescape(s[n : n+width])[0])
		if c != typePrefix[i] || width > 1 && !isAlpha.Has(c) {
			return n, false
		}
		n += width
	}
	return n, true
}

// The first letters of the type codes of RFC 1738, of RFC 1630, and of both.
const (
	codes1738 = "aid"
	codes1630 = "aeil"
	anyCode   = "adeil"
)

// skip returns the length of the longest prefix of s that consists of bytes of the set.
func skip(s string, set url.Set) int {
	i := 0
	for i < len(s) && set.Has(s[i]) {
		i++
	}
	return i
}

// segments splits path at each "/" and decodes the segments. The result has one empty segment if path is "".
func segments(path string) []string {
	list := strings.Split(path, "/")
	for i, segment := range list {
		list[i] = ascii.Unescape(segment)
	}
	return list
}

// URL returns the URL whose view is v.
func (v FTP) URL() url.URL {
	var b builder
	b.scheme(v.Scheme, "ftp")
	b.authority(v.Host, v.User, v.Password)
	b.segments(v.Dirs...)
	b.segments(v.Name)
	if v.Type != "" {
		b.WriteString(typePrefix)
		b.WriteString(v.Type)
	}
	return b.url()
}
