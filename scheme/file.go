package scheme

import (
	"errors"
	"fmt"
	"strings"

	"locus/internal/ascii"
	"locus/internal/sentinel"
	"locus/url"
)

// File is the view of a file URL.
//
//	file://vms.host.edu/disk$user/my/notes/note12345.txt
//	       \__________/ \_______/ \/ \___/ \___________/
//	           Host             Segments
//
// RFC 1738 §5:
//
//	fileurl  = "file://" [ host | "localhost" ] "/" fpath
//	fpath    = fsegment *[ "/" fsegment ]
//	fsegment = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
//
// As in RFC 8089, the "//" may be missing; then Host is absent.
type File struct {
	Host     url.Part // decoded, without brackets; "" and "localhost" mean this machine
	Segments []string // the decoded segments of the path; never empty: "/" has one empty segment
}

const fileRule = "RFC 1738 §3.10"

// ParseFile returns the view of a file URL. It refuses a user, a port and a path that does not start with "/".
func ParseFile(u url.URL) (File, error) {
	if err := wantScheme(u, "file"); err != nil {
		return File{}, err
	}
	if err := refuseUser(u, false, fileRule); err != nil {
		return File{}, err
	}
	if _, ok := u.Port(); ok {
		return File{}, fail(u, start(u, url.Port)-1, fileRule, `a "/" after the host: no port is allowed`)
	}
	var v File
	if host, ok := u.Host(); ok {
		v.Host = url.Some("")
		if host != "" {
			v.Host.Text = hostName(host)
		}
	}
	path := u.PathAndQuery()
	if path == "" || path[0] != '/' {
		return File{}, pathFail(u, 0, fileRule, `a "/" before the path`)
	}
	v.Segments = segments(path[1:])
	return v, nil
}

// IsLocal reports whether the host of v is absent, empty or "localhost" in any case, so that the file is on this
// machine.
func (v File) IsLocal() bool {
	return v.Host.Text == "" || strings.EqualFold(v.Host.Text, "localhost")
}

// URL returns the URL whose view is v.
func (v File) URL() url.URL {
	var b builder
	b.WriteString("file:")
	if v.Host.Present {
		b.WriteString("//")
		b.WriteString(hostText(v.Host.Text))
	}
	for i, s := range v.Segments {
		b.WriteByte('/')
		if i == 0 && isDrive(s) {
			b.WriteByte(s[0])
			b.escape(s[1:], inDrive)
			continue
		}
		b.escape(s, inPath)
	}
	if len(v.Segments) == 0 {
		b.WriteByte('/')
	}
	return b.url()
}

// inDrive allows a drive to be written "C:", because every program writes it so, although RFC 1630 does not allow ":"
// there.
var inDrive = url.Set{}.With(common + ":")

// ErrNotLocal is the error of [File.LocalPath] for a file on another host.
var ErrNotLocal = errors.New("the file is on another host")

// LocalPath returns the name of the file v on this machine. goos is the operating system, with the names of
// runtime.GOOS: "linux", "windows" and so on.
//
// On Windows, a host makes the result a UNC path, \\host\share\name, and "C|" is an old spelling of "C:". On other
// systems, a host that is not local is an [ErrNotLocal]. The error wraps errors.ErrUnsupported if a segment is not a
// single name on the system, because it contains a separator, a NUL or, on Windows, a colon.
func (v File) LocalPath(goos string) (string, error) {
	if goos == "windows" {
		return v.windowsPath()
	}
	if !v.IsLocal() {
		return "", fmt.Errorf("host %q: %w", v.Host.Text, ErrNotLocal)
	}
	if err := checkSegments(v.Segments, "/\x00"); err != nil {
		return "", err
	}
	return "/" + strings.Join(v.Segments, "/"), nil
}

// windowsPath returns the path of the file on Windows: `C:\a`, `\\host\a` or `\a`. It returns an error if the name
// would mean a device, another host or another folder.
func (v File) windowsPath() (string, error) {
	host, rest := v.uncHost()
	drive := ""
	if host == "" && len(rest) > 0 && isDrive(rest[0]) {
		drive, rest = rest[0][:1]+":", rest[1:]
	}
	const never = "/\\:\x00"
	if strings.ContainsAny(host, never) || host == "." || host == "?" { // because \\.\ and \\?\ are devices
		return "", fmt.Errorf("host %q: %w", host, errNotName)
	}
	if err := checkSegments(rest, never); err != nil {
		return "", err
	}
	if host+drive == "" && len(rest) > 1 && rest[0] == "" { // because \\name would be a host
		return "", fmt.Errorf("segment %q: %w", rest[0], errNotName)
	}
	path := `\` + strings.Join(rest, `\`)
	if host != "" {
		return `\\` + host + path, nil
	}
	return drive + path, nil
}

// uncHost returns the host of a UNC path and the segments of the path after the host. It returns "" and all segments if
// v is on this machine. Some programs write the host as a segment: file:////host/share or file://///host/share.
func (v File) uncHost() (host string, rest []string) {
	if !v.IsLocal() {
		return v.Host.Text, v.Segments
	}
	rest = v.Segments
	for range 2 {
		if len(rest) > 2 && rest[0] == "" && rest[1] != "" {
			return rest[1], rest[2:]
		}
		if len(rest) > 0 && rest[0] == "" {
			rest = rest[1:]
		}
	}
	return "", v.Segments
}

var errNotName = sentinel.New("not a single file name on this system: unsupported operation", errors.ErrUnsupported)

// checkSegments returns an error that wraps errNotName if a segment contains one of the bytes of never.
func checkSegments(segments []string, never string) error {
	for _, s := range segments {
		if strings.ContainsAny(s, never) {
			return fmt.Errorf("segment %q: %w", s, errNotName)
		}
	}
	return nil
}

// LocalFile returns the view of the file with the absolute name path on a machine that runs goos. LocalPath is its
// inverse. A name that is not absolute, or that names a device (\\.\…), is an error.
//
// Host is present, and empty unless path is a UNC path.
func LocalFile(goos, path string) (File, error) {
	if goos == "windows" {
		return windowsFile(path)
	}
	if !strings.HasPrefix(path, "/") {
		return File{}, notAbsolute(path)
	}
	return File{Host: url.Some(""), Segments: strings.Split(path[1:], "/")}, nil
}

// windowsFile implements [LocalFile] for Windows. path has slashes or backslashes and may begin with `\\?\`. A path
// such as `\a`, which lacks a drive, counts as absolute. A relative path, and the path of a device, is an error.
func windowsFile(path string) (File, error) {
	s := strings.ReplaceAll(path, "/", `\`)
	if strings.HasPrefix(s, `\\.\`) {
		return File{}, notAbsolute(path)
	}
	if long, ok := strings.CutPrefix(s, `\\?\`); ok {
		s = long
		if len(long) > 4 && strings.EqualFold(long[:4], `UNC\`) {
			s = `\\` + long[4:]
		}
	}
	if unc, ok := strings.CutPrefix(s, `\\`); ok {
		host, share, ok := strings.Cut(unc, `\`)
		if !ok || host == "" {
			return File{}, notAbsolute(path)
		}
		return File{Host: url.Some(host), Segments: strings.Split(share, `\`)}, nil
	}
	if len(s) >= 3 && isDrive(s[:2]) && s[1] == ':' && s[2] == '\\' {
		return File{Host: url.Some(""), Segments: strings.Split(s, `\`)}, nil
	}
	if strings.HasPrefix(s, `\`) {
		return File{Host: url.Some(""), Segments: strings.Split(s[1:], `\`)}, nil
	}
	return File{}, notAbsolute(path)
}

// notAbsolute returns the error of [LocalFile] for path.
func notAbsolute(path string) error {
	return fmt.Errorf("%q is not the absolute name of a file", path)
}

// isDrive reports whether s is a Windows drive: "C:", or "C|" in an old spelling.
func isDrive(s string) bool {
	return len(s) == 2 && ascii.IsLetter(s[0]) && (s[1] == ':' || s[1] == '|')
}
