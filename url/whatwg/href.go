package whatwg

import "strings"

// isHref reports whether s is, at a glance, its own href: a URL with a plain
// host name, or an opaque path, in which the parser finds nothing to change. It
// returns false for hrefs that take a closer look.
func isHref(s string) bool {
	i := 0
	for i < len(s) && octets[s[i]]&plainScheme != 0 {
		i++
	}
	if i == 0 || i == len(s) || s[i] != ':' || !isAlpha(s[0]) || s[:i] == "file" {
		return false
	}
	port, special := defaultPort(s[:i])
	i++
	switch {
	case strings.HasPrefix(s[i:], "//"):
		i = plainAuthority(s, i+len("//"), port, special)
	case special, strings.HasPrefix(s[i:], "/"):
		return false
	default:
		i = kept(s, i, plainOpaque)
	}
	return i > 0 && isPlainTail(s, i)
}

// plainAuthority returns where a plain authority and its path, which start at
// s[i], end; 0 if the parser would change them.
func plainAuthority(s string, i, standard int, special bool) int {
	host := i
	for i < len(s) && octets[s[i]]&plainHost != 0 {
		i++
	}
	if i == host || special && !endsInName(s[host:i]) {
		return 0
	}
	if i < len(s) && s[i] == ':' {
		end := i + 1
		for end < len(s) && isDigit(s[end]) {
			end++
		}
		if !isPlainPort(s[i+1:end], standard) {
			return 0
		}
		i = end
	}
	path := i
	switch {
	case i < len(s) && s[i] == '/':
		i = kept(s, i, plainPath)
	case special:
		return 0
	}
	if strings.Contains(s[path:i], "/.") || strings.Contains(s[path:i], "/%2") {
		return 0
	}
	return i
}

// endsInName reports whether the last label of a host starts with a letter, so
// that it is no number.
func endsInName(host string) bool {
	label := host[strings.LastIndexByte(host, '.')+1:]
	return label != "" && isAlpha(label[0])
}

// isPlainTail reports whether the parser leaves the query and the fragment at
// s[i] alone.
func isPlainTail(s string, i int) bool {
	if i < len(s) && s[i] == '?' {
		i = kept(s, i+1, SpecialQuerySet)
	}
	if i < len(s) && s[i] == '#' {
		i = kept(s, i+1, FragmentSet)
	}
	return i == len(s)
}

// isPlainPort reports whether a port is written as the serializer does.
func isPlainPort(port string, standard int) bool {
	if port == "" || len(port) > len("65535") || port[0] == '0' {
		return false
	}
	number := 0
	for _, digit := range []byte(port) {
		number = number*10 + int(digit-'0')
	}
	return number < 1<<16 && number != standard
}

// kept returns the place of the first octet of s at or after i that is in the
// set; len(s) if there is none.
func kept(s string, i int, set Set) int {
	for ; len(s)-i >= 8; i += 8 {
		b := s[i : i+8]
		if (octets[b[0]]|octets[b[1]]|octets[b[2]]|octets[b[3]]|
			octets[b[4]]|octets[b[5]]|octets[b[6]]|octets[b[7]])&set != 0 {
			break
		}
	}
	for i < len(s) && octets[s[i]]&set == 0 {
		i++
	}
	return i
}
