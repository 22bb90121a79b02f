package whatwg

import "strings"

// isHref reports whether s is, at a glance, its own href: a URL of http, https,
// ws, wss or ftp with a plain host name, in which the parser finds nothing to
// change. It returns false for hrefs that take a closer look.
func isHref(s string) bool {
	i, port := schemeAtAGlance(s)
	if i == 0 {
		return false
	}
	host := i
	for i < len(s) && octets[s[i]]&plainHost != 0 {
		i++
	}
	label := s[host+strings.LastIndexByte(s[host:i], '.')+1 : i]
	if label == "" || !isAlpha(label[0]) {
		return false
	}
	if i < len(s) && s[i] == ':' {
		end := i + 1
		for end < len(s) && isDigit(s[end]) {
			end++
		}
		if !isPlainPort(s[i+1:end], port) {
			return false
		}
		i = end
	}
	if i == len(s) || s[i] != '/' {
		return false
	}
	path := i
	i = kept(s, i, plainPath)
	if strings.Contains(s[path:i], "/.") || strings.Contains(s[path:i], "%2") && hasEncodedDot(s[path:i]) {
		return false
	}
	if i < len(s) && s[i] == '?' {
		i = kept(s, i+1, SpecialQuerySet)
	}
	if i < len(s) && s[i] == '#' {
		i = kept(s, i+1, FragmentSet)
	}
	return i == len(s)
}

// schemeAtAGlance returns where the host starts, and the scheme's port; 0 if s
// does not start with a special scheme in lower case and "//".
func schemeAtAGlance(s string) (host int, port string) {
	switch {
	case strings.HasPrefix(s, "https://"):
		return len("https://"), "443"
	case strings.HasPrefix(s, "http://"):
		return len("http://"), "80"
	case strings.HasPrefix(s, "ftp://"):
		return len("ftp://"), "21"
	case strings.HasPrefix(s, "ws://"):
		return len("ws://"), "80"
	case strings.HasPrefix(s, "wss://"):
		return len("wss://"), "443"
	}
	return 0, ""
}

// isPlainPort reports whether a port is written as the serializer does.
func isPlainPort(port, standard string) bool {
	return port != "" && port[0] != '0' && port != standard &&
		(len(port) < len("65535") || len(port) == len("65535") && port <= "65535")
}

func hasEncodedDot(path string) bool {
	return strings.Contains(path, "%2e") || strings.Contains(path, "%2E")
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
