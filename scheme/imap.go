package scheme

import (
	"strconv"
	"strings"

	"locus/internal/ascii"
	"locus/url"
)

// IMAP is the view of an imap or imaps URL: a mailbox of a mail server, a search in it, a message, or a part of a
// message.
//
//	imap://ada;AUTH=PLAIN@host:143/box;UIDVALIDITY=385/;UID=20/;SECTION=1.2/;PARTIAL=0.1024
//	       |_|      |___|          |_|             |_|      ||          |_|          \____/
//	       User     Auth         Mailbox       UIDValidity  UID       Section     From, Length
//
//	imap://ada@host/box?SUBJECT%20tea
//	                    \___________/
//	                       Search
//
// RFC 5092 §11:
//
//	imapurl  = "imap://" [ user [ ";AUTH=" auth ] "@" ] host [ ":" port ] [ "/" [ command ] ]
//	command  = mailbox [ ";UIDVALIDITY=" n ] [ "?" search | message ]
//	message  = "/;UID=" n [ "/;SECTION=" section ] [ "/;PARTIAL=" n [ "." n ] ]
//
// A URL without a mailbox names the server. RFC 2192 §6.1.1 has a list of mailboxes, too: imap://host/ne*;TYPE=LIST.
// ParseIMAP reads it, a "/" that is missing before a parameter, and a password.
type IMAP struct {
	Scheme string // "imap" or "imaps"; "" means "imap"
	Host
	User, Password url.Part
	Auth           url.Part // the mechanism of the login; "*" means any
	Mailbox        string   // in UTF-8; or a pattern, if List is set
	List           IMAPList
	UIDValidity    uint32   // the URL is valid as long as the mailbox has this number; 0: always
	Search         url.Part // the search program of RFC 3501 §6.4.4
	UID            uint32   // of a message; 0 if the URL does not name a message
	Section        url.Part // the part of the message; absent for the whole message
	Partial        bool     // the URL names only Length bytes from the byte From
	From, Length   uint32   // a Length of 0 means all bytes to the end
}

// IMAPList is the kind of a list of mailboxes.
type IMAPList uint8

// The lists of RFC 2192.
const (
	IMAPNoList     IMAPList = iota // the URL is no list
	IMAPMailboxes                  // ";TYPE=LIST"
	IMAPSubscribed                 // ";TYPE=LSUB": the mailboxes to which the user has subscribed
)

var imapLists = [...]string{IMAPMailboxes: "LIST", IMAPSubscribed: "LSUB"}

var inAuth = inUser.With("*") // "*" means any mechanism

const imapRule = "RFC 5092 §11"

// ParseIMAP returns the view of an imap or imaps URL.
func ParseIMAP(u url.URL) (IMAP, error) {
	host, err := hostPort(u, imapRule, "imap", "imaps")
	if err != nil {
		return IMAP{}, err
	}
	v := IMAP{Scheme: u.Scheme(), Host: host, Password: decoded(u.Password())}
	if user, ok := u.User(); ok {
		name, auth, hasAuth := cutFold(user, ";AUTH=")
		v.User = decoded(name, name != "" || !hasAuth)
		v.Auth = decoded(auth, hasAuth)
	}
	path := u.PathAndQuery()
	if path == "" {
		return v, nil
	}
	if path[0] != '/' {
		return IMAP{}, pathFail(u, 0, imapRule, `a "/" before the mailbox`)
	}
	if at, want := v.parsePath(path[1:]); want != "" {
		return IMAP{}, pathFail(u, 1+at, imapRule, want)
	}
	return v, nil
}

// cutFold is like strings.Cut, but ignores the case of letters. sep must be in upper case.
func cutFold(s, sep string) (before, after string, found bool) {
	if i := strings.Index(strings.ToUpper(s), sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// parsePath sets the mailbox, the parameters and the search from path, the encoded text after the first "/". It returns
// the offset of the first error in path and the text that is wanted there, or "" if the path is correct.
func (v *IMAP) parsePath(path string) (at int, want string) {
	command, search, hasSearch := strings.Cut(path, "?")
	mailbox, parameters, hasParameters := strings.Cut(command, ";")
	v.Mailbox = ascii.Unescape(strings.TrimSuffix(mailbox, "/"))
	for at = len(mailbox); hasParameters; {
		var parameter string
		parameter, parameters, hasParameters = strings.Cut(parameters, ";")
		at += len(";")
		name, value, hasValue := strings.Cut(strings.TrimSuffix(parameter, "/"), "=")
		if !hasValue {
			return at + len(name), `"=" and a value`
		}
		if want := v.setParameter(strings.ToUpper(name), ascii.Unescape(value)); want != "" {
			return at, want
		}
		at += len(parameter)
	}
	v.Search = decoded(search, hasSearch)
	if hasSearch && (v.Mailbox == "" || v.UID != 0 || v.List != IMAPNoList) {
		return len(command), "the end of the URL, because only a mailbox can be searched"
	}
	if v.Mailbox == "" && (v.UIDValidity != 0 || v.UID != 0) {
		return 0, "a mailbox"
	}
	return 0, ""
}

// setParameter sets the field of v for a parameter, whose name is in upper case and whose value is decoded. If the
// parameter is unknown, out of order or has a wrong value, it returns the text that is wanted instead. Otherwise it
// returns "".
func (v *IMAP) setParameter(name, value string) (want string) {
	isMessage := v.UID != 0 && v.List == IMAPNoList
	switch {
	case name == "TYPE" && v.List == IMAPNoList && v.UID == 0 && v.UIDValidity == 0:
		for list, known := range imapLists {
			if known != "" && strings.EqualFold(value, known) {
				v.List = IMAPList(list) //nolint:gosec // an index of a short list
				return ""
			}
		}
		return "TYPE=LIST or TYPE=LSUB"
	case name == "UIDVALIDITY" && v.UIDValidity == 0 && v.UID == 0 && v.List == IMAPNoList:
		return setNumber(&v.UIDValidity, value)
	case name == "UID" && v.UID == 0 && v.List == IMAPNoList:
		return setNumber(&v.UID, value)
	case name == "SECTION" && isMessage && !v.Section.Present && !v.Partial:
		v.Section = url.Some(value)
		return ""
	case name == "PARTIAL" && isMessage && !v.Partial:
		return v.setPartial(value)
	case isMessage:
		return `the end of the URL, "SECTION=" or "PARTIAL="`
	}
	return `"UIDVALIDITY=" or "UID="`
}

// setNumber sets *n to the decimal number in text, from 1, and returns "". If text is not such a number, it leaves *n
// and returns the text that is wanted instead.
func setNumber(n *uint32, text string) (want string) {
	wide, err := strconv.ParseUint(text, 10, 32)
	if err != nil || wide == 0 {
		return "a number from 1 to 4294967295"
	}
	*n = uint32(wide)
	return ""
}

// setPartial sets Partial, From and Length from text, such as "0.1024" or "0". It returns the text that is wanted
// instead, or "" if text is correct.
func (v *IMAP) setPartial(text string) (want string) {
	from, length, hasLength := strings.Cut(text, ".")
	wide, err := strconv.ParseUint(from, 10, 32)
	if err != nil || hasLength && setNumber(&v.Length, length) != "" {
		return "PARTIAL= with a first byte and perhaps a length, as in PARTIAL=0.1024"
	}
	v.Partial, v.From = true, uint32(wide)
	return ""
}

// URL returns the URL whose view is v.
func (v IMAP) URL() url.URL {
	var b builder
	b.scheme(v.Scheme, "imap")
	b.WriteString("//")
	if v.User.Present || v.Auth.Present || v.Password.Present {
		b.escape(v.User.Text, inUser)
		if v.Auth.Present {
			b.WriteString(";AUTH=")
			b.escape(v.Auth.Text, inAuth)
		}
		if v.Password.Present {
			b.WriteByte(':')
			b.escape(v.Password.Text, inUser)
		}
		b.WriteByte('@')
	}
	b.hostPort(v.Host)
	b.WriteByte('/')
	name, hasSlash := strings.CutSuffix(v.Mailbox, "/") // because a "/" at the end could begin a parameter
	b.escape(name, inName)
	if hasSlash {
		b.WriteString("%2F")
	}
	number := func(name string, n uint32) {
		if n != 0 {
			b.WriteString(name + strconv.FormatUint(uint64(n), 10))
		}
	}
	if v.List != IMAPNoList {
		b.WriteString(";TYPE=" + imapLists[v.List])
	}
	number(";UIDVALIDITY=", v.UIDValidity)
	number("/;UID=", v.UID)
	if v.Section.Present {
		b.WriteString("/;SECTION=")
		b.escape(v.Section.Text, inPath)
	}
	if v.Partial {
		b.WriteString("/;PARTIAL=" + strconv.FormatUint(uint64(v.From), 10))
		number(".", v.Length)
	}
	if v.Search.Present {
		b.WriteByte('?')
		b.escape(v.Search.Text, inQuery)
	}
	return b.url()
}

// fields returns the fields of the view for [JSON] and [Set]. The numbers, the list and the partial range cannot be
// set. Removing the user removes the password too.
func (v IMAP) fields() fields {
	number := func(name string, n *uint32) field { return field{name, func() any { return *n }, nil} }
	return fields{append(
		loginFields(&v.User, &v.Password),
		partField("auth", &v.Auth),
		textField("mailbox", &v.Mailbox),
		field{"list", func() any { return present(imapLists[v.List]) }, nil},
		number("uidvalidity", &v.UIDValidity),
		partField("search", &v.Search),
		number("uid", &v.UID),
		partField("section", &v.Section),
		field{"partial", func() any { return v.Partial }, nil},
		number("from", &v.From),
		number("length", &v.Length),
	), func() View { return v }}
}
