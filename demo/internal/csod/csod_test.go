package csod

import (
	"context"
	"io"
	"net"
	"slices"
	"strings"
	"testing"

	"locus/demo/internal/serve"
	"locus/internal/peers"
)

// ask sends commands and quit, and returns the answers.
func ask(t *testing.T, commands string) string {
	t.Helper()
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		new(Server).Serve(t.Context(), server)
	}()
	defer client.Close()
	go io.WriteString(client, commands+"\r\nquit\r\n")
	answer, err := io.ReadAll(client)
	if err != nil {
		t.Fatalf("read the answers to %q: %v", commands, err)
	}
	return string(answer)
}

func TestAnswers(t *testing.T) {
	const bye = "200:Bye!\r\n"
	const carl = "-200:1:        name: Carl Score\r\n-200:1:       alias: carl\r\n-200:1:  department: searches\r\n-200:1:       email: carl@demo.example\r\n"
	for _, test := range []struct{ command, want string }{
		{"query carl", "102:There are 1 matches to your request.\r\n" + carl + "200:Ok.\r\n" + bye},
		{"ph name=score department=searches", "102:There are 1 matches to your request.\r\n" + carl},
		{"QUERY Score return name", "102:There are 2 matches to your request.\r\n-200:1:        name: Carl Score\r\n-200:2:        name: Dora Score\r\n200:Ok.\r\n"},
		{`query department="news and mail" return phone`, "102:There are 1 matches to your request.\r\n-200:1:       phone: 17119\r\n"},
		{"query sc?r* alias=d* return all", "102:There are 1 matches to your request.\r\n-200:1:        name: Dora Score\r\n"},
		{"query nobody", "501:"},
		{"query score carl x", "501:"},
		{"query [", "501:"},
		{"query shoe=9", "507:"},
		{"query carl return shoe", "507:"},
		{"query carl RETURN Name", "102:There are 1 matches to your request.\r\n-200:1:        name: Carl Score\r\n200:Ok.\r\n"},
		{"query carl return ALL", "102:There are 1 matches to your request.\r\n-200:1:        name: Carl Score\r\n"},
		{"query NAME=carl return phone", "102:There are 1 matches to your request.\r\n-200:1:       phone: 17210\r\n"},
		{"query", "515:"},
		{`query ""`, "515:"},
		{"query name= alias=\"\"", "515:"},
		{`query "" carl return name`, "102:There are 1 matches to your request.\r\n-200:1:        name: Carl Score\r\n"},
		{"query shoe=", "507:"},
		{"query return all", "515:"},
		{"fields", "-200:1:name:max 64 Indexed Lookup Public Default\r\n-200:1:name:first and last name\r\n"},
		{"siteinfo", "-200:1:maildomain:demo.example\r\n"},
		{"status", "200:"},
		{"id me", "200:"},
		{"help", "-200:1:"},
		{"", "514:"},
		{"login ada", "514:"},
	} {
		if got := ask(t, test.command); !strings.HasPrefix(got, test.want) || !strings.HasSuffix(got, bye) {
			t.Errorf("the answers to %q are %q, want %q first", test.command, got, test.want)
		}
	}
}

// Three commands, in any case, end the connection. A later command is not executed.
func TestLastCommand(t *testing.T) {
	for command, want := range map[string]string{
		"quit": "200:Bye!\r\n", "EXIT": "200:Bye!\r\n", "stop now": "200:Bye!\r\n", "quit.": "514:Unknown command.\r\n200:Database ready.\r\n200:Bye!\r\n",
	} {
		if got := ask(t, command+"\r\nstatus"); got != want {
			t.Errorf("the answers to %q and status are %q, want %q", command, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, test := range []struct {
		query string
		want  []string
	}{
		{`a  b=c `, []string{"a", "b=c"}},
		{`a="b c" d`, []string{"a=b c", "d"}},
		{`"a b`, []string{"a b"}},
		{` "" a"" "`, []string{"", "a", ""}},
		{"", nil},
	} {
		if got := words(test.query); !slices.Equal(got, test.want) {
			t.Errorf("words(%q) = %q, want %q", test.query, got, test.want)
		}
	}
}

// A server closes the connection of a client whose command is too long. It does not keep the command.
func TestLongCommand(t *testing.T) {
	client, server := net.Pipe()
	defer client.Close()
	logged := ""
	go func() {
		defer server.Close()
		(&Server{Log: func(line string) { logged += line }}).Serve(t.Context(), server)
	}()
	go io.WriteString(client, "query "+strings.Repeat("a", maxLine)+"\r\nstatus\r\n")
	if answer, err := io.ReadAll(client); err != nil || len(answer) > 0 || logged != "" {
		t.Errorf("a command of %d bytes is answered with %q, %v, and logged as %.50q, want the end of the connection", maxLine+6, answer, err, logged)
	}
}

// The server works with the browser lynx, which makes a form of the fields and quotes the values of a query.
func TestLynx(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve.Run(ctx, l, serve.Connections, new(Server).Serve) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
	}()
	at := "cso://" + l.Addr().String() + "/"
	const shown, hidden = `name="r_4" checked> address for letters<`, `name="r_5"> number of the telephone<`
	if page, err := peers.Lynx(t, nil, "-source", at); err != nil || !strings.Contains(page, shown) || !strings.Contains(page, hidden) {
		t.Errorf("lynx makes the form %q, %v, want %q and %q in it", page, err, shown, hidden)
	}
	for _, test := range []struct{ form, want, not string }{
		{"q_1=Score&return=default", "dora@demo.example", "17211"},
		{"q_1=Carl&q_1=Score&return=all", "17210", "Dora"},
		{"q_3=news+and+mail&return=selected&r_1=on&r_5=on", "17119", "emil@demo.example"},
		{"q_2=*o*&q_3=cat*&return=default", "Dora Score", "Carl"},
		{"q_1=nobody&return=default", "No matches to your query.", "Entry"},
	} {
		if text, err := peers.LynxPost(t, test.form, at); err != nil || !strings.Contains(text, test.want) || strings.Contains(text, test.not) {
			t.Errorf("after the form %q lynx shows %q, %v, want %q in it, and not %q", test.form, text, err, test.want, test.not)
		}
	}
}
