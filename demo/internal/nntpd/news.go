package nntpd

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/mail"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"locus/demo/internal/library"
)

const (
	longestArticle = 64 << 10 // bytes
	mostPosted     = 200      // articles
	domain         = "@library.example>"
)

// news has the groups and their articles.
type news struct {
	mu     sync.Mutex
	groups map[string][]*article // the article with number n is at n-1
	ids    map[string]*article
	posted int
}

// An article is a text with a header, whose lines end in LF.
type article struct {
	id       string // with its angle brackets
	text     string
	overview string // without the number
}

// newNews returns the news whose articles are the plain texts of files. Each folder is a newsgroup.
// It leaves out empty files, files longer than longestArticle, and folders whose names cannot be
// names of groups.
func newNews(files fs.FS) (*news, error) {
	n := &news{groups: map[string][]*article{}, ids: map[string]*article{}}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || library.TypeOf(name) != "text/plain" {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Size() == 0 || info.Size() > longestArticle {
			return err
		}
		group, ok := groupOf(path.Dir(name))
		if !ok {
			return nil
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return n.add(draft(files, name, group, info.ModTime(), string(text)))
	})
	return n, err
}

// groupOf returns the name of the group of a directory: "library.texts" for "texts". It returns
// false if the name has bytes that a group cannot have.
func groupOf(dir string) (string, bool) {
	if dir == "." {
		return "library", true
	}
	name := "library." + strings.ReplaceAll(dir, "/", ".")
	return name, strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.+-_") == ""
}

// draft returns the article for the text of the library with that file name, in group: a header and
// the text. All articles refer to the article of README.txt.
func draft(files fs.FS, name, group string, at time.Time, text string) string {
	const first = "README.txt"
	header := "Path: library.example!not-for-mail\n" +
		"From: The librarian <librarian@library.example>\n" +
		"Newsgroups: " + group + "\n" +
		"Subject: " + library.Title(files, name) + "\n" +
		"Date: " + at.UTC().Format(time.RFC1123Z) + "\n" +
		"Message-ID: <" + idOf(name) + domain + "\n"
	if name != first {
		header += "References: <" + idOf(first) + domain + "\n"
	}
	return header + "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n" + text
}

// idOf returns the part before "@" of the message-id of the text with that file name.
func idOf(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' {
			return '.'
		}
		if r <= ' ' || r > '~' || strings.ContainsRune(`<>@"\`, r) {
			return '_'
		}
		return r
	}, name)
}

// add adds an article to the groups in its header, which must be well formed. The caller holds
// n.mu, or has not shared n.
func (n *news) add(text string) error {
	m, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		return errors.New("it has no header")
	}
	a := &article{id: m.Header.Get("Message-ID"), text: text}
	_, body, _ := strings.Cut(text, "\n\n")
	fields := []string{
		m.Header.Get("Subject"), m.Header.Get("From"), m.Header.Get("Date"), a.id, m.Header.Get("References"),
		fmt.Sprint(len(text) + strings.Count(text, "\n")), fmt.Sprint(strings.Count(body, "\n")),
	}
	for i, field := range fields {
		fields[i] = spaced.Replace(field)
	}
	a.overview = strings.Join(fields, "\t")
	for _, name := range groupsOf(m.Header) {
		n.groups[name] = append(n.groups[name], a)
	}
	n.ids[a.id] = a
	return nil
}

// spaced replaces separators of fields and lines by spaces (RFC 3977 §8.3.2).
var spaced = strings.NewReplacer("\t", " ", "\r", " ", "\n", " ", "\x00", " ")

// groupsOf returns the groups in the Newsgroups field of h, sorted and without duplicates.
func groupsOf(h mail.Header) []string {
	groups := strings.FieldsFunc(h.Get("Newsgroups"), func(r rune) bool { return r == ',' || r <= ' ' })
	slices.Sort(groups)
	return slices.Compact(groups)
}

// isID reports whether text is a message-id that commands can name (RFC 3977
// §3.6).
func isID(text string) bool {
	const most = 250
	inner, ok := strings.CutPrefix(text, "<")
	inner, closed := strings.CutSuffix(inner, ">")
	return ok && closed && inner != "" && len(text) <= most &&
		!strings.ContainsFunc(inner, func(r rune) bool { return r <= ' ' || r > '~' || r == '<' || r == '>' })
}

// post checks the article text of a client, adds it to its groups, and returns its message-id. It
// adds the fields Message-ID and Date if they are missing. The error says what is wrong with the
// article.
func (n *news) post(text string) (id string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	m, err := mail.ReadMessage(strings.NewReader(text))
	switch {
	case len(text) > longestArticle:
		return "", fmt.Errorf("an article has %d bytes at most", longestArticle)
	case err != nil:
		return "", errors.New("it has no header")
	case n.posted == mostPosted:
		return "", errors.New("there is no room for more")
	case strings.ContainsAny(text, "\r\x00"):
		return "", errors.New("it has CR or NUL within a line")
	}
	for _, name := range []string{"From", "Subject", "Newsgroups"} {
		if m.Header.Get(name) == "" {
			return "", fmt.Errorf("it has no %s line", name)
		}
	}
	groups := groupsOf(m.Header)
	if len(groups) == 0 {
		return "", errors.New("it is in no group")
	}
	for _, name := range groups {
		if n.groups[name] == nil {
			return "", fmt.Errorf("there is no group %q", name)
		}
	}
	if id = m.Header.Get("Message-ID"); id == "" {
		id = "<" + rand.Text() + domain
		text = "Message-ID: " + id + "\n" + text
	}
	switch {
	case !isID(id):
		return "", errors.New("its Message-ID is malformed")
	case n.ids[id] != nil:
		return "", errors.New("there is an article with this message-id")
	}
	if m.Header.Get("Date") == "" {
		text = "Date: " + time.Now().UTC().Format(time.RFC1123Z) + "\n" + text
	}
	n.posted++
	return id, n.add(text)
}

// names returns the names of all groups, sorted.
func (n *news) names() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Sorted(maps.Keys(n.groups))
}

// group returns the articles of a group, or nil if the group does not exist. The article with
// number n is at n-1.
func (n *news) group(name string) []*article {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.groups[name]
}

// byID returns the article with a message-id, or nil if there is no such article.
func (n *news) byID(id string) *article {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.ids[id]
}
