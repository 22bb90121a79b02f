package demo

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"locus/demo/internal/imapd"
)

// A letter is a message of the demo's mail. PICTURE is replaced by a picture of the library, in
// base64. The name is for a Maildir.
type letter struct{ name, text string }

var letters = []letter{
	{"cur/785928615.1.library:2,S", `From: The Library <library@demo.example>
To: reader@demo.example
Subject: The lens that you asked about
Message-ID: <lens@demo.example>
Date: Mon, 28 Nov 1994 10:30:15 +0000
MIME-Version: 1.0
Content-Type: multipart/related; boundary="=lens"

--=lens
Content-Type: text/plain; charset=utf-8

Dear reader,

the picture that you asked for is a part of this letter. A message is named
by its id and so is each of its parts: that is what mid and cid URLs are for.

--=lens
Content-Type: image/png; name="lens.png"
Content-ID: <picture@demo.example>
Content-Disposition: inline; filename="lens.png"
Content-Transfer-Encoding: base64

PICTURE
--=lens--
`},
	{"new/785932215.2.library", `From: Reader <reader@demo.example>
To: library@demo.example
Subject: Re: The lens that you asked about
Message-ID: <thanks@demo.example>
In-Reply-To: <lens@demo.example>
Date: Mon, 28 Nov 1994 11:30:15 +0000

Thank you: it is just what I was looking for.
`},
}

// readPicture returns the picture of the letters.
func readPicture(files fs.FS) ([]byte, error) { return fs.ReadFile(files, "pictures/lens.png") }

// with returns the text of the letter with a picture.
func (l letter) with(picture []byte) string {
	return strings.ReplaceAll(l.text, "PICTURE\n", inLines(base64.StdEncoding.EncodeToString(picture)))
}

// messages returns the letters as messages of a mailbox. If files lacks the picture, the letters have an empty one.
func messages(files fs.FS) []imapd.Message {
	picture, _ := readPicture(files)
	all := make([]imapd.Message, len(letters))
	for i, l := range letters {
		text := strings.ReplaceAll(l.with(picture), "\n", "\r\n")
		all[i] = imapd.Message{Text: text, Date: dateOf(text), Seen: strings.HasPrefix(l.name, "cur/")}
	}
	return all
}

// dateOf returns the date in the header of a message; zero if it has none.
func dateOf(text string) time.Time {
	m, err := mail.ReadMessage(strings.NewReader(text))
	if err != nil {
		return time.Time{}
	}
	date, _ := m.Header.Date() // zero after an error
	return date
}

// writeMail makes the folder dir with a Maildir in it, whose messages are letters. A picture of files is attached.
func writeMail(dir string, files fs.FS) error {
	picture, err := readPicture(files)
	if err != nil {
		return fmt.Errorf("write mail: %w", err)
	}
	for _, sub := range []string{"cur", "new", "tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return fmt.Errorf("write mail: %w", err)
		}
	}
	for _, l := range letters {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(l.name)), []byte(l.with(picture)), 0o600); err != nil {
			return fmt.Errorf("write mail: %w", err)
		}
	}
	return nil
}

// writeTexts copies the directory texts of files into the folder dir, as dir/texts.
func writeTexts(dir string, files fs.FS) error {
	texts, err := fs.Sub(files, "texts")
	if err == nil {
		err = os.CopyFS(filepath.Join(dir, "texts"), texts)
	}
	if err != nil {
		return fmt.Errorf("write texts: %w", err)
	}
	return nil
}

// inLines returns s, which is base64, in lines of 76 bytes, each with a line end (RFC 2045 §6.8).
func inLines(s string) string {
	var b strings.Builder
	for line := range slices.Chunk([]byte(s), 76) {
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// tryMail returns commands to try with the Maildir in dir.
func tryMail(dir string) []Try {
	return []Try{
		{[]string{"get", "--mail", dir, "mid:thanks@demo.example"}, "a letter that was received, by its id"},
		{[]string{"ls", "--mail", dir, "mid:lens@demo.example"}, "a letter with a picture in it"},
		{[]string{"get", "--mail", dir, "-o", "lens.png", "cid:picture@demo.example"}, "the picture, into the file lens.png"},
		{[]string{"compose", "--from", "reader@demo.example", "mailto:library@demo.example?subject=Another%20lens"}, "a letter to an address, ready to be sent"},
	}
}
