package scheme_test

import (
	"strings"
	"testing"
)

// imapJSON returns the JSON of a view whose fields differ from those of imap://h/ as the pairs of names and values say.
func imapJSON(pairs ...string) string {
	text := `{"user":null,"password":null,"auth":null,"mailbox":"","list":null,"uidvalidity":0,"search":null,"uid":0,"section":null,"partial":false,"from":0,"length":0}`
	for i := 0; i < len(pairs); i += 2 {
		before, after, _ := strings.Cut(text, `"`+pairs[i]+`":`)
		_, after, _ = strings.Cut(after, map[bool]string{true: "}", false: ","}[pairs[i] == "length"])
		text = before + `"` + pairs[i] + `":` + pairs[i+1] + map[bool]string{true: "}", false: ","}[pairs[i] == "length"] + after
	}
	return text
}

func TestIMAP(t *testing.T) {
	testViews(t, []viewCase{
		{"imap://h", imapJSON(), "imap://h/"},
		{"imap://ada@h:144/", imapJSON("user", `"ada"`), ""},
		{"imap://ada;AUTH=*@h/", imapJSON("user", `"ada"`, "auth", `"*"`), ""},
		{"imap://;auth=anonymous@h/", imapJSON("auth", `"anonymous"`), "imap://;AUTH=anonymous@h/"},
		{"imap://a%3Bb;AUTH=X%2DY:p%40@h/", imapJSON("user", `"a;b"`, "password", `"p@"`, "auth", `"X-Y"`), "imap://a%3Bb;AUTH=X-Y:p%40@h/"},
		{"imaps://h/gray-council", imapJSON("mailbox", `"gray-council"`), ""},
		{"imap://h/~peter/%E6%97%A5%E6%9C%AC/", imapJSON("mailbox", `"~peter/日本"`), "imap://h/%7Epeter/%E6%97%A5%E6%9C%AC"},
		{"imap://h/a%2F", imapJSON("mailbox", `"a/"`), ""},
		{"imap://h//a", imapJSON("mailbox", `"/a"`), ""},
		{"imap://h/gray-council/;uid=20/;section=1.2", imapJSON("mailbox", `"gray-council"`, "uid", "20", "section", `"1.2"`), "imap://h/gray-council/;UID=20/;SECTION=1.2"},
		{"imap://h/box;uid=20/", imapJSON("mailbox", `"box"`, "uid", "20"), "imap://h/box/;UID=20"},
		{"imap://h/box;UIDVALIDITY=385759045/;UID=20/;PARTIAL=0.1024", imapJSON("mailbox", `"box"`, "uidvalidity", "385759045", "uid", "20", "partial", "true", "length", "1024"), ""},
		{"imap://h/box/;UID=4294967295/;SECTION=HEADER.FIELDS%20(DATE)/;PARTIAL=5", imapJSON("mailbox", `"box"`, "uid", "4294967295", "section", `"HEADER.FIELDS (DATE)"`, "partial", "true", "from", "5"), ""},
		{"imap://h/box?SUBJECT%20shadows", imapJSON("mailbox", `"box"`, "search", `"SUBJECT shadows"`), ""},
		{"imap://h/box;UIDVALIDITY=3?ALL", imapJSON("mailbox", `"box"`, "uidvalidity", "3", "search", `"ALL"`), ""},
		{"imap://h/;type=list", imapJSON("list", `"LIST"`), "imap://h/;TYPE=LIST"},
		{"imap://h/ne*;TYPE=lsub", imapJSON("mailbox", `"ne*"`, "list", `"LSUB"`), "imap://h/ne*;TYPE=LSUB"},
		{text: "imap:‸box"},
		{text: "imap://h/box;‸URLAUTH=x"},
		{text: "imap://h/box;‸UID=0"},
		{text: "imap://h/box;‸UID=4294967296"},
		{text: "imap://h/box;‸UID=+1"},
		{text: "imap://h/box;UID‸"},
		{text: "imap://h/box;‸SECTION=1"},
		{text: "imap://h/box;UID=1;‸UID=2"},
		{text: "imap://h/box;UID=1;‸UIDVALIDITY=2"},
		{text: "imap://h/box;UID=1;‸PARTIAL=x"},
		{text: "imap://h/box;UID=1;‸PARTIAL=1.0"},
		{text: "imap://h/box;‸TYPE=x"},
		{text: "imap://h/box;UID=1;‸TYPE=LIST"},
		{text: "imap://h/‸;UID=1"},
		{text: "imap://h/‸?ALL"},
		{text: "imap://h/box;UID=1‸?ALL"},
	})
}
