package handlers

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

	"locus/cmd/locus/internal/cli"
	"locus/scheme"
)

// macIdentifier names the application to macOS.
const macIdentifier = "locus.handler"

// lsregister is the program that tells macOS which URLs an application opens.
const lsregister = "/System/Library/Frameworks/CoreServices.framework/Frameworks/LaunchServices.framework/Support/lsregister"

// runMac makes an application for macOS that opens URLs with locus, or removes it. macOS
// sends URLs to applications as Apple events, which a script of AppleScript can receive.
func (o Options) runMac(ctx context.Context, e *cli.Env) error {
	home := e.HomeDir()
	if home == "" {
		return errors.New("the home of the user is unknown")
	}
	app := filepath.Join(home, "Applications", "locus.app")
	had, err := readApp(app)
	if err != nil {
		return err
	}
	if o.Remove {
		return o.removeApp(ctx, e, app)
	}
	if e.Program == "" {
		return errors.New("the file of this program is unknown")
	}
	at, err := e.UserGateway(o.At)
	if err != nil {
		return err
	}
	wanted, err := o.wantedSchemes()
	if err != nil {
		return err
	}
	taken := had
	for _, s := range wanted {
		taken = append(taken, s.Name)
	}
	slices.Sort(taken)
	taken = slices.Compact(taken)
	script, info := appleScript(e.Program, at.String()), infoPlist(taken)
	if o.DryRun {
		return e.Line("# compile into " + app + "\n" + script + "# write " + infoName(app) + "\n" + strings.TrimSuffix(info, "\n"))
	}
	if err := makeApp(ctx, e, app, script, info); err != nil {
		return err
	}
	e.Say("locus now opens links of these schemes: " + strings.Join(taken, ", "))
	return nil
}

func infoName(app string) string { return filepath.Join(app, "Contents", "Info.plist") }

// readApp returns the schemes of the application; none if there is no application. It
// returns an error if the application is not one that locus made.
func readApp(app string) ([]string, error) {
	text, err := os.ReadFile(infoName(app))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(app); err == nil {
			return nil, fmt.Errorf("%s is not an application that locus made", app)
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
	if err := xml.Unmarshal(text, &info); err != nil || !slices.Contains(info.Strings, macIdentifier) {
		return nil, cmp.Or(err, fmt.Errorf("%s is not an application that locus made", app))
	}
	return info.Schemes, nil
}

// removeApp removes the application.
func (o Options) removeApp(ctx context.Context, e *cli.Env, app string) error {
	if o.DryRun {
		return e.Line("# remove " + app)
	}
	registerApp(ctx, e, "-u", app)
	return os.RemoveAll(app)
}

// makeApp makes the application, or makes it anew.
func makeApp(ctx context.Context, e *cli.Env, app, script, info string) error {
	compiler, err := e.LookPath("osacompile")
	if err != nil {
		return err
	}
	signer, err := e.LookPath("codesign")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(app), 0o755); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "locus-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	source, made := filepath.Join(folder, "locus.applescript"), filepath.Join(folder, "locus.app")
	if err := os.WriteFile(source, []byte(script), 0o600); err != nil {
		return err
	}
	if err := runTool(e.Command(ctx, compiler, "-o", made, source)); err != nil {
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
	// The signature that osacompile made is for another Info.plist.
	if err := runTool(e.Command(ctx, signer, "--force", "--sign", "-", app)); err != nil {
		return err
	}
	registerApp(ctx, e, "-f", app)
	return nil
}

// registerApp makes macOS read the application now. If that fails, macOS reads it later.
func registerApp(ctx context.Context, e *cli.Env, how, app string) {
	_ = e.Command(ctx, lsregister, how, app).Run()
}

// appleScript returns the program of the application. It starts program for each URL: in
// Terminal if the URL opens a session.
func appleScript(program, at string) string {
	var sessions []string
	for _, s := range scheme.All() {
		if s.Flags.Has(scheme.Session) {
			sessions = append(sessions, appleString(s.Name+":"))
		}
	}
	command := shellWord(program) + " open --at " + shellWord(at) + " -- "
	// Terminal gets the command as typed: a control character in it could be a key.
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

// appleString returns a string as AppleScript quotes it.
func appleString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// shellWord returns a word as a shell quotes it.
func shellWord(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// infoPlist returns the file by which macOS knows the application and its schemes.
func infoPlist(schemes []string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>CFBundleExecutable</key>
	<string>applet</string>
	<key>CFBundleIdentifier</key>
	<string>` + macIdentifier + `</string>
	<key>CFBundleInfoDictionaryVersion</key>
	<string>6.0</string>
	<key>CFBundleName</key>
	<string>locus</string>
	<key>CFBundlePackageType</key>
	<string>APPL</string>
	<key>CFBundleURLTypes</key>
	<array>
		<dict>
			<key>CFBundleTypeRole</key>
			<string>Viewer</string>
			<key>CFBundleURLName</key>
			<string>URLs that locus opens</string>
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
	<string>locus opens sessions in Terminal.</string>
</dict>
</plist>
`)
	return b.String()
}
