package demo

import (
	"fmt"
	"io"
	"strings"
)

// A Try is a command for people to try.
type Try struct {
	Args  []string // arguments of locus; the verb is first
	About string   // what the command shows
}

// String returns the command for a Unix shell.
func (t Try) String() string {
	words := []string{"locus"}
	for _, arg := range t.Args {
		words = append(words, quote(arg))
	}
	return strings.Join(words, " ")
}

// quote returns arg for a Unix shell: in single quotes, unless it contains only characters without
// a meaning for a shell.
func quote(arg string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:%@+,="
	if arg != "" && arg[0] != '=' && strings.Trim(arg, plain) == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// Help writes a text of ten lines for people: which page to open first, and how to stop the demo.
// gateway is the host:port of a gateway.
func (d *Demo) Help(w io.Writer, gateway string) error {
	at := "http://" + gateway + "/"
	_, err := fmt.Fprintf(w, `Open this page in a web browser. It has links of every scheme:

  %s

Or put any URL after that address, such as

  %s%s

All servers are on the page. "locus demo --list" starts another demo and prints
its servers, with commands to try. The servers run until you press Ctrl-C.
`, at, at, d.Service("gopher").URL)
	return err
}

// List writes the URLs of the servers and the commands to try. gateway is the host:port of a
// gateway, which is also a proxy.
func (d *Demo) List(w io.Writer, gateway string) error {
	var b strings.Builder
	b.WriteString("The demo servers:\n\n")
	for _, s := range d.services {
		fmt.Fprintf(&b, "  %s\n", s.URL)
	}
	fmt.Fprintf(&b, "\nPrograms can use the gateway as a proxy:\n\n  ftp_proxy=http://%s/ curl %stexts/ftp.txt\n", gateway, d.Service("ftp").URL)
	b.WriteString("\nTry, in another terminal:\n")
	for _, s := range d.services {
		writeTries(&b, s.Try)
	}
	writeTries(&b, d.Letters())
	b.WriteString("\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// writeTries writes each command, after a line with its About.
func writeTries(b *strings.Builder, tries []Try) {
	for _, t := range tries {
		fmt.Fprintf(b, "\n  # %s\n  %s\n", t.About, t)
	}
}

// tries returns the commands to try, by the scheme of their server. ADDR stands for the address of
// that server.
func tries() map[string][]struct{ command, about string } {
	return map[string][]struct{ command, about string }{
		"http": {
			{"get http://ADDR/texts/rfc1738.txt", "a text from the web"},
			{"get -O http://ADDR/pictures/lens.png", "a picture, into the file lens.png"},
			{"get http://ADDR/awkward/number%23sign.txt", "a name with a number sign"},
			{"get http://ADDR/search?words=documents+score", "a search: a page with the results"},
			{"stat http://ADDR/etc/motd", "the attributes of a file, without its content"},
		},
		"ftp": {
			{"ls ftp://ADDR/", "a directory by FTP"},
			{"get ftp://ADDR/texts/ftp.txt", "a text"},
			{"get ftp://ADDR/awkward/semi%3Bcolon.txt;type=a", "a name with a semicolon, as text"},
			{"get ftp://demo:demo@ADDR/etc/motd", "a path begins in the user's home folder: /home/demo/etc/motd"},
			{"get ftp://demo:demo@ADDR/%2Fetc/motd", "%2F leads to the root of the server: /etc/motd"},
			{"get --offset 4194240 ftp://ADDR/big/numbers.txt;type=i", "only the end of a large file"},
		},
		"gopher": {
			{"ls gopher://ADDR/", "a menu"},
			{"get gopher://ADDR/0/texts/gopher.txt", "a text from gopherspace"},
			{"get gopher://ADDR/7/search%09documents%20score", "a search: a menu with the results"},
			{"get gopher://ADDR/0/README.txt%09%09+text/plain%20De_DE", "Gopher+: the same text in German"},
			{"get gopher://ADDR/0/README.txt%09%09!", "Gopher+: the attributes of a text"},
			{"get --answer your-name=Ada --answer a-secret=xyzzy --answer your-words=Hello gopher://ADDR/0/guestbook%09%09?", "Gopher+: a form, filled in"},
		},
		"wais": {
			{"ls wais://ADDR/library", "the description of a database"},
			{"ls wais://ADDR/library?documents+with+a+score", "a search: the documents that match, the best first"},
			{"get wais://ADDR/library/TEXT/3=0%200%20%2Ftexts%2Fwais.txt;", "a document, by its identifier"},
		},
		"z39.50s": {
			{"ls z39.50s://ADDR/", "the databases of a library catalogue"},
			{"ls z39.50s://ADDR/library;query=documents%20score;sort=title", "a search: the records that have all the words"},
			{"ls z39.50s://ADDR/library;query=@attr%201=4%20rfc", "a search in titles, in the notation PQF"},
			{"ls z39.50s://ADDR/library;scan=@attr%201=4%20g", "the words of titles, from g on"},
			{"get z39.50r://ADDR/library?lib0007", "a record, by its number"},
		},
		"nfs": {
			{"ls -l nfs://ADDR/", "the public directory of an NFS server"},
			{"get nfs://ADDR/texts/wais.txt", "a text, found by one LOOKUP of its path"},
			{"get --offset 4194240 nfs://ADDR/big/numbers.txt", "the end of a large file"},
			{"stat nfs://ADDR/pictures/lens.gif", "the attributes of a picture"},
		},
		"sftp": {
			{"ls -l sftp://ADDR/", "a folder of an SSH server, whose key the URL names"},
			{"get --offset 4194240 sftp://ADDR/big/numbers.txt", "the end of a large file"},
		},
		"gemini": {
			{"get gemini://ADDR/", "a page of Gemini, whose certificate is remembered"},
			{"get gemini://ADDR/texts", "a redirect to a page with links"},
			{"get --answer input=documents gemini://ADDR/search", "a page that asks for words"},
			{"get --answer input=xyzzy gemini://ADDR/locked", "a page that asks for a password"},
			{"cp gemini://ADDR/etc/motd titan://ADDR/uploads/motd.txt", "an upload by Titan, into the folder for uploads"},
			{"get gemini://ADDR/uploads/motd.txt", "the uploaded page"},
		},
		"prospero": {
			{"ls prospero://ADDR/", "a directory of Prospero, with links to the other servers"},
			{"get prospero://ADDR//texts/prospero.txt", "a text: the name of the object begins with a slash"},
			{"get prospero://ADDR//virtual-systems.txt", "an object that has been forwarded"},
			{"get --offset 4194240 prospero://ADDR//big/numbers.txt", "a large file, for which the server prefers ftp"},
			{"stat prospero://ADDR//pictures/lens.gif", "the attributes of a picture"},
		},
		"finger": {
			{"get finger://ADDR/", "the users of a server"},
			{"get finger://ADDR//W%20wais", "a user, with the plan"},
		},
		"dict": {
			{"ls dict://ADDR/", "the databases of a dictionary server"},
			{"get dict://ADDR/d:gopher", "the definition of a word"},
			{"ls dict://ADDR/m:goph", "the words that match"},
		},
		"cso": {
			{"ls cso://ADDR/", "the fields of a phone book"},
			{"get cso://ADDR/?score", "the people with the name Score"},
			{"get cso://ADDR/?name=score%20department=searches%20return%20all", "a query with two fields, which asks for everything"},
		},
		"imap": {
			{"ls imap://ADDR/", "the mailboxes of a mail server, without a login"},
			{"ls imap://ADDR/INBOX", "the messages of a mailbox"},
			{"ls imap://ADDR/INBOX?FROM%20%22reader%22", "a search: the messages that it finds"},
			{"get imap://ADDR/INBOX/;UID=2", "a message"},
			{"stat imap://ADDR/INBOX/;UID=1/;SECTION=2", "a part of a message, which is a picture"},
		},
		"tn3270": {
			{"open tn3270://ADDR/", "a 3270 on the terminal: Tab, Enter, and ESC 3 for PF3"},
		},
		"news": {
			{"ls news://ADDR/", "the newsgroups"},
			{"ls nntp://ADDR/library.texts", "the articles of a group"},
			{"get nntp://ADDR/library.texts/1", "an article, by its number"},
			{"get news://ADDR/texts.news.txt@library.example", "an article, by its id"},
			{"ls news://ADDR/texts.news.txt@library.example", "the links of an article"},
		},
		"telnet": {
			{"open telnet://reader:anything@ADDR/", "a session: locus shows the name and the password, and you type them"},
		},
		"rlogin": {
			{"open rlogin://reader@ADDR/", "the same session over rlogin, which sends the name itself"},
		},
	}
}

// tryAt returns the commands to try for a scheme whose server is at addr. addr may begin with a
// login.
func tryAt(scheme, addr string) []Try {
	var all []Try
	for _, t := range tries()[scheme] {
		all = append(all, Try{strings.Fields(strings.ReplaceAll(t.command, "ADDR", addr)), t.about})
	}
	return all
}
