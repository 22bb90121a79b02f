package scheme

import (
	"locus/internal/facts"
	"locus/url"
)

// A grammar is how the URLs of a scheme are written.
type grammar struct {
	parse func(url.URL) (View, error)
	judge func(url.URL) error
}

// grammars has the grammar of every scheme that has one. A scheme that is only
// reserved has none.
var grammars = map[string]grammar{
	"cid":      {parser(ParseCid), productions(nil, cidaddress)},
	"file":     {parser(ParseFile), productions(fileurl, fileaddress)},
	"ftp":      {parser(ParseFTP), productions(ftpurl, ftpaddress)},
	"ftps":     {parser(ParseFTP), productions(ftpurl, ftpaddress)},
	"gopher":   {parser(ParseGopher), productions(gopherurl, gopheraddress)},
	"http":     {parser(ParseHTTP), productions(httpurl, httpaddress)},
	"https":    {parser(ParseHTTP), productions(httpurl, httpaddress)},
	"mailto":   {parser(ParseMailto), productions(mailtourl, mailtoaddress)},
	"mid":      {parser(ParseMid), productions(nil, midaddress)},
	"news":     {parser(ParseNews), productions(newsurl, newsaddress)},
	"nntp":     {parser(ParseNNTP), productions(nntpurl, nntpaddress)},
	"nntps":    {parser(ParseNNTP), productions(nntpurl, nntpaddress)},
	"prospero": {parser(ParseProspero), productions(prosperourl, prosperolink)},
	"rlogin":   {parser(ParseTelnet), productions(nil, telnetaddress)},
	"snews":    {parser(ParseNews), productions(newsurl, newsaddress)},
	"telnet":   {parser(ParseTelnet), productions(telneturl, telnetaddress)},
	"tn3270":   {parser(ParseTelnet), productions(nil, telnetaddress)},
	"urn":      {parser(ParseURN), nil},
	"wais":     {parser(ParseWAIS), productions(waisurl, waisaddress)},
}

// core has every scheme that RFC 1738 and RFC 1630 name, and their secure twins.
var core = func() Table {
	core := Table{}
	for s := range facts.All() {
		if s.Has(facts.Core) {
			core[s.Name] = fromRow(s)
		}
	}
	return core
}()

// fromRow makes a Scheme of a row of the table of facts.
func fromRow(s *facts.Scheme) Scheme {
	g := grammars[s.Name]
	return Scheme{
		Name: s.Name, Port: s.Port, Secure: s.Secure, Spec: s.Spec,
		Flags: flags(s), Delims: s.Delims, Parse: g.parse, Judge: g.judge,
	}
}

// flags converts the traits of a scheme.
func flags(s *facts.Scheme) (f Flags) {
	for _, pair := range []struct {
		trait facts.Traits
		flag  Flags
	}{
		{facts.Hierarchical, Hierarchical},
		{facts.Relative, Relative},
		{facts.Object, Object},
		{facts.Session, Session},
		{facts.Address, Address},
		{facts.Encrypted, TLS},
		{facts.EmptyPathIsRoot, EmptyPathIsRoot},
		{facts.Reserved, Reserved},
	} {
		if s.Has(pair.trait) {
			f |= pair.flag
		}
	}
	return f
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
