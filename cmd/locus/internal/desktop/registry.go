package desktop

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf16"
)

// software is the registry key of the user's programs, and classes is the key of the schemes and
// types that they open.
const (
	software = `HKEY_CURRENT_USER\Software\`
	classes  = software + `Classes\`
)

// allClasses is the registry key of the schemes and types that the programs of the user and of the
// machine open.
const allClasses = `HKEY_CLASSES_ROOT\`

// installRegistry returns a Plan that writes h into the registry of Windows. It changes nothing
// itself. A scheme that another program opens stays with that program, unless takes is set. An
// argument of h that the registry cannot hold is an error.
func (d *Desktop) installRegistry(ctx context.Context, h Handler, schemes []string, takes bool) (*Plan, error) {
	for _, arg := range h.Args {
		if arg == "" || strings.ContainsAny(arg, " \t\"%") {
			return nil, fmt.Errorf("the argument %q cannot be registered", arg)
		}
	}
	r, err := d.registry(h)
	if err != nil {
		return nil, err
	}
	plan := &Plan{}
	for _, scheme := range schemes {
		command, isOpened := r.openCommand(ctx, scheme)
		if !takes && isOpened && !strings.Contains(command, h.Program) {
			plan.Kept = append(plan.Kept, Kept{Scheme: scheme})
			continue
		}
		plan.Opens = append(plan.Opens, scheme)
	}
	r.planImport(plan, registration(h, plan.Opens))
	return plan, nil
}

// removeRegistry returns a Plan that removes h from the registry of Windows, with the schemes that
// h opens now.
func (d *Desktop) removeRegistry(ctx context.Context, h Handler) (*Plan, error) {
	r, err := d.registry(h)
	if err != nil {
		return nil, err
	}
	plan := &Plan{}
	r.planImport(plan, removal(h, r.ownSchemes(ctx)))
	return plan, nil
}

// A registry is the registry of Windows. The program reg reads and changes it.
type registry struct {
	*Desktop
	handler Handler
	reg     string // the file of the program
}

// registry returns the registry for h. It returns an error if the program of h is unknown or the
// program reg is missing.
func (d *Desktop) registry(h Handler) (registry, error) {
	if h.Program == "" {
		return registry{}, errNoProgram
	}
	reg, err := d.LookPath("reg")
	return registry{d, h, reg}, err
}

// planImport makes plan show and import the text of a registry file.
func (r registry) planImport(plan *Plan, text string) {
	plan.text = text
	plan.do = func(ctx context.Context) error { return r.importText(ctx, text) }
}

// ownSchemes returns the schemes of the handler whose URLs the handler's program opens now.
func (r registry) ownSchemes(ctx context.Context) []string {
	var own []string
	for _, scheme := range r.handler.Schemes {
		if command, ok := r.openCommand(ctx, scheme); ok && strings.Contains(command, r.handler.Program) {
			own = append(own, scheme)
		}
	}
	return own
}

// openCommand asks reg for the command that opens the URLs of the scheme name, and returns its
// output. It looks among the user's settings before the machine's. ok is false if no command opens
// these URLs.
func (r registry) openCommand(ctx context.Context, name string) (output string, ok bool) {
	for _, key := range []string{classes, allClasses} {
		out, err := r.Command(ctx, r.reg, "query", key+name+`\shell\open\command`, "/ve").Output()
		if err == nil {
			return string(out), true
		}
	}
	return "", false
}

// importText imports text, a registry file, into the registry.
func (r registry) importText(ctx context.Context, text string) error {
	f, err := os.CreateTemp("", "desktop-*.reg")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(utf16File(text))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return runTool(r.Command(ctx, r.reg, "import", f.Name()))
}

// utf16File returns text as a registry file stores it: in UTF-16, with a byte order mark, and with
// CR LF for each LF.
func utf16File(text string) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + strings.ReplaceAll(text, "\n", "\r\n"))) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return b
}

const registryHead = "Windows Registry Editor Version 5.00\n"

// registration returns the text of a registry file that makes h open the URLs of schemes. It also
// lists h in the settings, under default apps.
func registration(h Handler, schemes []string) string {
	var b strings.Builder
	command := registryString(`"` + h.Program + `" ` + strings.Join(h.Args, " ") + ` "%1"`)
	b.WriteString(registryHead)
	for _, name := range append([]string{h.Name + ".url"}, schemes...) {
		fmt.Fprintf(&b, "\n[%s%s]\n@=\"URL:%[2]s\"\n\"URL Protocol\"=\"\"\n", classes, name)
		fmt.Fprintf(&b, "\n[%s%s\\shell\\open\\command]\n@=%s\n", classes, name, command)
	}
	fmt.Fprintf(&b, "\n[%s%s\\Capabilities]\n", software, h.Name)
	fmt.Fprintf(&b, "\"ApplicationName\"=%s\n\"ApplicationDescription\"=%s\n", registryString(h.Name), registryString(h.About))
	fmt.Fprintf(&b, "\n[%s%s\\Capabilities\\URLAssociations]\n", software, h.Name)
	for _, name := range schemes {
		fmt.Fprintf(&b, "\"%s\"=\"%s.url\"\n", name, h.Name)
	}
	fmt.Fprintf(&b, "\n[%sRegisteredApplications]\n\"%[2]s\"=\"Software\\\\%[2]s\\\\Capabilities\"\n", software, h.Name)
	return b.String()
}

// removal returns the text of a registry file that undoes registration(h, schemes).
func removal(h Handler, schemes []string) string {
	var b strings.Builder
	b.WriteString(registryHead + "\n")
	for _, name := range append([]string{h.Name + ".url"}, schemes...) {
		fmt.Fprintf(&b, "[-%s%s]\n", classes, name)
	}
	fmt.Fprintf(&b, "[-%s%s]\n\n[%[1]sRegisteredApplications]\n\"%[2]s\"=-\n", software, h.Name)
	return b.String()
}

// registryString returns text as a string of a registry file, with quotes and escapes.
func registryString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
