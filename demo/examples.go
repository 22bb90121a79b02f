package demo

// An Example is a link for the front page of a gateway. It shows one use of a scheme.
type Example struct {
	Group, Title, URL, About string
}

// Examples returns links of every scheme, to the servers that run and to Config.Mail and Config.Texts.
// The gateway must use the demo's news server for news URLs without a host, and Locate for urn
// URLs.
func (d *Demo) Examples() []Example {
	at := func(scheme string) string { return scheme + "://" + d.Service(scheme).Addr }
	const read, search, news, mail, sit, name = "Files and menus", "Searches", "News", "Mail", "Terminals", "Names"
	examples := []Example{
		{read, "A web page", at("http") + "/", "http: what browsers still open by themselves."},
		{read, "A directory", at("ftp") + "/", "ftp: files with their sizes and dates. Browsers gave it up in 2021."},
		{read, "A file", at("ftp") + "/awkward/semi%3Bcolon.txt;type=a", "ftp: a name with a semicolon in it, sent as text."},
		{read, "A menu", at("gopher") + "/", "gopher: menus, texts, pictures and searches."},
		{read, "A page without scripts", at("gemini") + "/", "gemini: pages with headings and links, over TLS."},
		{read, "A text in German", at("gopher") + "/0/README.txt%09%09+text/plain%20De_DE", "Gopher+: one of the views of a text."},
		{read, "A document", at("wais") + "/library/TEXT/3=0%200%20%2Ftexts%2Fwais.txt;", "wais: a document, by the identifier that a search gave."},
		{read, "A record of a catalogue", "z39.50r://" + d.Service("z39.50s").Addr + "/library?lib0007", "z39.50r: what a library knows of a text."},
		{read, "A shared folder", at("nfs") + "/", "nfs: a folder that another machine shares. No browser has opened these URLs."},
		{read, "A folder by SSH", d.Service("sftp").URL, "sftp: files over an encrypted connection. The URL has the fingerprint of the server's key."},
		{read, "A user", at("finger") + "//W%20wais", "finger: a question about a user of a server."},
		{read, "A picture in the URL", "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20viewBox='0%200%2040%2040'%3E%3Ccircle%20cx='20'%20cy='20'%20r='15'%20fill='teal'/%3E%3C/svg%3E", "data: the content is in the URL itself."},
		{search, "A word", at("dict") + "/d:gopher", "dict: the definition of a word."},
		{search, "A dictionary", at("dict") + "/d::library", "dict: a database that explains words."},
		{search, "People", at("cso") + "/?score", "cso: the people in a phone book, by a part of their names."},
		{search, "A phone book", at("cso") + "/", "cso: the phone book itself, with the fields that a query may name."},
		{search, "A search of gopherspace", at("gopher") + "/7/search%09documents%20score", "gopher: a menu of what is found, and a field to search again."},
		{search, "A search of Gemini", at("gemini") + "/search", "gemini: a page that asks for words."},
		{search, "A database", at("wais") + "/library", "wais: ask it something, and the best comes first."},
		{search, "Documents with a score", at("wais") + "/library?documents+with+a+score", "wais: what such a search finds."},
		{search, "A library catalogue", at("z39.50s") + "/library", "z39.50s: records of books, by words or by title and author."},
		{search, "Records of a catalogue", at("z39.50s") + "/library;query=documents", "z39.50s: what such a search finds."},
		{search, "A guest book", at("gopher") + "/0/guestbook%09%09?", "Gopher+: an ASK form, to be filled in."},
		{news, "A newsgroup", "news:library.texts", "news: articles and what they answer, wherever your news server is."},
		{news, "An article", "news:texts.news.txt@library.example", "news: an article, by its id."},
		{news, "The groups of one server", "news://" + d.Service("news").Addr + "/", "news: what a server has."},
		{news, "A group of one server", "nntp://" + d.Service("news").Addr + "/library.texts", "nntp: the same group, at the server that is named."},
		{mail, "A mailbox", at("imap") + "/INBOX", "imap: the messages in a mailbox of a server, which stay unread."},
		{mail, "A search of a mailbox", at("imap") + "/INBOX?SUBJECT%20%22lens%22", "imap: the messages that a search finds."},
		{mail, "A picture in a message", at("imap") + "/INBOX/;UID=1/;SECTION=2", "imap: a part of a message, decoded."},
		{mail, "Write to the library", "mailto:library@demo.example?subject=Another%20lens", "mailto: a letter that your mail program writes."},
		{sit, "A terminal", "telnet://reader@" + d.Service("telnet").Addr + "/", "telnet: a program to read the library with. Any password will do."},
		{sit, "The same, by rlogin", "rlogin://reader@" + d.Service("rlogin").Addr + "/", "rlogin: it says your name by itself."},
		{sit, "A 3270", at("tn3270") + "/", "tn3270: forms of a mainframe, with fields and function keys."},
		{name, "RFC 1738, by its name", Named, "urn: a name that says nothing of a place. The gateway knows one."},
	}
	if d.Service("prospero").Addr != "" {
		examples = append(examples, Example{read, "A directory without a place", at("prospero") + "/", "prospero: a directory whose entries may be on other servers, over UDP."})
	}
	if d.folder != "" {
		examples = append(examples,
			Example{mail, "A letter with a picture", "mid:lens@demo.example", "mid: a message that was received, by its id."},
			Example{mail, "The picture in it", "cid:picture@demo.example", "cid: a part of a message, by its own id."})
	}
	if d.texts != "" {
		examples = append(examples, Example{read, "A folder of this machine", "file:///texts/", "file: the one folder that this gateway was given."})
	}
	return examples
}

// Named is a urn URL for Locate.
const Named = "urn:ietf:rfc:1738"

// Locate returns the URL of the resource that Named names.
func (d *Demo) Locate() string {
	return d.Service("http").URL + "texts/rfc1738.txt"
}
