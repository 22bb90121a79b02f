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
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// In a real Firefox with the add-on, a click on a gopher link of another site opens the page
// in the gateway.
func TestFirefox(t *testing.T) {
	program, err := exec.LookPath("firefox-esr")
	if err != nil {
		t.Skip("there is no firefox-esr here")
	}
	r := buildRelease(t)
	ctx, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	defer stop()
	addon, err := os.ReadFile(r.file("firefox.xpi"))
	if err != nil {
		t.Fatal(err)
	}
	said := start(ctx, t, "until you press Ctrl-C", exec.CommandContext(ctx, r.binary(host()), "demo", "--list"))
	if !strings.Contains(said, "  http://127.0.0.1:1738/\n") {
		t.Skip("the address that the add-on names is in use")
	}
	link := regexp.MustCompile(`gopher://127\.0\.0\.1:\d+/\n`).FindString(said)
	link = strings.TrimSpace(link) + "0/etc/motd"
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<a style="font-size:60px" href="%s">a gopher link</a>`, link)
	}))
	defer page.Close()

	b := startFirefox(ctx, t, program)
	b.call("webExtension.install", `{"extensionData": {"type": "base64", "value": %q}}`, base64.StdEncoding.EncodeToString(addon))
	b.call("browsingContext.navigate", `{"context": %q, "url": %q, "wait": "complete"}`, b.context(""), page.URL)
	b.shoot("firefox-link")
	b.call("input.performActions", `{"context": %q, "actions": [{"type": "pointer", "id": "mouse", "actions": [
		{"type": "pointerMove", "x": 60, "y": 50}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}]}`, b.context(""))
	// Firefox asks first whether the page may open the link.
	b.until("chrome", pressOpen, func() bool { return strings.Contains(b.text(), "read the manual") })
	b.shoot("firefox-opened")
}

// pressOpen presses "Open Link" in the dialog of Firefox, if it is there.
const pressOpen = `(() => {
	const look = w => {
		if (w.location.href.endsWith("/permissionDialog.xhtml")) {
			const d = w.document.querySelector("dialog");
			d.getButton("accept").disabled = false; // Firefox enables it after a second
			d.acceptDialog();
			return;
		}
		for (let i = 0; i < w.length; i++) look(w[i]);
	};
	for (const w of Services.wm.getEnumerator(null)) look(w);
})()`

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
	out, _ := json.Marshal(text) // a string can always be marshaled
	return string(out)
}

// call calls a method, and returns its result.
func (b *browser) call(method, params string, args ...any) json.RawMessage {
	b.t.Helper()
	result, err := b.try(method, params, args...)
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}

// try calls a method. It returns an error if the page is being left.
func (b *browser) try(method, params string, args ...any) (json.RawMessage, error) {
	b.id++
	message := fmt.Sprintf(`{"id": %d, "method": %q, "params": %s}`, b.id, method, fmt.Sprintf(params, args...))
	if err := b.conn.Write(b.ctx, websocket.MessageText, []byte(message)); err != nil {
		return nil, err
	}
	for {
		_, text, err := b.conn.Read(b.ctx)
		if err != nil {
			return nil, err
		}
		var reply struct {
			ID      int
			Type    string
			Result  json.RawMessage
			Message string
		}
		if err := json.Unmarshal(text, &reply); err != nil {
			return nil, err
		}
		if reply.ID != b.id {
			continue // an event
		}
		if reply.Type == "error" {
			return nil, fmt.Errorf("%s: %s", method, reply.Message)
		}
		return reply.Result, nil
	}
}

// evaluate runs a script in the page, or in Firefox itself ("chrome"), and returns its text.
func (b *browser) evaluate(scope, script string) string {
	result, err := b.try("script.evaluate", `{"expression": %s, "awaitPromise": false, "target": {"context": %q}}`, quoted(script), b.context(scope))
	var value struct{ Result struct{ Value string } }
	if err != nil || json.Unmarshal(result, &value) != nil {
		return "" // the page is being left, or the value is not a text
	}
	return value.Result.Value
}

// text returns the text of the page.
func (b *browser) text() string { return b.evaluate("", "document.body.innerText") }

// until runs a script twice a second until isThere returns true.
func (b *browser) until(scope, script string, isThere func() bool) {
	b.t.Helper()
	tick := time.NewTicker(time.Second / 2)
	defer tick.Stop()
	for end := time.After(time.Minute); !isThere(); {
		select {
		case <-tick.C:
			b.evaluate(scope, script)
		case <-end:
			b.shoot("firefox-failed")
			b.t.Fatalf("after a minute the page is %q", b.text())
		}
	}
}

// shoot saves a picture of the page in $LOCUS_SCREENSHOTS, if it is a folder.
func (b *browser) shoot(name string) {
	b.t.Helper()
	folder := os.Getenv("LOCUS_SCREENSHOTS")
	if folder == "" {
		return
	}
	var picture struct{ Data []byte }
	if err := json.Unmarshal(b.call("browsingContext.captureScreenshot", `{"context": %q}`, b.context("")), &picture); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), picture.Data, 0o600); err != nil {
		b.t.Fatal(err)
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
