package browsertest

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// startGemini starts a gemini server with answers by the path and query of requests. It returns the URL of its root.
func startGemini(t *testing.T, answers map[string]string) string {
	t.Helper()
	certified := httptest.NewTLSServer(nil)
	defer certified.Close()
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certified.TLS.Certificates})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	root := "gemini://" + l.Addr().String() + "/"
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go answerGemini(conn, root, answers)
		}
	}()
	return root
}

func answerGemini(conn net.Conn, root string, answers map[string]string) {
	defer conn.Close()
	request, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return
	}
	answer, ok := answers[strings.TrimPrefix(strings.TrimSpace(request), root)]
	if !ok {
		answer = "51 There is no such page\r\n"
	}
	_, _ = io.WriteString(conn, answer) // the client may have gone
}

const teaPage = "20 text/gemini; lang=en\r\n" + `# A small house of tea

Tea is made of the leaves of one plant. The colour depends on the time
that the leaves have had in the air.

## Kinds

* Green tea, which is heated early
* Oolong, which is a little brown
* Black tea

> The first cup moistens my lips and throat.
> The second shatters my loneliness.

` + "```A drawing of a cup with a handle\n" + `     ( (
      ) )
   ........
   |      |]      a line that is much longer than the others, so that it does not fit into a narrow window
   \      /
    '----'
` + "```" + `

### Go on

=> leaves.gmi The leaves
=> song.mp3 A song about tea
=> search Search the house
=> gopher://gopher.example/1/tea Tea in gopherspace
=> https://tea.example/ A shop on the web
=> mailto:host@tea.example Write to the host
=> gemini://other.example/a-page-with-a-very-long-name-that-has-no-blanks-and-no-hyphens_at_all_in_its_last_part
`

// Everyone can use the pages and forms of gemini: wide and narrow, light and dark. The answer to a form is the input of
// the server, which is hidden if the server asks for a secret.
func TestBrowserGemini(t *testing.T) {
	t.Parallel()
	root := startGemini(t, map[string]string{
		"": teaPage, "leaves.gmi": "20 text/gemini\r\nThe leaves are green.\n",
		"search": "10 What are you looking for in the house of tea?\r\n", "search?green%20&%20black": "20 text/gemini\r\n# Found\n=> leaves.gmi The leaves\n",
		"login": "11 The password of the house\r\n", "login?sesame": "20 text/plain\r\nwelcome\n",
		"closed": "60 Only guests with a certificate may enter\r\n",
	})
	at := startServe(t, "--allow-port", portOf(strings.TrimSuffix(root, "/"))) + "/"
	b := newBrowser(t)
	for _, test := range []struct{ name, path, want string }{
		{"page", "", "A small house of tea"},
		{"form", "search", "What are you looking for"},
		{"secret", "login", "The password of the house"},
		{"closed", "closed", "Only guests with a certificate may enter"},
	} {
		if _, text := b.answer(at + root + test.path); !strings.Contains(text, test.want) {
			t.Errorf("%s does not contain %q: %.500q", test.path, test.want, text)
		}
		for _, light := range []string{"light", "dark"} {
			for _, width := range []int64{1280, 390} {
				b.look(light, width)
				for _, wrong := range value[[]string](b, audit) {
					t.Errorf("%s, %s, %d wide: %s", test.name, light, width, wrong)
				}
				b.picture(fmt.Sprintf("gemini-%s-%s-%d.jpg", test.name, light, width))
			}
		}
	}
	b.look("light", 1280)
	for _, test := range []struct{ path, words, kind, want string }{
		{"search", "green & black", "text", "Found"},
		{"login", "sesame", "password", "welcome"},
	} {
		b.answer(at + root + test.path)
		if got := value[string](b, `document.querySelector("form.ask input").type`); got != test.kind {
			t.Errorf("the field of %s has the type %q, want %q", test.path, got, test.kind)
		}
		b.do(chromedp.SendKeys("form.ask input", test.words))
		if status, text := b.follow(chromedp.Click("form.ask button")); status != 200 || !strings.Contains(text, test.want) {
			t.Errorf("the answer to %s gives %d, %.300q, want %q", test.path, status, text, test.want)
		}
		b.picture("gemini-answered-" + test.path + ".jpg")
	}
	b.answer(at + root)
	if _, text := b.follow(chromedp.Click(`.gemtext .menu a`)); !strings.Contains(text, "The leaves are green.") {
		t.Errorf("the first link leads to %.300q", text)
	}
	if wrong := b.complaints(); wrong != nil {
		t.Errorf("the browser complains: %q", wrong)
	}
}
