// Package message has the parts that compose and send share: the message that a mailto URL asks
// for, and its sender.
package message

import (
	"cmp"
	"errors"
	"fmt"
	netmail "net/mail"
	"os"
	"os/user"
	"strconv"
	"strings"
	"time"

	"locus/cmd/locus/internal/cli"
	"locus/proto/mail"
	"locus/url"
)

// Of returns the whole message of a mailto or a mailserver URL, without sending it. It tells the
// user which header fields of the URL it left out. from is the value of --from: see [Sender].
func Of(e *cli.Env, text, from string) (string, error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", cli.Explain(err)
	}
	if !mail.IsAddress(u) {
		return "", &cli.Hinted{Err: fmt.Errorf("%s is not a mailto URL", u.Redacted()), Hint: "locus get opens other URLs"}
	}
	d, err := mail.ReadDraft(u)
	if err != nil {
		return "", err
	}
	if d.From, err = Sender(e, from); err != nil {
		return "", err
	}
	if len(d.Dropped) > 0 {
		var dropped []string
		for _, name := range d.Dropped {
			dropped = append(dropped, strconv.Quote(name))
		}
		e.Say("left out, because they are unsafe or repeated: " + strings.Join(dropped, ", "))
	}
	var b strings.Builder
	err = d.Write(&b, time.Now(), "")
	return b.String(), err
}

// Sender returns the address of the sender: from, which is the value of --from, or else $EMAIL, or
// else the user on this machine. A text that is not an address is a UsageError.
func Sender(e *cli.Env, from string) (string, error) {
	text := cmp.Or(from, e.Getenv("EMAIL"))
	if text == "" {
		u, err := user.Current()
		if err != nil {
			return "", &cli.Hinted{Err: errors.New("the sender is unknown"), Hint: "--from ADDRESS or $EMAIL sets it"}
		}
		return u.Username + "@" + ThisHost(), nil
	}
	a, err := netmail.ParseAddress(text)
	if err != nil {
		return "", cli.Misuse("the sender must be an address such as ada@example.org, not %q", text)
	}
	return a.Address, nil
}

// ThisHost returns the name of this machine, or "localhost" if it is unknown.
func ThisHost() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "localhost"
	}
	return name
}
