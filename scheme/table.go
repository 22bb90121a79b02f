package scheme

import "locus/url"

// schemes are the facts about every scheme that RFC 1738 and RFC 1630 name and
// the secure twins of those, in the order of their names.
var schemes = []Scheme{
	{Name: "file", Spec: "RFC 1738 §3.10", Flags: Object | Hierarchical, Reserved: "/;", Parse: parser(ParseFile)},
	{Name: "ftp", Port: 21, Secure: "ftps", Spec: "RFC 1738 §3.2", Flags: Object | Hierarchical, Reserved: "/;", Parse: parser(ParseFTP)},
	{Name: "gopher", Port: 70, Spec: "RFC 1738 §3.4", Flags: Object, Parse: parser(ParseGopher)},
	{Name: "http", Port: 80, Secure: "https", Spec: "RFC 1738 §3.3", Flags: Object | Hierarchical | EmptyPathIsRoot, Reserved: "/;?", Parse: parser(ParseHTTP)},
	{Name: "https", Port: 443, Spec: "RFC 9110 §4.2.2", Flags: Object | Hierarchical | EmptyPathIsRoot | TLS, Reserved: "/;?", Parse: parser(ParseHTTP)},
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
