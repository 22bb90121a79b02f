package handlers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf16"

	"locus/cmd/locus/internal/cli"
	"locus/scheme"
)

// classes is the key of Windows for what the user's programs open.
const classes = `HKEY_CURRENT_USER\Software\Classes\`

// runWindows installs locus as a handler in the registry of Windows, or removes it. It
// uses the program reg, as people do.
func (o Options) runWindows(ctx context.Context, e *cli.Env) error {
	if e.Program == "" {
		return errors.New("the file of this program is unknown")
	}
	var taken []string
	var err error
	if o.Remove {
		taken = o.ownSchemes(ctx, e)
	} else if taken, err = o.freeSchemes(ctx, e); err != nil {
		return err
	}
	text := removal(taken)
	if !o.Remove {
		at, err := e.UserGateway(o.At)
		if err != nil {
			return err
		}
		text = registration(e.Program, at.String(), taken)
	}
	if o.DryRun {
		return e.Line("# import into the registry:\n" + text)
	}
	if err := importRegistry(ctx, e, text); err != nil || o.Remove {
		return err
	}
	e.Say("locus now opens links of these schemes: " + strings.Join(taken, ", "))
	return nil
}

// freeSchemes returns the schemes to open. Without --scheme it leaves those that another
// program opens.
func (o Options) freeSchemes(ctx context.Context, e *cli.Env) ([]string, error) {
	wanted, err := o.wantedSchemes()
	if err != nil {
		return nil, err
	}
	var free []string
	for _, s := range wanted {
		if len(o.Schemes) == 0 && o.openedByOther(ctx, e, s.Name) {
			e.Say(fmt.Sprintf("%s stays with another program; --scheme %[1]s takes it", s.Name))
			continue
		}
		free = append(free, s.Name)
	}
	return free, nil
}

// ownSchemes returns the schemes that this program opens.
func (o Options) ownSchemes(ctx context.Context, e *cli.Env) []string {
	var own []string
	for _, s := range scheme.All() {
		if command, ok := openCommand(ctx, e, s.Name); ok && strings.Contains(command, e.Program) {
			own = append(own, s.Name)
		}
	}
	return own
}

func (o Options) openedByOther(ctx context.Context, e *cli.Env, name string) bool {
	command, ok := openCommand(ctx, e, name)
	return ok && !strings.Contains(command, e.Program)
}

// openCommand returns what the registry has for the URLs of a scheme; false if there is
// nothing.
func openCommand(ctx context.Context, e *cli.Env, name string) (string, bool) {
	out, err := e.Command(ctx, "reg", "query", classes+name+`\shell\open\command`, "/ve").Output()
	return string(out), err == nil
}

// importRegistry imports the text of a registry file.
func importRegistry(ctx context.Context, e *cli.Env, text string) error {
	f, err := os.CreateTemp("", "locus-*.reg")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(utf16File(text))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	cmd := e.Command(ctx, "reg", "import", f.Name())
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("reg import: %w: %s", err, strings.TrimSpace(said.String()))
	}
	return nil
}

// utf16File returns text as a registry file stores it: in UTF-16, with a byte order mark.
func utf16File(text string) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + strings.ReplaceAll(text, "\n", "\r\n"))) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return b
}

const registryHead = "Windows Registry Editor Version 5.00\n"

// registration returns a registry file by which program opens the URLs of schemes, in the
// gateway at. It also lists locus in the settings, under default apps.
func registration(program, at string, schemes []string) string {
	var b strings.Builder
	command := registryString(`"` + program + `" open --at ` + at + ` -- "%1"`)
	b.WriteString(registryHead)
	for _, name := range append([]string{"locus.url"}, schemes...) {
		fmt.Fprintf(&b, "\n[%s%s]\n@=\"URL:%[2]s\"\n\"URL Protocol\"=\"\"\n", classes, name)
		fmt.Fprintf(&b, "\n[%s%s\\shell\\open\\command]\n@=%s\n", classes, name, command)
	}
	b.WriteString("\n[HKEY_CURRENT_USER\\Software\\locus\\Capabilities]\n" +
		"\"ApplicationName\"=\"locus\"\n\"ApplicationDescription\"=\"opens URLs of every scheme\"\n" +
		"\n[HKEY_CURRENT_USER\\Software\\locus\\Capabilities\\URLAssociations]\n")
	for _, name := range schemes {
		fmt.Fprintf(&b, "%q=\"locus.url\"\n", name)
	}
	b.WriteString("\n[HKEY_CURRENT_USER\\Software\\RegisteredApplications]\n\"locus\"=\"Software\\\\locus\\\\Capabilities\"\n")
	return b.String()
}

// removal returns a registry file that undoes registration.
func removal(schemes []string) string {
	var b strings.Builder
	b.WriteString(registryHead + "\n")
	for _, name := range append([]string{"locus.url"}, schemes...) {
		fmt.Fprintf(&b, "[-%s%s]\n", classes, name)
	}
	b.WriteString("[-HKEY_CURRENT_USER\\Software\\locus]\n" +
		"\n[HKEY_CURRENT_USER\\Software\\RegisteredApplications]\n\"locus\"=-\n")
	return b.String()
}

// registryString returns a string as a registry file quotes it.
func registryString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
