package access

import "strconv"

// A Remedy suggests a change to the request after an error. String is a sentence for
// people, without a period; it names no flags. A program finds its option for a Remedy by
// the type.
type Remedy interface{ String() string }

// Advice is a Remedy without an option, such as how to write the URL. The empty Advice is
// ignored.
type Advice string

// String returns the sentence.
func (a Advice) String() string { return string(a) }

// AllowPort is the Remedy for a port that is refused because another protocol uses it.
type AllowPort struct{ Port uint16 }

// String returns "allow port 25 if you trust this URL".
func (a AllowPort) String() string {
	return "allow port " + strconv.Itoa(int(a.Port)) + " if you trust this URL"
}

// AllowCleartext is the Remedy for a password that is not sent without TLS.
type AllowCleartext struct {
	Protocol string // "nntp", "smtp", "imap", "ftp"
	Secure   string // the scheme that begins with TLS: "nntps"; "" if the protocol has none
}

// String returns "nntps:// begins with TLS; or allow the password to be sent in the clear".
func (a AllowCleartext) String() string {
	const allow = "allow the password to be sent in the clear"
	if a.Secure == "" {
		return allow
	}
	return a.Secure + ":// begins with TLS; or " + allow
}

// NeedWords is the Remedy for a search without words.
type NeedWords struct {
	Example string // a URL with words: "gopher://host/7/find%09words"
}

// String returns "put the words to search for into the URL, as in …".
func (n NeedWords) String() string {
	return "put the words to search for into the URL, as in " + n.Example
}

// NeedMore is the Remedy for a search whose results were cut at the requested number.
type NeedMore struct {
	Limit int // a larger one
}

// String returns "ask for more documents".
func (n NeedMore) String() string { return "ask for more documents" }

// AcceptCertificate is the Remedy for a server whose certificate cannot be verified.
type AcceptCertificate struct {
	Fingerprint string // the SHA-256 digest of the certificate in DER, in lower-case hexadecimal
}

// String returns "if the server's owner confirms this fingerprint, accept the certificate".
func (a AcceptCertificate) String() string {
	return "if the server's owner confirms this fingerprint, accept the certificate"
}

// A Need is a Remedy without details.
type Need string

// String returns the sentence.
func (n Need) String() string { return string(n) }

const (
	// NeedTLS is the Remedy for an ftp server that wants TLS.
	NeedTLS Need = "connect with TLS"
	// NeedLogin is the Remedy for a news server that wants a login.
	NeedLogin Need = "give your user name at this server"
	// NeedCertificate is the Remedy for a server that wants a certificate of the client.
	NeedCertificate Need = "show the server a client certificate"
	// NeedProxyLogin is the Remedy for a proxy that wants another user or password.
	NeedProxyLogin Need = "write the user and the password into the URL of the proxy: http://USER:PASSWORD@HOST:PORT"
	// NeedMail is the Remedy for a message that cannot be found without a mail folder.
	NeedMail Need = "say where your mail is"
	// NeedNewsServer is the Remedy for a news URL without a server, if the program has no
	// default server.
	NeedNewsServer Need = "name your news server, or write it into the URL: nntp://host/group"
	// NeedSlash is the Remedy for a URL that names no file, and may name a directory.
	NeedSlash Need = `if it is a directory, end the URL with "/"`
	// WriteMail is the Remedy for a URL that is an address to write to.
	WriteMail Need = "write a message to it with a mail program"
	// WriteInPlace is the Remedy for a server that does not allow renaming a file.
	WriteInPlace Need = "write into the file itself, which is not replaced at once"
)

// WithRemedy returns err with a Remedy. It has the text of err, and wraps it.
func WithRemedy(err error, r Remedy) error { return &withRemedy{err, r} }

type withRemedy struct {
	error
	remedy Remedy
}

func (e *withRemedy) Unwrap() error   { return e.error }
func (e *withRemedy) Suggest() Remedy { return e.remedy }

// RemedyFor returns the first Remedy in the tree of err: of an [*Error], or of an error
// with a method Suggest. It is nil if the tree has no Remedy.
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

// ownRemedy returns the Remedy of err itself. It does not look at the errors that err wraps.
func ownRemedy(err error) Remedy {
	switch e := err.(type) { //nolint:errorlint // RemedyFor walks the tree
	case *Error:
		return e.Remedy
	case interface{ Suggest() Remedy }:
		return e.Suggest()
	}
	return nil
}

// Hint returns the sentence of RemedyFor(err); "" if that is nil.
func Hint(err error) string {
	if r := RemedyFor(err); r != nil {
		return r.String()
	}
	return ""
}
