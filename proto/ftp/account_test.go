package ftp_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"locus/access"
	"locus/url"
)

func TestAccount(t *testing.T) {
	for _, verb := range []string{"USER", "PASS"} {
		s := serve(t)
		s.files["f"] = "content"
		s.script[verb] = say("332 whose account\r\n")
		s.script["ACCT"] = say("230 welcome\r\n")
		c := s.client()
		c.Account = "theirs"
		if _, err := get(t, c, "ftp://me:p@h/f"); err != nil || !slices.Contains(s.sentCommands(), "ACCT theirs") {
			t.Errorf("account after %s: %v, sent %q", verb, err, s.sentCommands())
		}
		s.all.Wait()
		s.script["ACCT"] = say("530 not theirs\r\n")
		if _, err := get(t, c, "ftp://me:p@h/f"); !errors.Is(err, fs.ErrPermission) || strings.Contains(err.Error(), "theirs") {
			t.Errorf("with a wrong account after %s, Get = %v, want %v", verb, err, fs.ErrPermission)
		}
	}
}

// A server may require the account only for uploads (RFC 959 §4.1.1).
func TestAccountForStoring(t *testing.T) {
	for _, test := range []struct {
		account, after string // reply to ACCT, and what follows
		want           []string
		is             error
	}{
		{"theirs", "230 welcome\r\n", []string{"TYPE I", "STOR f", "ACCT theirs", "STOR f", "SIZE f"}, nil},
		{"theirs", "530 not theirs\r\n", []string{"TYPE I", "STOR f", "ACCT theirs"}, fs.ErrPermission},
		{"", "", []string{"TYPE I", "STOR f"}, fs.ErrPermission},
	} {
		s := serve(t)
		s.script["STOR"] = func(c *control) {
			if !slices.Contains(c.commands, "ACCT theirs") {
				c.reply("532 whose account\r\n")
				return
			}
			receiveAll("226 done\r\n")(c)
		}
		s.script["ACCT"] = say(test.after)
		c := s.client()
		c.Account, c.Direct = test.account, true
		_, err := c.Do(t.Context(), &access.Request{Op: access.Put, Body: strings.NewReader("content"), Size: -1, URL: url.MustParse("ftp://me:p@h/f")})
		if !errors.Is(err, test.is) || err != nil && strings.Contains(err.Error(), "theirs") || !slices.Equal(s.changeCommands(), test.want) {
			t.Errorf("Put with account %q, %q = %v, sent %q, want %q", test.account, test.after, err, s.changeCommands(), test.want)
		}
	}
}
