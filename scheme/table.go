package scheme

import (
	"locus/internal/facts"
	"locus/internal/lazy"
	"locus/url"
)

// A grammar parses and judges the URLs of a scheme.
type grammar struct {
	parse func(url.URL) (View, error)
	judge func(url.URL) error
}

// known has every scheme that RFC 1738 and RFC 1630 name, the secure twins of these schemes, the schemes that a
// later RFC defines under a reserved name, and the other schemes that have a view. A scheme that is only reserved has
// no grammar.
var known = lazy.Value[Table]{Make: func() Table {
	grammars := map[string]grammar{
		"afs":        {parser(ParseAFS), productions(nil, afsaddress)},
		"cid":        {parser(ParseCid), productions(nil, cidaddress)},
		"cso":        {parser(ParseCSO), nil},
		"data":       {parser(ParseData), nil},
		"dict":       {parser(ParseDict), nil},
		"file":       {parser(ParseFile), productions(fileurl, fileaddress)},
		"finger":     {parser(ParseFinger), nil},
		"ftp":        {parser(ParseFTP), productions(ftpurl, ftpaddress)},
		"ftpes":      {parser(ParseFTP), productions(ftpurl, ftpaddress)},
		"ftps":       {parser(ParseFTP), productions(ftpurl, ftpaddress)},
		"gemini":     {parser(ParseGemini), nil},
		"gopher":     {parser(ParseGopher), productions(gopherurl, gopheraddress)},
		"gophers":    {parser(ParseGopher), productions(gopherurl, gopheraddress)},
		"http":       {parser(ParseHTTP), productions(httpurl, httpaddress)},
		"https":      {parser(ParseHTTP), productions(httpurl, httpaddress)},
		"imap":       {parser(ParseIMAP), nil},
		"imaps":      {parser(ParseIMAP), nil},
		"mailserver": {parser(ParseMailserver), nil},
		"mailto":     {parser(ParseMailto), productions(mailtourl, mailtoaddress)},
		"mid":        {parser(ParseMid), productions(nil, midaddress)},
		"news":       {parser(ParseNews), productions(newsurl, newsaddress)},
		"nfs":        {parser(ParseNFS), nil},
		"nntp":       {parser(ParseNNTP), productions(nntpurl, nntpaddress)},
		"nntps":      {parser(ParseNNTP), productions(nntpurl, nntpaddress)},
		"prospero":   {parser(ParseProspero), productions(prosperourl, prosperolink)},
		"rlogin":     {parser(ParseTelnet), productions(nil, telnetaddress)},
		"sftp":       {parser(ParseSFTP), nil},
		"snews":      {parser(ParseNews), productions(newsurl, newsaddress)},
		"telnet":     {parser(ParseTelnet), productions(telneturl, telnetaddress)},
		"titan":      {parser(ParseTitan), nil},
		"tn3270":     {parser(ParseTelnet), productions(nil, telnetaddress)},
		"urn":        {parser(ParseURN), nil},
		"wais":       {parser(ParseWAIS), productions(waisurl, waisaddress)},
		"z39.50r":    {parser(ParseZ3950), productions(z3950url, nil)},
		"z39.50s":    {parser(ParseZ3950), productions(z3950url, nil)},
	}
	known := Table{}
	for row := range facts.All() {
		g, hasView := grammars[row.Name]
		if hasView || row.Has(facts.Core) {
			s := fromRow(row)
			s.Parse, s.Judge = g.parse, g.judge
			known[s.Name] = s
		}
	}
	return known
}}

// fromRow converts a row of the table of facts to a Scheme whose Parse and Judge are nil.
func fromRow(s *facts.Scheme) Scheme {
	return Scheme{
		Name: s.Name, Port: s.Port, Secure: s.Secure, Spec: s.Spec, Delims: s.Delims,
		Flags: Flags(s.Traits) & (Hierarchical | Relative | Object | Upload | Session | Address | TLS | EmptyPathIsRoot | Reserved),
	}
}

// parser converts parse, which returns a concrete view, to a function that returns a View: nil if parse fails.
func parser[V View](parse func(url.URL) (V, error)) func(url.URL) (View, error) {
	return func(u url.URL) (View, error) {
		v, err := parse(u)
		if err != nil {
			return nil, err
		}
		return v, nil
	}
}
