package scheme

import "locus/url"

// schemes are the facts about every scheme that RFC 1738 and RFC 1630 name and
// the secure twins of those, in the order of their names.
var schemes = []Scheme{
	{Name: "afs", Spec: "RFC 1738 §4", Flags: Reserved},
	{Name: "cid", Spec: "RFC 1630, Content-Id; RFC 2392", Flags: Object | Reserved, Parse: parser(ParseCid), Judge: productions(nil, cidaddress)},
	{Name: "file", Spec: "RFC 1738 §3.10", Flags: Object | Relative | Hierarchical, Octets: "/;", Parse: parser(ParseFile), Judge: productions(fileurl, fileaddress)},
	{Name: "ftp", Port: 21, Secure: "ftps", Spec: "RFC 1738 §3.2", Flags: Object | Relative | Hierarchical, Octets: "/;", Parse: parser(ParseFTP), Judge: productions(ftpurl, ftpaddress)},
	{Name: "ftps", Port: 990, Spec: "RFC 1738 §3.2, over TLS", Flags: Object | Relative | Hierarchical | TLS, Octets: "/;", Parse: parser(ParseFTP), Judge: productions(ftpurl, ftpaddress)},
	{Name: "gopher", Port: 70, Spec: "RFC 1738 §3.4", Flags: Object, Parse: parser(ParseGopher), Judge: productions(gopherurl, gopheraddress)},
	{Name: "http", Port: 80, Secure: "https", Spec: "RFC 1738 §3.3", Flags: Object | Relative | Hierarchical | EmptyPathIsRoot, Octets: "/;?", Parse: parser(ParseHTTP), Judge: productions(httpurl, httpaddress)},
	{Name: "https", Port: 443, Spec: "RFC 9110 §4.2.2", Flags: Object | Relative | Hierarchical | EmptyPathIsRoot | TLS, Octets: "/;?", Parse: parser(ParseHTTP), Judge: productions(httpurl, httpaddress)},
	{Name: "mailserver", Spec: "RFC 1738 §4", Flags: Reserved},
	{Name: "mailto", Spec: "RFC 1738 §3.5", Flags: Address, Parse: parser(ParseMailto), Judge: productions(mailtourl, mailtoaddress)},
	{Name: "mid", Spec: "RFC 1630, Message-Id; RFC 2392", Flags: Object | Reserved, Octets: "/", Parse: parser(ParseMid), Judge: productions(nil, midaddress)},
	{Name: "news", Secure: "snews", Spec: "RFC 1738 §3.6", Flags: Object | Relative, Octets: "@", Parse: parser(ParseNews), Judge: productions(newsurl, newsaddress)},
	{Name: "nfs", Spec: "RFC 1738 §4", Flags: Reserved},
	{Name: "nntp", Port: 119, Secure: "nntps", Spec: "RFC 1738 §3.7", Flags: Object | Relative, Octets: "/", Parse: parser(ParseNNTP), Judge: productions(nntpurl, nntpaddress)},
	{Name: "nntps", Port: 563, Spec: "RFC 1738 §3.7, over TLS", Flags: Object | Relative | TLS, Octets: "/", Parse: parser(ParseNNTP), Judge: productions(nntpurl, nntpaddress)},
	{Name: "prospero", Port: 1525, Spec: "RFC 1738 §3.11", Flags: Object, Octets: "/;=", Parse: parser(ParseProspero), Judge: productions(prosperourl, prosperolink)},
	{Name: "rlogin", Port: 513, Spec: "RFC 1630, Telnet, rlogin, tn3270", Flags: Session, Parse: parser(ParseRlogin), Judge: productions(nil, telnetaddress)},
	{Name: "snews", Port: 563, Spec: "RFC 1738 §3.6, over TLS", Flags: Object | Relative | TLS, Octets: "@", Parse: parser(ParseNews), Judge: productions(newsurl, newsaddress)},
	{Name: "telnet", Port: 23, Spec: "RFC 1738 §3.8", Flags: Session, Parse: parser(ParseTelnet), Judge: productions(telneturl, telnetaddress)},
	{Name: "tn3270", Port: 23, Spec: "RFC 1630, Telnet, rlogin, tn3270; RFC 6270", Flags: Session | Reserved, Parse: parser(ParseTN3270), Judge: productions(nil, telnetaddress)},
	{Name: "urn", Spec: "RFC 1630, URN; RFC 8141", Flags: Reserved, Octets: "/:?", Parse: parser(ParseURN)},
	{Name: "wais", Port: 210, Spec: "RFC 1738 §3.9", Flags: Object | Relative, Octets: "/?", Parse: parser(ParseWAIS), Judge: productions(waisurl, waisaddress)},
	{Name: "z39.50", Port: 210, Spec: "RFC 1738 §4", Flags: Reserved},
}

// parser makes a function that returns a View of one that returns a view.
func parser[V View](parse func(url.URL) (V, error)) func(url.URL) (View, error) {
	return func(u url.URL) (View, error) {
		v, err := parse(u)
		if err != nil {
			return nil, err
		}
		return v, nil
	}
}

// known returns the index in schemes of a name in lower case, -1 if it is not
// there.
func known(name string) int {
	low, high := 0, len(schemes)
	for low < high {
		switch middle := (low + high) / 2; {
		case schemes[middle].Name == name:
			return middle
		case schemes[middle].Name < name:
			low = middle + 1
		default:
			high = middle
		}
	}
	return -1
}
