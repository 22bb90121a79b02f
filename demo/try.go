package demo

import (
	"fmt"
	"io"
	"strings"
)

// A Try is a command for people to try.
type Try struct {
	Args  []string // of locus: its verb first
	About string   // what it shows
}

// String returns the command for a Unix shell.
func (t Try) String() string {
	words := []string{"locus"}
	for _, arg := range t.Args {
		words = append(words, quote(arg))
	}
	return strings.Join(words, " ")
}

// quote quotes an argument if a shell needs that.
func quote(arg string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:%@+,="
	if arg != "" && arg[0] != '=' && strings.Trim(arg, plain) == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// Help writes the servers and the commands to try. gateway is the host:port of a
// gateway; "" if there is none.
func (d *Demo) Help(w io.Writer, gateway string) error {
	var b strings.Builder
	if gateway != "" {
		d.helpBrowser(&b, "http://"+gateway+"/")
	}
	b.WriteString("The demo servers run until you press Ctrl-C:\n\n")
	for _, s := range d.services {
		fmt.Fprintf(&b, "  %s\n", s.URL)
	}
	b.WriteString("\nTry, in another terminal:\n")
	for _, s := range d.services {
		for _, t := range s.Try {
			fmt.Fprintf(&b, "\n  # %s\n  %s\n", t.About, t)
		}
	}
	for _, t := range d.Letters() {
		fmt.Fprintf(&b, "\n  # %s\n  %s\n", t.About, t)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// helpBrowser writes how to use the gateway.
func (d *Demo) helpBrowser(b *strings.Builder, at string) {
	fmt.Fprintf(b, "Open this page in a web browser. It has links of every scheme:\n\n  %s\n", at)
	b.WriteString("\nOr put any URL after that address, such as\n\n")
	for _, scheme := range []string{"ftp", "gopher", "wais"} {
		fmt.Fprintf(b, "  %s%s\n", at, d.Service(scheme).URL)
	}
	fmt.Fprintf(b, "  %snews:library.texts\n", at)
	fmt.Fprintf(b, "\nPrograms can use it as a proxy:\n\n  ftp_proxy=%s curl %stexts/ftp.txt\n\n", at, d.Service("ftp").URL)
}

func tryHTTP(addr string) []Try {
	root := "http://" + addr
	return []Try{
		{[]string{"get", root + "/texts/rfc1738.txt"}, "a text from the web"},
		{[]string{"get", "-O", root + "/pictures/lens.png"}, "a picture, into the file lens.png"},
		{[]string{"get", root + "/awkward/number%23sign.txt"}, "a name with a number sign"},
		{[]string{"get", root + "/search?words=documents+score"}, "a search: the page of what it finds"},
		{[]string{"stat", root + "/etc/motd"}, "what is known without getting it"},
	}
}

func tryFTP(addr string) []Try {
	root := "ftp://" + addr
	return []Try{
		{[]string{"ls", root + "/"}, "a directory by FTP"},
		{[]string{"get", root + "/texts/ftp.txt"}, "a text"},
		{[]string{"get", root + "/awkward/semi%3Bcolon.txt;type=a"}, "a name with a semicolon, as text"},
		{[]string{"get", "ftp://demo:demo@" + addr + "/etc/motd"}, "a path begins where a login does: /home/demo/etc/motd"},
		{[]string{"get", "ftp://demo:demo@" + addr + "/%2Fetc/motd"}, "unless it says otherwise: /etc/motd"},
		{[]string{"get", "--offset", "4194240", root + "/big/numbers.txt;type=i"}, "the end of a large file, and no more of it"},
	}
}

func tryGopher(addr string) []Try {
	root := "gopher://" + addr
	return []Try{
		{[]string{"ls", root + "/"}, "a menu"},
		{[]string{"get", root + "/0/texts/gopher.txt"}, "a text from gopherspace"},
		{[]string{"get", root + "/7/search%09documents%20score"}, "a search: the menu of what it finds"},
		{[]string{"get", root + "/0/README.txt%09%09+text/plain%20De_DE"}, "Gopher+: the same text in German"},
		{[]string{"get", root + "/0/README.txt%09%09!"}, "Gopher+: what is known about a text"},
		{[]string{"get", "--answer", "your-name=Ada", "--answer", "a-secret=xyzzy", "--answer", "your-words=Hello", root + "/0/guestbook%09%09?"}, "Gopher+: a form, filled in"},
	}
}

func tryWAIS(addr string) []Try {
	root := "wais://" + addr + "/library"
	return []Try{
		{[]string{"ls", root}, "what a WAIS server says about a database"},
		{[]string{"ls", root + "?documents+with+a+score"}, "a search: what is found, the best first"},
		{[]string{"get", root + "/TEXT/3=0%200%20%2Ftexts%2Fwais.txt;"}, "a document, by its identifier"},
	}
}

func tryProspero(addr string) []Try {
	root := "prospero://" + addr
	return []Try{
		{[]string{"ls", root + "/"}, "a directory of Prospero, with links to the other servers"},
		{[]string{"get", root + "//texts/prospero.txt"}, "a text: the name of the object begins with a slash"},
		{[]string{"get", root + "//virtual-systems.txt"}, "an object that has been forwarded"},
		{[]string{"get", "--offset", "4194240", root + "//big/numbers.txt"}, "a large file, for which the server prefers ftp"},
		{[]string{"stat", root + "//pictures/lens.gif"}, "what the server says about a picture"},
	}
}

func tryTN3270(addr string) []Try {
	return []Try{{[]string{"open", "tn3270://" + addr + "/"}, "a 3270 on the terminal: Tab, Enter, and ESC 3 for PF3"}}
}

func tryNews(addr string) []Try {
	return []Try{
		{[]string{"ls", "news://" + addr + "/"}, "the newsgroups"},
		{[]string{"ls", "nntp://" + addr + "/library.texts"}, "the articles of a group"},
		{[]string{"get", "nntp://" + addr + "/library.texts/1"}, "an article, by its number"},
		{[]string{"get", "news://" + addr + "/texts.news.txt@library.example"}, "an article, by its id"},
		{[]string{"ls", "news://" + addr + "/texts.news.txt@library.example"}, "what the article leads to"},
	}
}

func tryTelnet(addr string) []Try {
	return []Try{
		{[]string{"open", "telnet://reader:anything@" + addr + "/"}, "a session: locus shows the name and the password, and you type them"},
	}
}

func tryRlogin(addr string) []Try {
	return []Try{
		{[]string{"open", "rlogin://reader@" + addr + "/"}, "the same session by rlogin, which says the name itself"},
	}
}
