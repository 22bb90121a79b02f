package gopher_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"locus/access"
	"locus/access/accesstest"
	"locus/proto"
	"locus/proto/gopher"
	"locus/url"
)

const survey = "+-1\r\n+INFO: 0survey\t0/survey\th\t70\t?\r\n+ASK:\r\n" +
	" Note: Please fill in this form\r\n" +
	" Ask: Your name?\tAnonymous\r\n" +
	" AskP: Your password?\r\n" +
	" AskL: Your comments?\r\n" +
	" Select: Send me mail?\t1\r\n" +
	" Choose: Favourite colour?\tred\tgreen\tblue\r\n" +
	" AskF: Save result as?\tresult.txt\r\n" +
	" ChooseF: File to send?\r\n.\r\n"

var formURL = url.MustParse("gopher://h/00/survey%09%09%3F")

// formServer sends ask for the attributes, and then accepts the form.
func formServer(t *testing.T, ask string) *accesstest.Server {
	return accesstest.Serve(t,
		accesstest.Script{accesstest.Expect("0/survey\t!\r\n"), accesstest.Send(ask)},
		accesstest.Script{accesstest.Expect("0/survey\t+\t1\r\n"), accesstest.Send("+-1\r\nthank you\r\n.\r\n")},
	)
}

// ask returns the questions of the form at u.
func ask(t *testing.T, server *accesstest.Server, u url.URL) (*access.Questions, error) {
	t.Helper()
	r, err := gopher.Client{Dial: server.Dial}.Do(t.Context(), &access.Request{Op: access.Ask, URL: u})
	if err != nil {
		return nil, err
	}
	return r.Questions, nil
}

// req: 1738-3.4-7
func TestQuestions(t *testing.T) {
	server := accesstest.ServeAll(t, accesstest.Script{accesstest.Expect("0/survey\t!\r\n"), accesstest.Send(survey)})
	q, err := ask(t, server, formURL)
	if err != nil {
		t.Fatal(err)
	}
	want := []access.Question{
		{Name: "please-fill-in-this-form", Kind: access.AskNote, Prompt: "Please fill in this form"},
		{Name: "your-name", Kind: access.AskLine, Prompt: "Your name?", Default: "Anonymous"},
		{Name: "your-password", Kind: access.AskPassword, Prompt: "Your password?"},
		{Name: "your-comments", Kind: access.AskText, Prompt: "Your comments?"},
		{Name: "send-me-mail", Kind: access.AskSelect, Prompt: "Send me mail?", Default: "1"},
		{Name: "favourite-colour", Kind: access.AskChoice, Prompt: "Favourite colour?", Default: "red", Choices: []string{"red", "green", "blue"}},
		{Name: "save-result-as", Kind: access.AskSave, Prompt: "Save result as?", Default: "result.txt"},
		{Name: "file-to-send", Kind: access.AskFile, Prompt: "File to send?"},
	}
	if q.Title != "survey" || !equalQuestions(q.Items, want) {
		t.Errorf("Questions = %+v, want %+v", q, want)
	}
}

func equalQuestions(a, b []access.Question) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		choices := strings.Join(a[i].Choices, "\t") == strings.Join(b[i].Choices, "\t")
		if !choices || a[i].Name != b[i].Name || a[i].Kind != b[i].Kind || a[i].Prompt != b[i].Prompt || a[i].Default != b[i].Default {
			return false
		}
	}
	return true
}

// req: 1738-3.4-7
func TestQuestion(t *testing.T) {
	for _, test := range []struct {
		line string
		want access.Question
	}{
		{"select: Mail?:1", access.Question{Name: "mail", Kind: access.AskSelect, Prompt: "Mail?", Default: "1"}},
		{"Select: Mail?:0", access.Question{Name: "mail", Kind: access.AskSelect, Prompt: "Mail?", Default: "0"}},
		{"Select: Mail?", access.Question{Name: "mail", Kind: access.AskSelect, Prompt: "Mail?", Default: "0"}},
		{"Select: Mail?\t0", access.Question{Name: "mail", Kind: access.AskSelect, Prompt: "Mail?", Default: "0"}},
		{"Choose: Which?", access.Question{Name: "which", Kind: access.AskLine, Prompt: "Which?"}},
		{"Unknown: What?\tx\ty", access.Question{Name: "what", Kind: access.AskLine, Prompt: "What?", Default: "x"}},
		{"ASK:", access.Question{Name: "question", Kind: access.AskLine}},
		{"no colon", access.Question{Name: "question", Kind: access.AskLine}},
		{"Ask: 日本", access.Question{Name: "question", Kind: access.AskLine, Prompt: "日本"}},
		{"Ask: a: b", access.Question{Name: "a-b", Kind: access.AskLine, Prompt: "a: b"}},
	} {
		answer := "+-1\r\n+INFO: 0x\t0/survey\th\t70\t?\r\n+ASK:\r\n " + test.line + "\r\n " + test.line + "\r\n.\r\n"
		server := accesstest.ServeAll(t, accesstest.Script{firstLine, accesstest.Send(answer)})
		q, err := ask(t, server, formURL)
		if err != nil {
			t.Fatalf("%q: %v", test.line, err)
		}
		second := test.want
		second.Name += "-2"
		if !equalQuestions(q.Items, []access.Question{test.want, second}) {
			t.Errorf("%q twice gives %+v, want %+v, and again with the suffix -2", test.line, q.Items, test.want)
		}
	}
}

// Many questions with one name take linear time, and each gets its own name.
func TestManyQuestions(t *testing.T) {
	const many = 20_000
	answer := "+-1\r\n+INFO: 0x\t0/survey\th\t70\t?\r\n+ASK:\r\n Ask: x-3\r\n" + strings.Repeat(" Ask: x\r\n", many) + ".\r\n"
	server := accesstest.ServeAll(t, accesstest.Script{firstLine, accesstest.Send(answer)})
	q, err := ask(t, server, formURL)
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for _, question := range q.Items {
		names[question.Name] = true
	}
	if len(names) != many+1 {
		t.Errorf("%d questions have %d names", many+1, len(names))
	}
}

func TestNoQuestions(t *testing.T) {
	for _, test := range []struct {
		url, answer string
		want        error
	}{
		{"gopher://h/0/x%09%09%3F", "plain text\r\n", errors.ErrUnsupported},
		{"gopher://h/0/x%09%09%3F", "+-1\r\n+INFO: 0x\tx\th\t70\r\n.\r\n", errors.ErrUnsupported},
		{"gopher://h/0/x%09%09%3F", "+-1\r\n.\r\n", errors.ErrUnsupported},
		{"gopher://h/0/x%09%09%3F", "--1\r\n1 x\r\ndoes not exist\r\n.\r\n", errNotExist},
		{"gopher://h/0/x%09%09%3F", "", io.ErrUnexpectedEOF},
		{"gopher://h/0/x%09%09%3F", "+-1\r\n+INFO: 0x\tx\th\t70\r\n+ASK:\r\n Ask: x", io.ErrUnexpectedEOF},
		{"gopher://h/1/x%09%09%3F", "1x\tx\th\t70\r\n", errors.ErrUnsupported},
		{"gopher://h/0/x%09%09+", "", errors.ErrUnsupported},
		{"gopher://h/0/x", "", errors.ErrUnsupported},
	} {
		server := accesstest.ServeAll(t, accesstest.Script{firstLine, accesstest.Send(test.answer)})
		_, err := gopher.Client{Dial: server.Dial}.Do(t.Context(), &access.Request{Op: access.Ask, URL: url.MustParse(test.url)})
		if !errors.Is(err, test.want) {
			t.Errorf("Ask(%q) answered %q = %v, want %v", test.url, test.answer, err, test.want)
		}
	}
}

// filled returns answers to the survey after change has edited them.
func filled(change func([]access.Answer)) []access.Answer {
	answers := []access.Answer{
		{}, {Text: "Ada"}, {Text: "secret"}, {Text: "line1\r\nline2\n"}, {Text: "1"}, {Text: "green"}, {Text: "result.txt"}, {},
	}
	if change != nil {
		change(answers)
	}
	return answers
}

// req: 1738-3.4-7 1738-3.4-8
func TestAnswer(t *testing.T) {
	const lines = "Ada\r\nsecret\r\n2\r\nline1\r\nline2\r\n1\r\ngreen\r\nresult.txt\r\n"
	for _, test := range []struct {
		name   string
		change func([]access.Answer)
		want   string
	}{
		{"lines", nil, "+-1\r\n" + lines + ".\r\n"},
		{"a period", func(a []access.Answer) { a[1].Text = "." }, "+50\r\n.\r\nsecret\r\n2\r\nline1\r\nline2\r\n1\r\ngreen\r\nresult.txt\r\n"},
		{"a file", func(a []access.Answer) { a[7].File = strings.NewReader("upload\n.\n") }, "+61\r\n" + lines + "upload\n.\n"},
		{"no lines", func(a []access.Answer) { a[3].Text = "" }, "+-1\r\nAda\r\nsecret\r\n0\r\n1\r\ngreen\r\nresult.txt\r\n.\r\n"},
		{"empty lines", func(a []access.Answer) { a[3].Text = "\n\nx" }, "+-1\r\nAda\r\nsecret\r\n3\r\n\r\n\r\nx\r\n1\r\ngreen\r\nresult.txt\r\n.\r\n"},
		{"a pipe", func(a []access.Answer) { a[7].File = pipe{strings.NewReader("upload")} }, "+-2\r\n" + lines + "upload"},
		{"a stream", func(a []access.Answer) { a[7].File = io.MultiReader(strings.NewReader("upload")) }, "+-2\r\n" + lines + "upload"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := formServer(t, survey)
			c := gopher.Client{Dial: halfClosing(server.Dial)}
			r, err := c.Do(t.Context(), &access.Request{URL: formURL, Answers: filled(test.change)})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Body.Close()
			if text, err := io.ReadAll(r.Body); string(text) != "thank you\r\n" || err != nil {
				t.Errorf("the answer is %q, %v", text, err)
			}
			r.Body.Close()
			server.Wait()
			if got, want := server.Received(1), "0/survey\t+\t1\r\n"+test.want; got != want {
				t.Errorf("the client sent %q, want %q", got, want)
			}
			if r.URL != formURL {
				t.Errorf("Resource.URL = %q, want %q", r.URL, formURL)
			}
		})
	}
}

// A pipe is a Reader whose Seek fails, like an os.File that is a pipe.
type pipe struct{ io.Reader }

func (pipe) Seek(int64, int) (int64, error) { return 0, errors.ErrUnsupported }

// halfClosing adds a CloseWrite without effect. The server of these tests does
// not wait for it.
func halfClosing(dial proto.Dial) proto.Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return halfConn{conn}, err
	}
}

type halfConn struct{ net.Conn }

func (halfConn) CloseWrite() error { return nil }

// req: 1738-6-2
func TestAnswerRefused(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func([]access.Answer)
		want   string
	}{
		{"LF", func(a []access.Answer) { a[1].Text = "a\nb" }, "LF"},
		{"CR", func(a []access.Answer) { a[2].Text = "a\rb" }, "CR"},
		{"NUL", func(a []access.Answer) { a[3].Text = "a\n\x00" }, "NUL"},
		{"CR in lines", func(a []access.Answer) { a[3].Text = "a\rb\n" }, "CR"},
		{"choice", func(a []access.Answer) { a[5].Text = "mauve" }, "choices"},
		{"select", func(a []access.Answer) { a[4].Text = "yes" }, "neither"},
		{"LF in name", func(a []access.Answer) { a[6].Text = "x\n" }, "LF"},
	} {
		server := accesstest.ServeAll(t, accesstest.Script{accesstest.Expect("0/survey\t!\r\n"), accesstest.Send(survey)})
		_, err := gopher.Client{Dial: server.Dial}.Do(t.Context(), &access.Request{URL: formURL, Answers: filled(test.change)})
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("Answer with %s = %v, want an error about %s", test.name, err, test.want)
		}
		if n := len(server.Dialed()); n != 1 {
			t.Errorf("answers with %s make %d connections, want 1", test.name, n)
		}
	}
	server := accesstest.ServeAll(t, accesstest.Script{accesstest.Expect("0/survey\t!\r\n"), accesstest.Send(survey)})
	_, err := gopher.Client{Dial: server.Dial}.Do(t.Context(), &access.Request{URL: formURL, Answers: filled(nil)[:3]})
	if err == nil || !strings.Contains(err.Error(), "3 answers to 8 questions") {
		t.Errorf("Answer with too few answers = %v", err)
	}
}

// A file that shrinks while it is sent is an error, not a short answer.
func TestAnswerFileShrinks(t *testing.T) {
	server := accesstest.ServeAll(t, accesstest.Script{firstLine, accesstest.Send(survey)})
	answers := filled(func(a []access.Answer) { a[7].File = &shrinking{Reader: *strings.NewReader("upload")} })
	_, err := gopher.Client{Dial: server.Dial}.Do(t.Context(), &access.Request{URL: formURL, Answers: answers})
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("Answer with a file that shrinks = %v, want io.ErrUnexpectedEOF", err)
	}
}

// A shrinking is a file that reports 10 bytes more than it has.
type shrinking struct{ strings.Reader }

func (s *shrinking) Seek(offset int64, whence int) (int64, error) {
	n, err := s.Reader.Seek(offset, whence)
	if whence == io.SeekEnd {
		n += 10
	}
	return n, err
}
