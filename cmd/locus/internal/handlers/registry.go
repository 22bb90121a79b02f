package handlers

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"locus/cmd/locus/internal/cli"
	"locus/scheme"
)

// classes is the registry key for what the user's programs open.
const classes = `HKEY_CURRENT_USER\Software\Classes\`

// allClasses is the registry key for what the programs of the user and of the machine open.
const allClasses = `HKEY_CLASSES_ROOT\`

// runWindows installs locus as a handler in the registry of Windows, or removes it.
func (o Options) runWindows(ctx context.Context, e *cli.Env) error {
	if e.Program == "" {
		return errors.New("the file of this program is unknown")
	}
	reg, err := e.LookPath("reg")
	if err != nil {
		return err
	}
	r := registry{e, reg}
	if o.Remove {
		return o.importInto(ctx, r, removal(r.ownSchemes(ctx)))
	}
	at, err := e.UserGateway(o.At)
	if err != nil {
		return err
	}
	taken, err := o.freeSchemes(ctx, r)
	if err != nil {
		return err
	}
	if err := o.importInto(ctx, r, registration(e.Program, at.String(), taken)); err != nil || o.DryRun {
		return err
	}
	e.Say("locus now opens links of these schemes: " + strings.Join(taken, ", "))
	return nil
}

// importInto imports a registry file. With --dry-run it only prints the file.
func (o Options) importInto(ctx context.Context, r registry, text string) error {
	if o.DryRun {
		_, err := r.env.Out.WriteString(text)
		return err
	}
	return r.importText(ctx, text)
}

// freeSchemes returns the schemes to open. Without --scheme it leaves those that another
// program opens.
func (o Options) freeSchemes(ctx context.Context, r registry) ([]string, error) {
	wanted, err := o.wantedSchemes()
	if err != nil {
		return nil, err
	}
	var free []string
	for _, s := range wanted {
		command, opened := r.openCommand(ctx, s.Name)
		if len(o.Schemes) == 0 && opened && !strings.Contains(command, r.env.Program) {
			r.env.Say(fmt.Sprintf("%s stays with another program; --scheme %[1]s takes it", s.Name))
			continue
		}
		free = append(free, s.Name)
	}
	return free, nil
}

// A registry is the registry of Windows. The program reg reads and changes it.
type registry struct {
	env *cli.Env
	reg string // the file of the program
}

// ownSchemes returns the schemes that this program opens.
func (r registry) ownSchemes(ctx context.Context) []string {
	var own []string
	for _, s := range scheme.All() {
		if command, ok := r.openCommand(ctx, s.Name); ok && strings.Contains(command, r.env.Program) {
			own = append(own, s.Name)
		}
	}
	return own
}

// openCommand returns what reg prints about the command that opens the URLs of a scheme;
// false if there is none.
func (r registry) openCommand(ctx context.Context, name string) (string, bool) {
	out, err := r.env.Command(ctx, r.reg, "query", allClasses+name+`\shell\open\command`, "/ve").Output()
	return string(out), err == nil
}

// importText imports the text of a registry file.
func (r registry) importText(ctx context.Context, text string) error {
	f, err := os.CreateTemp("", "locus-*.reg")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(utf16File(text))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return runTool(r.env.Command(ctx, r.reg, "import", f.Name()))
}

// runTool runs a program of the system. The error has what the program said.
func runTool(cmd *exec.Cmd) error {
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, bytes.TrimSpace(said))
	}
	return nil
}

// utf16File returns text as a registry file stores it: in UTF-16, with a byte order mark.
func utf16File(text string) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + strings.ReplaceAll(text, "\n", "\r\n"))) {
		b = binary.LittleEndian.AppendUint16(b, unit)
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
