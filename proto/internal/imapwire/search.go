package imapwire

import (
	"fmt"
	"strconv"
	"strings"

	"locus/access"
)

// Search returns the UIDs, as decimal numbers, of the messages of the selected mailbox that match the search keys in
// program.
func (c *Conn) Search(program ...Argument) ([]string, error) {
	answers, err := c.Do("UID SEARCH", program...)
	if err != nil {
		return nil, err
	}
	return c.searchResult(answers)
}

// searchResult returns the UIDs in the responses such as "* SEARCH 1 2 3". It ignores other responses.
func (c *Conn) searchResult(answers []string) ([]string, error) {
	var uids []string
	for _, a := range answers {
		words := strings.Fields(a)
		if len(words) < 2 || !strings.EqualFold(words[1], "SEARCH") {
			continue
		}
		for _, uid := range words[2:] {
			if _, err := strconv.ParseUint(uid, 10, 32); err != nil {
				return nil, fmt.Errorf("%w: %q is not a UID", access.ErrProtocol, c.Shown(uid))
			}
			uids = append(uids, uid)
		}
	}
	return uids, nil
}

// SearchSet returns the UIDs of the messages that match the search keys in program as a set such as "1:3,7"; "" if no
// message matches. It asks for a set if the server has ESEARCH (RFC 4731), because a long list of UIDs does not fit
// into a line.
func (c *Conn) SearchSet(program ...Argument) (string, error) {
	if !c.Has("ESEARCH") {
		uids, err := c.Search(program...)
		return strings.Join(uids, ","), err
	}
	answers, err := c.Do("UID SEARCH RETURN (ALL)", program...)
	if err != nil {
		return "", err
	}
	return c.setIn(answers)
}

// setIn returns the set of UIDs in the first response such as `* ESEARCH (TAG "L5") UID ALL 1:3,7`, here "1:3,7". It
// returns "" if the responses have no set, because no message was found.
func (c *Conn) setIn(answers []string) (string, error) {
	for _, a := range answers {
		words := strings.Fields(strings.ToUpper(a))
		if len(words) < 2 || words[1] != "ESEARCH" {
			continue
		}
		for i, word := range words[:len(words)-1] {
			if word != "ALL" {
				continue
			}
			set := words[i+1]
			if strings.Trim(set, "0123456789:,") != "" {
				return "", fmt.Errorf("%w: %q is not a set of UIDs", access.ErrProtocol, c.Shown(set))
			}
			return set, nil
		}
	}
	return "", nil
}
