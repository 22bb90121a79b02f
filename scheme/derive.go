package scheme

import (
	"strings"

	"locus/url"
)

// Cite returns the URL to which a name refers in the text at base. In a news article, a message-id or the name of a
// newsgroup is a partial URL (RFC 1630, News). In a message that was received, a message-id refers to another message.
// name has no angle brackets. ok is false if base is neither an article nor a message, or if name is neither a
// message-id nor a newsgroup that may stand there. Cite does not look up the resource.
func Cite(base url.URL, name string) (u url.URL, ok bool) {
	switch base.Scheme() {
	case "news", "nntp":
		return citeNews(base, "news", name)
	case "snews", "nntps":
		return citeNews(base, "snews", name)
	case "mid", "cid":
		return citeMessage(name)
	}
	return url.URL{}, false
}

// citeNews returns the URL, with the given scheme, of an article or a newsgroup on the server of base. name is a
// message-id if it contains an "@", and otherwise a newsgroup. citeNews returns false if name or the host of base is
// not valid.
func citeNews(base url.URL, scheme, name string) (url.URL, bool) {
	v := News{Scheme: scheme}
	if _, has := base.Host(); has {
		host, err := plainHost(base, newsRule)
		if err != nil {
			return url.URL{}, false
		}
		v.Host = host
	}
	if strings.Contains(name, "@") {
		v.Kind, v.MessageID = NewsArticle, name
	} else {
		v.Kind, v.Group = NewsGroup, name
	}
	u := v.URL()
	again, err := ParseNews(u)
	return u, err == nil && again == v
}

// citeMessage returns the mid URL of the message-id name. It returns false if name does not contain an "@", or if a mid
// URL cannot have the name.
func citeMessage(name string) (url.URL, bool) {
	u := Mid{MessageID: name}.URL()
	v, err := ParseMid(u)
	return u, err == nil && v.MessageID == name && strings.Contains(name, "@")
}

// SearchURL returns the URL of a search for words in the resource at u. The words are written as a person types them,
// without escapes. u must be one of these:
//
//   - a search item or a phone book of gopher (types 7 and 2)
//   - a wais database, or a search in it, which the new search replaces
//   - databases of z39.50s or z39.50r, where words that start with "@" are PQF
//   - a dict or a cso URL; the words replace its word or its query
//   - a mailbox of imap or imaps, which is searched for messages with the words
//
// ok is false if u does not name something to search, or if the words cannot be sent: gopher cannot send a tab, CR, LF
// or NUL, and dict, cso and imap cannot send CR, LF or NUL. SearchURL does not send the search.
func SearchURL(u url.URL, words string) (result url.URL, ok bool) {
	switch u.Scheme() {
	case "gopher", "gophers":
		return searchGopher(u, words)
	case "wais":
		return searchWAIS(u, words)
	case "z39.50s", "z39.50r":
		return searchZ3950(u, words)
	case "dict":
		return searchDict(u, words)
	case "cso":
		return searchCSO(u, words)
	case "imap", "imaps":
		return searchIMAP(u, words)
	}
	return url.URL{}, false
}

// searchGopher implements [SearchURL] for gopher and gophers URLs. ok is false if the type is neither 7 nor 2, or if
// words cannot be sent.
func searchGopher(u url.URL, words string) (result url.URL, ok bool) {
	v, err := ParseGopher(u)
	if err != nil || v.Type != '7' && v.Type != '2' || strings.ContainsAny(words, "\t\r\n\x00") {
		return url.URL{}, false
	}
	v.Search = url.Some(words)
	return v.URL(), true
}

// searchWAIS implements [SearchURL] for wais URLs. ok is false for the URL of a document.
func searchWAIS(u url.URL, words string) (result url.URL, ok bool) {
	v, err := ParseWAIS(u)
	if err != nil || v.Kind == WAISDocument {
		return url.URL{}, false
	}
	v.Kind, v.Search = WAISSearch, words
	return v.URL(), true
}

// searchZ3950 implements [SearchURL] for z39.50s and z39.50r URLs. ok is false if the URL has no databases, or
// names a record or a scan. The result is a z39.50s URL, because only such URLs have queries.
func searchZ3950(u url.URL, words string) (result url.URL, ok bool) {
	v, err := ParseZ3950(u)
	if err != nil || v.Databases == nil || v.DocID.Present || v.Scan.Present || v.Record != 0 {
		return url.URL{}, false
	}
	v.Scheme, v.Query, v.From = "z39.50s", url.Some(words), 0
	return v.URL(), true
}

// searchDict implements [SearchURL] for dict URLs. The result asks for every definition of words, or for every match if
// u asks for matches. ok is false if words cannot be sent.
func searchDict(u url.URL, words string) (result url.URL, ok bool) {
	v, err := ParseDict(u)
	if err != nil || strings.ContainsAny(words, "\r\n\x00") {
		return url.URL{}, false
	}
	if v.Kind == DictDatabases {
		v.Kind = DictDefine
	}
	v.Word, v.Number = words, 0
	return v.URL(), true
}

// searchCSO implements [SearchURL] for cso URLs. ok is false if words cannot be sent.
func searchCSO(u url.URL, words string) (result url.URL, ok bool) {
	v, err := ParseCSO(u)
	if err != nil || strings.ContainsAny(words, "\r\n\x00") {
		return url.URL{}, false
	}
	v.Query = url.Some(words)
	return v.URL(), true
}

// searchIMAP implements [SearchURL] for imap and imaps URLs. ok is false unless u names a mailbox or a search in it, or
// if words cannot be sent.
func searchIMAP(u url.URL, words string) (result url.URL, ok bool) {
	v, err := ParseIMAP(u)
	if err != nil || v.Mailbox == "" || v.UID != 0 || v.List != IMAPNoList || strings.ContainsAny(words, "\r\n\x00") {
		return url.URL{}, false
	}
	v.Search = url.Some(`TEXT "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(words) + `"`)
	return v.URL(), true
}
