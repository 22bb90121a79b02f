package desktop

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"locus/internal/render"
)

// macIdentifier returns the bundle identifier by which macOS knows the application.
func (h Handler) macIdentifier() string { return h.Name + ".handler" }

// lsregister is the program that tells macOS which URLs an application opens.
const lsregister = "/System/Library/Frameworks/CoreServices.framework/Frameworks/LaunchServices.framework/Support/lsregister"

// appOf returns the path of the application for h, whether or not it exists, and the schemes that
// it opens. schemes is nil if the application does not exist. It returns an error if Home is
// unknown, or if Install did not make the application.
func (d *Desktop) appOf(h Handler) (app string, schemes []string, err error) {
	if d.Home == "" {
		return "", nil, errNoHome
	}
	app = filepath.Join(d.Home, "Applications", h.Name+".app")
	schemes, err = h.readApp(app)
	return app, schemes, err
}

// installApp returns a Plan that makes an application that opens URLs with h: the URLs of schemes,
// and of the schemes that it opened before. The application is written in AppleScript, because
// macOS sends URLs to applications as Apple events, which a script of AppleScript can receive.
func (d *Desktop) installApp(h Handler, schemes []string) (*Plan, error) {
	app, before, err := d.appOf(h)
	if err != nil {
		return nil, err
	}
	opens := slices.Concat(before, schemes)
	slices.Sort(opens)
	opens = slices.Compact(opens)
	script, info := appleScript(h), infoPlist(h, opens)
	return &Plan{
		Opens: opens,
		text:  "# compile into " + app + "\n" + script + "# write " + infoName(app) + "\n" + info,
		do:    func(ctx context.Context) error { return d.makeApp(ctx, app, script, info) },
	}, nil
}

// removeApp returns a Plan that removes the application for h. It returns an error if Install did
// not make the application.
func (d *Desktop) removeApp(h Handler) (*Plan, error) {
	app, _, err := d.appOf(h)
	if err != nil {
		return nil, err
	}
	return &Plan{text: "# remove " + app + "\n", do: func(ctx context.Context) error {
		d.registerApp(ctx, "-u", app)
		return os.RemoveAll(app)
	}}, nil
}

// infoName returns the path of the Info.plist in an application.
func infoName(app string) string { return filepath.Join(app, "Contents", "Info.plist") }

// readApp returns the schemes that the application at the path app opens, or nil if the application
// does not exist. It returns an error if Install did not make the application.
func (h Handler) readApp(app string) ([]string, error) {
	text, err := os.ReadFile(infoName(app))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(app); err == nil {
			return nil, errForeignApp(app)
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var info struct {
		Strings []string `xml:"dict>string"`
		Schemes []string `xml:"dict>array>dict>array>string"`
	}
	if err := xml.Unmarshal(text, &info); err != nil || !slices.Contains(info.Strings, h.macIdentifier()) {
		return nil, cmp.Or(err, errForeignApp(app))
	}
	return info.Schemes, nil
}

// errForeignApp returns the error for an application that Install did not make.
func errForeignApp(app string) error {
	return fmt.Errorf("%s is an application that locus did not make, so it is not replaced", app)
}

// makeApp compiles script into an application at the path app, with info as its Info.plist. It
// replaces an application at that path.
func (d *Desktop) makeApp(ctx context.Context, app, script, info string) error {
	compiler, err := d.LookPath("osacompile")
	if err != nil {
		return err
	}
	signer, err := d.LookPath("codesign")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(app), 0o755); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "desktop-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	source, made := filepath.Join(folder, "handler.applescript"), filepath.Join(folder, "handler.app")
	if err := os.WriteFile(source, []byte(script), 0o600); err != nil {
		return err
	}
	if err := runTool(d.Command(ctx, compiler, "-o", made, source)); err != nil {
		return err
	}
	if err := os.WriteFile(infoName(made), []byte(info), 0o644); err != nil {
		return err
	}
	if err := os.RemoveAll(app); err != nil {
		return err
	}
	if err := os.CopyFS(app, os.DirFS(made)); err != nil {
		return err
	}
	// The signature that osacompile made does not fit the new Info.plist.
	if err := runTool(d.Command(ctx, signer, "--force", "--sign", "-", app)); err != nil {
		return err
	}
	d.registerApp(ctx, "-f", app)
	return nil
}

// registerApp makes macOS read the application now (how is "-f") or forget it ("-u"). If that
// fails, macOS will find out later.
func (d *Desktop) registerApp(ctx context.Context, how, app string) {
	_ = d.Command(ctx, lsregister, how, app).Run()
}

// appleScript returns the source of the application, which starts h for each URL. If the URL opens
// a session, it starts h in Terminal.
func appleScript(h Handler) string {
	var sessions []string
	for _, scheme := range h.Sessions {
		sessions = append(sessions, appleString(scheme+":"))
	}
	command := render.ShellWord(h.Program) + " "
	for _, arg := range h.Args {
		command += render.ShellWord(arg) + " "
	}
	// Terminal gets the command as typed text, so a control character in it could act as a key.
	return `on open location link
	repeat with code in (id of link)
		if (code as integer) < 33 or (code as integer) > 126 then error "This is not a URL."
	end repeat
	set openCommand to ` + appleString(command) + ` & quoted form of link
	repeat with sessionStart in {` + strings.Join(sessions, ", ") + `}
		if link starts with (sessionStart as text) then
			tell application "Terminal"
				activate
				do script openCommand
			end tell
			return
		end if
	end repeat
	do shell script openCommand
end open location
`
}

// appleString returns text as a string literal of AppleScript.
func appleString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// infoPlist returns the text of the Info.plist that tells macOS the name of the application and the
// schemes that it opens.
func infoPlist(h Handler, schemes []string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>CFBundleExecutable</key>
	<string>applet</string>
	<key>CFBundleIdentifier</key>
	<string>` + h.macIdentifier() + `</string>
	<key>CFBundleInfoDictionaryVersion</key>
	<string>6.0</string>
	<key>CFBundleName</key>
	<string>` + h.Name + `</string>
	<key>CFBundlePackageType</key>
	<string>APPL</string>
	<key>CFBundleURLTypes</key>
	<array>
		<dict>
			<key>CFBundleTypeRole</key>
			<string>Viewer</string>
			<key>CFBundleURLName</key>
			<string>URLs that ` + h.Name + ` opens</string>
			<key>CFBundleURLSchemes</key>
			<array>
`)
	for _, name := range schemes {
		b.WriteString("\t\t\t\t<string>" + name + "</string>\n")
	}
	b.WriteString(`			</array>
		</dict>
	</array>
	<key>LSUIElement</key>
	<true/>
	<key>NSAppleEventsUsageDescription</key>
	<string>` + h.Name + ` opens sessions in Terminal.</string>
</dict>
</plist>
`)
	return b.String()
}
