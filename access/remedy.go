package access

import "strconv"

// A Remedy says what the caller can change so that an access which has failed may
// succeed. String is a sentence for people, without a period; it names no flag of
// any program. A program that has an option for a Remedy looks for its type.
type Remedy interface{ String() string }

// Advice is a Remedy that is nothing but its sentence, such as how the URL is to be
// written. "" is no Remedy.
type Advice string

// String gives the sentence.
func (a Advice) String() string { return string(a) }

// AllowPort is the Remedy for a port that is refused because it belongs to another
// protocol.
type AllowPort struct{ Port uint16 }

// String gives "allow port 25 if you trust this URL".
func (a AllowPort) String() string {
	return "allow port " + strconv.Itoa(int(a.Port)) + " if you trust this URL"
}

// AllowCleartext is the Remedy for a password that is not sent without TLS.
type AllowCleartext struct {
	Protocol string // "nntp", "smtp", "imap", "ftp"
	Secure   string // the scheme that begins with TLS: "nntps"; "" if there is none
}

// String gives "nntps:// begins with TLS; or allow the password to be sent in the clear".
func (a AllowCleartext) String() string {
	const allow = "allow the password to be sent in the clear"
	if a.Secure == "" {
		return allow
	}
	return a.Secure + ":// begins with TLS; or " + allow
}

// NeedTLS is the Remedy for a server that wants TLS.
type NeedTLS struct {
	Protocol string // "ftp"
}

// String gives "connect with TLS".
func (NeedTLS) String() string { return "connect with TLS" }

// NeedLogin is the Remedy for a server that wants to know who the user is.
type NeedLogin struct {
	Protocol string // "nntp"
	Host     string // the server, without its port
}

// String gives "give your name at this server".
func (NeedLogin) String() string { return "give your name at this server" }

// NeedWords is the Remedy for a search without words.
type NeedWords struct {
	Example string // how a URL has them: "gopher://host/7/find%09words"
}

// String gives "put the words to search for into the URL, as in …".
func (n NeedWords) String() string {
	return "put the words to search for into the URL, as in " + n.Example
}

// NeedMail is the Remedy for a message that is looked for in no mail at all.
type NeedMail struct{}

// String gives "say where your mail is".
func (NeedMail) String() string { return "say where your mail is" }

// NeedNewsServer is the Remedy for a news URL that names no server where none is
// configured.
type NeedNewsServer struct{}

// String gives "name your news server, or write it into the URL: nntp://host/group".
func (NeedNewsServer) String() string {
	return "name your news server, or write it into the URL: nntp://host/group"
}

// WriteMail is the Remedy for a URL that names somebody to write to.
type WriteMail struct{}

// String gives "write a message to it with a mail program".
func (WriteMail) String() string { return "write a message to it with a mail program" }

// WriteInPlace is the Remedy for a server that lets nobody rename a file.
type WriteInPlace struct{}

// String gives "write into the file itself, which is not replaced at once".
func (WriteInPlace) String() string {
	return "write into the file itself, which is not replaced at once"
}

// RemedyFor returns the first Remedy that an error in the tree of err has: in an
// [*Error], a [*Refusal], or an error with a method Suggest. It is nil if none has.
func RemedyFor(err error) Remedy {
	if r := ownRemedy(err); r != nil && r.String() != "" {
		return r
	}
	switch e := err.(type) { //nolint:errorlint // it walks the tree itself
	case interface{ Unwrap() error }:
		return RemedyFor(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			if r := RemedyFor(err); r != nil {
				return r
			}
		}
	}
	return nil
}

func ownRemedy(err error) Remedy {
	switch e := err.(type) { //nolint:errorlint // RemedyFor walks the tree
	case *Error:
		return e.Remedy
	case *Refusal:
		return e.Remedy
	case interface{ Suggest() Remedy }:
		return e.Suggest()
	}
	return nil
}

// Hint returns what the user can do about err, in words; "" if nothing is known.
func Hint(err error) string {
	if r := RemedyFor(err); r != nil {
		return r.String()
	}
	return ""
}
