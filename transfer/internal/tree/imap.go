package tree

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"locus/scheme"
	"locus/url"
)

// An imapTree has the messages of a mailbox or of a search in it, or of all mailboxes of a server. The mailboxes of a
// server are listed with their whole names.
type imapTree struct{ root scheme.IMAP }

// imapAt returns the tree of the mailbox, the search or the server v. The URL of a message is an error.
func imapAt(v scheme.IMAP) (Tree, error) {
	if v.UID != 0 {
		return Tree{}, fmt.Errorf("%s: it is a message, not a mailbox", v.URL().Redacted())
	}
	t := imapTree{v}
	return Tree{Traits: Traits{Scattered: true}, Start: v.URL(), PathOf: t.pathOf, Entry: t.entry, Directory: itself}, nil
}

// pathOf implements Tree.PathOf: it returns the path of u below the root. The name of a message is its number, which
// the mailbox never uses again. ok is false for a URL of another server or user, or outside the mailbox of the root.
func (t imapTree) pathOf(u url.URL) (dirs []string, name string, ok bool) {
	v, err := scheme.ParseIMAP(u)
	if err != nil || v.Scheme != t.root.Scheme || v.Host != t.root.Host || v.User != t.root.User || v.Section.Present || v.Partial {
		return nil, "", false
	}
	if v.UID != 0 {
		name = strconv.FormatUint(uint64(v.UID), 10) + ".eml"
	}
	root := t.root
	if root.List != scheme.IMAPNoList {
		root.Mailbox = "" // a pattern of mailboxes
	}
	dirs, ok = below(levels(root.Mailbox), levels(v.Mailbox))
	return dirs, name, ok
}

// entry implements Tree.Entry: it returns u with the password of the root, because the URLs in a listing lack it. It
// returns the URL of another server or user unchanged.
func (t imapTree) entry(u url.URL) url.URL {
	v, err := scheme.ParseIMAP(u)
	if err != nil || v.Scheme != t.root.Scheme || v.Host != t.root.Host || v.User != t.root.User {
		return u
	}
	v.Password = t.root.Password
	return v.URL()
}

// levels splits the name of a mailbox at each "/". Empty names are left out.
func levels(mailbox string) []string {
	return slices.DeleteFunc(strings.Split(mailbox, "/"), func(name string) bool { return name == "" })
}
