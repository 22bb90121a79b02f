package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	protocol "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"locus/internal/peers"
)

// A chromium is a Chromium that tests share, because starting one takes seconds of processor time.
type chromium struct {
	start sync.Once
	ctx   context.Context
	err   error
	close func()
}

// shared is started by the first test that needs it. TestMain closes it.
var shared = &chromium{close: func() {}}

// context returns the context of the running Chromium, and starts Chromium if necessary.
func (c *chromium) context(t *testing.T) context.Context {
	t.Helper()
	program := peers.HeadlessChromium(t)
	c.start.Do(func() {
		var profile string
		if profile, c.err = os.MkdirTemp("", "locus-browser-"); c.err != nil {
			return
		}
		ctx, cancel := startChromium(context.Background(), program, profile)
		c.ctx, c.close = ctx, func() {
			cancel()
			if err := removeProfile(profile); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
		c.err = chromedp.Do(ctx) // starts it
	})
	if c.err != nil {
		t.Fatal(c.err)
	}
	return c.ctx
}

// startChromium returns the context of a Chromium with a profile. The first use of the context
// starts Chromium.
func startChromium(ctx context.Context, program, profile string) (context.Context, context.CancelFunc) {
	ctx, cancelAllocator := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.UserDataDir(profile), chromedp.WindowSize(1200, 800),
		// A full-screen window has no tabs and toolbars, whose drawing takes more time than the
		// pages.
		chromedp.Flag("start-fullscreen", true), chromedp.Flag("screen-info", "{1200x800}"),
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,OptimizationHints,MediaRouter,SpareRendererForSitePerProcess"),
		chromedp.Flag("ignore-certificate-errors", true))...)
	ctx, cancel := chromedp.NewContext(ctx)
	return ctx, func() { cancel(); cancelAllocator() }
}

// newBrowser opens a tab in the shared Chromium, with its own cookies, storage and cache. The tab
// does not use a proxy.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	return newTab(t, "direct://", "")
}

// newBrowserThrough opens a tab as newBrowser does. The tab uses a proxy for all hosts except this
// machine.
func newBrowserThrough(t *testing.T, proxy string) *browser {
	t.Helper()
	return newTab(t, proxy, "")
}

// newBrowserAllThrough opens a tab as newBrowser does. The tab uses a proxy for all hosts,
// including this machine.
func newBrowserAllThrough(t *testing.T, proxy string) *browser {
	t.Helper()
	return newTab(t, proxy, "<-loopback>")
}

// newTab opens a tab in the shared Chromium, with a proxy and a list of hosts that are reached
// without the proxy.
func newTab(t *testing.T, proxy, exceptions string) *browser {
	t.Helper()
	ctx, cancel := context.WithTimeout(shared.context(t), 8*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithNewBrowserContext(func(p *target.CreateBrowserContextParams) {
		p.ProxyServer, p.ProxyBypassList = proxy, exceptions
	}))
	t.Cleanup(cancel)
	return prepare(t, ctx)
}

// newBrowserWithHandlers starts a Chromium in which the gateway at is a handler, as if the user had
// agreed on the page of handlers. It does not use the shared Chromium, because handlers belong to a
// profile.
func newBrowserWithHandlers(t *testing.T, at string) *browser {
	t.Helper()
	profile, err := os.MkdirTemp("", "locus-browser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := removeProfile(profile); err != nil {
			t.Error(err)
		}
	})
	installHandlers(t, profile, at)
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = startChromium(ctx, peers.Chromium(t), profile)
	t.Cleanup(cancel)
	b := prepare(t, ctx)
	yes := page.SetRPHRegistrationModeParams{Mode: page.SetRPHRegistrationModeModeAutoAccept}
	if _, err := chromedp.Call(ctx, page.SetRPHRegistrationMode, yes); err != nil {
		t.Fatal(err)
	}
	return b
}

// prepare opens the tab of a context, and begins to record its complaints.
func prepare(t *testing.T, ctx context.Context) *browser {
	t.Helper()
	b := &browser{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, b.hear); err != nil {
		t.Fatal(err)
	}
	_, err := chromedp.Call(ctx, log.Enable, cdp.Empty{})
	_, err2 := chromedp.Call(ctx, runtime.Enable, cdp.Empty{})
	// Only one window has the user's focus, so each tab emulates the focus.
	_, err3 := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	window, err4 := chromedp.Call(ctx, protocol.GetWindowForTarget, protocol.GetWindowForTargetParams{})
	if err := errors.Join(err, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	full := protocol.SetWindowBoundsParams{WindowID: window.WindowID, Bounds: &protocol.Bounds{WindowState: protocol.WindowStateFullscreen}}
	if _, err := chromedp.Call(ctx, protocol.SetWindowBounds, full); err != nil {
		t.Fatal(err)
	}
	return b
}

// removeProfile removes the folder of a Chromium that has ended. It retries, because some processes
// of Chromium may still write there for a moment.
func removeProfile(profile string) error {
	err := os.RemoveAll(profile)
	for begin := time.Now(); err != nil && time.Since(begin) < time.Minute; {
		err = os.RemoveAll(profile)
	}
	return err
}

// installHandlers writes the settings for handlers into a new profile, as Chromium would write
// them.
func installHandlers(t *testing.T, profile, at string) {
	t.Helper()
	var handlers []string
	for _, scheme := range []string{"ftp", "news"} {
		handlers = append(handlers, fmt.Sprintf(`{"default":true,"protocol":%q,"url":%q}`, scheme, at+"-/open?url=%s"))
	}
	text := `{"custom_handlers":{"enabled":true,"registered_protocol_handlers":[` + strings.Join(handlers, ",") + `]}}`
	err := os.Mkdir(filepath.Join(profile, "Default"), 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(profile, "Default", "Preferences"), []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
