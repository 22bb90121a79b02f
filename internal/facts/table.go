package facts

// Traits that go together.
const (
	files = Core | Object | Relative | Hierarchical
	dirs  = files | Host | Host1738 | Fetches | LiteralDots1738 | EmptyPathIsRoot
	web   = files | Host | Host1738 | Fetches | EmptyPathIsRoot | Query1738 | Special
	news  = Core | Object | Relative | Host
	login = Core | Session | Host

	retrieval = Core | Object | Host | Host1738 | Fetches | Query1738 | EmptyPathIsRoot

	socket = Host | Hierarchical | EmptyPathIsRoot | Special // the path is the path of an HTTP request
)

var rows = [...]Scheme{
	// Name, Port, Secure, Protocol, Delims, Traits, Spec
	{"afs", 0, "", "", "/", files | Reserved | Host | EmptyHost | EmptyPathIsRoot, "RFC 1630, BNF, afsaddress"},
	{"cid", 0, "", "", "", Core | Reserved | Object | AtIsData | Message | Mail, "RFC 1630, Content-Id; RFC 2392"},
	{"file", 0, "", "", "/;", files | Host | Host1738 | EmptyHost | AtIsData | Special | LocalPath, "RFC 1738 §3.10"},
	{"ftp", 21, "ftps", "ftp", "/;", dirs | Special, "RFC 1738 §3.2"},
	{"ftpes", 21, "", "ftp", "/;", dirs | Encrypted, "RFC 1738 §3.2, with the TLS of RFC 4217"},
	{"ftps", 990, "", "ftp", "/;", dirs | Encrypted, "RFC 1738 §3.2, over TLS"},
	{"gopher", 70, "gophers", "gopher", "", Core | Object | Host | Host1738 | Fetches | Menus, "RFC 1738 §3.4"},
	{"gophers", 70, "", "gopher", "", Core | Object | Host | Host1738 | Fetches | Menus | Encrypted, "RFC 1738 §3.4, over TLS"},
	{"http", 80, "https", "http", "/;?", web | Web, "RFC 1738 §3.3"},
	{"https", 443, "", "http", "/;?", web | Web | Encrypted, "RFC 9110 §4.2.2"},
	{"mailserver", 0, "", "", "/", Core | Reserved | Address | AtIsData | NoHost1738, "RFC 1738 §4; draft-ietf-uri-url-mailserver-01"},
	{"mailto", 0, "", "", "", Core | Address | AtIsData | NoHost1738 | Mailboxes, "RFC 1738 §3.5"},
	{"mid", 0, "", "", "/", Core | Reserved | Object | AtIsData | Message | Mail, "RFC 1630, Message-Id; RFC 2392"},
	{"news", 0, "snews", "nntp", "@", news | NoHost1738 | AtIsData, "RFC 1738 §3.6"},
	{"nfs", 2049, "", "nfs", "/", files | Reserved | Host | Fetches, "RFC 2224"},
	{"nntp", 119, "nntps", "nntp", "/", news | Host1738 | Fetches, "RFC 1738 §3.7"},
	{"nntps", 563, "", "nntp", "/", news | Host1738 | Fetches | Encrypted, "RFC 1738 §3.7, over TLS"},
	{"prospero", 1525, "", "prospero", ";=", Core | Object | Host | Host1738 | Fetches, "RFC 1738 §3.11"},
	{"rlogin", 513, "", "rlogin", "", login, "RFC 1630, Telnet, rlogin, tn3270"},
	{"snews", 563, "", "nntp", "@", news | NoHost1738 | AtIsData | Encrypted, "RFC 1738 §3.6, over TLS"},
	{"telnet", 23, "", "telnet", "", login | Host1738, "RFC 1738 §3.8"},
	{"tn3270", 23, "", "telnet", "", login | Reserved, "RFC 1630, Telnet, rlogin, tn3270; RFC 6270"},
	{"urn", 0, "", "", "/:?", Core | Reserved | AtIsData, "RFC 1630, URN; RFC 8141"},
	{"wais", 210, "", "wais", "/?", Core | Object | Relative | Host | Host1738 | Fetches | Query1738 | PlusIsSpace, "RFC 1738 §3.9"},
	{"z39.50", 210, "", "z39.50", "", Core | Reserved | Host, "RFC 1738 §4"},
	{"z39.50r", 210, "", "z39.50", ";?=", retrieval, "RFC 2056"},
	{"z39.50s", 210, "", "z39.50", ";?=", retrieval, "RFC 2056"},

	// RFC 1738 and RFC 1630 do not know these.
	{"cso", 105, "", "ph", "", Object | Host | Host1738 | Fetches, "RFC 2378, as lynx writes it"},
	{"data", 0, "", "", "", Object | AtIsData | NoHost1738 | Inline, "RFC 2397"},
	{"dict", 2628, "", "dict", ":", Object | Host | Host1738 | Fetches, "RFC 2229 §5"},
	{"finger", 79, "", "finger", "", Object | Host | Host1738 | Fetches, "draft-ietf-uri-url-finger-03"},
	{"gemini", 1965, "", "gemini", "/", Object | Host | Host1738 | Fetches | Relative | Hierarchical | EmptyPathIsRoot | Encrypted, "Gemini 0.24.1"},
	{"titan", 1965, "", "gemini", "/;=", Upload | Host | Host1738 | Relative | Hierarchical | EmptyPathIsRoot | Encrypted, "Titan"},
	{"imap", 143, "imaps", "imap", "/;?", Object | Host | Host1738 | Fetches | Mail, "RFC 5092"},
	{"imaps", 993, "", "imap", "/;?", Object | Host | Host1738 | Fetches | Encrypted | Mail, "RFC 5092, over TLS"},

	// Browsers use a default port for these.
	{"ws", 80, "wss", "websocket", "", socket, "RFC 6455 §3"},
	{"wss", 443, "", "websocket", "", socket | Encrypted, "RFC 6455 §3"},

	// Their URLs are only parsed, except for sftp. ssh precedes sftp, so that AtPort
	// returns ssh for port 22.
	{"ldap", 389, "ldaps", "ldap", "", Host, "RFC 4516"},
	{"ldaps", 636, "", "ldap", "", Host | Encrypted, "RFC 4516, over TLS"},
	{"pop3", 110, "pop3s", "pop3", "", Host, "RFC 2384"},
	{"pop3s", 995, "", "pop3", "", Host | Encrypted, "RFC 2384, over TLS"},
	{"smtp", 25, "smtps", "smtp", "", Host, "RFC 5321"},
	{"smtps", 465, "", "smtp", "", Host | Encrypted, "RFC 8314 §7.3"},
	{"ssh", 22, "", "ssh", "", Host, "RFC 4251"},
	{"sftp", 22, "", "ssh", "/;", Object | Host | Host1738 | Fetches | Relative | Hierarchical | EmptyPathIsRoot | Encrypted | Personal, "draft-ietf-secsh-scp-sftp-ssh-uri-04"},

	// Locus does not open the rest. Their rows have only the facts that are needed to find
	// their URLs in text and to hide their passwords.
	{Name: "coap", Traits: Host},
	{Name: "coaps", Traits: Host},
	{Name: "git", Traits: Host},
	{Name: "irc", Traits: Host},
	{Name: "ircs", Traits: Host},
	{Name: "pop", Traits: Host},
	{Name: "rsync", Traits: Host},
	{Name: "rtsp", Traits: Host},
	{Name: "svn", Traits: Host},
	{Name: "vnc", Traits: Host},
	{Name: "xmlrpc.beep", Traits: Host},
	{Name: "acct", Traits: AtIsData},
	{Name: "im", Traits: AtIsData},
	{Name: "jabber", Traits: AtIsData},
	{Name: "javascript", Traits: AtIsData},
	{Name: "message", Traits: AtIsData},
	{Name: "pkg", Traits: AtIsData},
	{Name: "pres", Traits: AtIsData},
	{Name: "skype", Traits: AtIsData},
	{Name: "tag", Traits: AtIsData},
	{Name: "xmpp", Traits: AtIsData},
	{Name: "sip", Traits: Login},
	{Name: "sips", Traits: Login},
}
