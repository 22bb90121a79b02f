package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// In a real Firefox with the add-on, a click on a gopher link opens the page in the
// gateway.
func TestFirefox(t *testing.T) {
	program, err := exec.LookPath("firefox-esr")
	if err != nil {
		t.Skip("there is no firefox-esr here")
	}
	r := &release{root: "..", out: t.TempDir(), version: "0.1.0", time: time.Now()}
	if err := r.firefox(t.Context()); err != nil {
		t.Fatal(err)
	}
	addon, err := os.ReadFile(r.file("firefox.xpi"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	opened := make(chan string, 1)
	gateway := listenUsual(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/-/open" {
			opened <- r.URL.Query().Get("url")
		}
		fmt.Fprintln(w, "the gateway")
	})
	defer gateway.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<a style="font-size:60px" href="gopher://gopher.example.org/1/a%2Fb">a gopher link</a>`)
	}))
	defer page.Close()

	b := startFirefox(ctx, t, program)
	b.call("webExtension.install", `{"extensionData": {"type": "base64", "value": %q}}`, base64.StdEncoding.EncodeToString(addon))
	context := b.context("")
	b.call("browsingContext.navigate", `{"context": %q, "url": %q, "wait": "complete"}`, context, page.URL)
	b.call("input.performActions", `{"context": %q, "actions": [{"type": "pointer", "id": "mouse", "actions": [
		{"type": "pointerMove", "x": 60, "y": 50}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}]}`, context)
	for tick := time.NewTicker(time.Second / 2); ; {
		select {
		case url := <-opened:
			tick.Stop()
			if want := "gopher://gopher.example.org/1/a%2Fb"; url != want {
				t.Errorf("the gateway was asked for %s, want %s", url, want)
			}
			return
		case <-ctx.Done():
			t.Fatal("the link did not open")
		case <-tick.C: // Firefox asks first whether the page may open the link
			b.call("script.evaluate", `{"expression": %s, "awaitPromise": false, "target": {"context": %q}}`, quoted(pressOpen), b.context("chrome"))
		}
	}
}

// pressOpen presses "Open Link" in the dialog of Firefox, if it is there.
const pressOpen = `(() => {
	const look = w => {
		if (w.location.href.endsWith("/permissionDialog.xhtml")) {
			const d = w.document.querySelector("dialog");
			d.getButton("accept").disabled = false; // it waits for a second
			d.acceptDialog();
			return;
		}
		for (let i = 0; i < w.length; i++) look(w[i]);
	};
	for (const w of Services.wm.getEnumerator(null)) look(w);
})()`

// listenUsual serves at the usual address of a gateway, which the add-on names.
func listenUsual(t *testing.T, handler http.HandlerFunc) *http.Server {
	t.Helper()
	s := &http.Server{Addr: "127.0.0.1:1738", Handler: handler, ReadHeaderTimeout: time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- s.ListenAndServe() }()
	select {
	case err := <-failed:
		t.Skipf("the address of the gateway is in use: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	return s
}

// A browser is Firefox, driven by WebDriver BiDi.
type browser struct {
	t    *testing.T
	ctx  context.Context
	conn *websocket.Conn
	id   int
}

func startFirefox(ctx context.Context, t *testing.T, program string) *browser {
	t.Helper()
	profile := t.TempDir()
	cmd := exec.CommandContext(ctx, program, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "--remote-allow-system-access", "about:blank")
	cmd.Env = append(os.Environ(), "HOME="+profile)
	cmd.WaitDelay = 5 * time.Second
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended
		_ = cmd.Wait()
	})
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		address, ok := strings.CutPrefix(lines.Text(), "WebDriver BiDi listening on ")
		if !ok {
			continue
		}
		go io.Copy(io.Discard, stderr) // the log
		conn, _, err := websocket.Dial(ctx, address+"/session", nil)
		if err != nil {
			t.Fatal(err)
		}
		conn.SetReadLimit(64 << 20)
		b := &browser{t: t, ctx: ctx, conn: conn}
		b.call("session.new", `{"capabilities": {}}`)
		t.Cleanup(func() { conn.CloseNow() })
		return b
	}
	t.Fatal("Firefox ended")
	return nil
}

// quoted returns text as JSON.
func quoted(text string) string {
	out, _ := json.Marshal(text) // a string can be written
	return string(out)
}

// call calls a method, and returns its result.
func (b *browser) call(method, params string, args ...any) json.RawMessage {
	b.t.Helper()
	b.id++
	message := fmt.Sprintf(`{"id": %d, "method": %q, "params": %s}`, b.id, method, fmt.Sprintf(params, args...))
	if err := b.conn.Write(b.ctx, websocket.MessageText, []byte(message)); err != nil {
		b.t.Fatal(err)
	}
	for {
		_, text, err := b.conn.Read(b.ctx)
		if err != nil {
			b.t.Fatal(err)
		}
		var reply struct {
			ID      int
			Type    string
			Result  json.RawMessage
			Message string
		}
		if err := json.Unmarshal(text, &reply); err != nil {
			b.t.Fatal(err)
		}
		if reply.ID != b.id {
			continue // an event
		}
		if reply.Type == "error" {
			b.t.Fatalf("%s: %s", method, reply.Message)
		}
		return reply.Result
	}
}

// context returns the first page, or the first window of Firefox itself ("chrome").
func (b *browser) context(scope string) string {
	b.t.Helper()
	params := "{}"
	if scope != "" {
		params = fmt.Sprintf(`{"moz:scope": %q}`, scope)
	}
	var tree struct{ Contexts []struct{ Context string } }
	if err := json.Unmarshal(b.call("browsingContext.getTree", "%s", params), &tree); err != nil || len(tree.Contexts) == 0 {
		b.t.Fatalf("no page: %v", err)
	}
	return tree.Contexts[0].Context
}
