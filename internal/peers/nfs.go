package peers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// An NFSServer is a running NFS server. Its MOUNT program has its own port.
type NFSServer struct {
	*Server
	MountPort uint16
}

// Ganesha starts NFS-Ganesha, an NFS server, which exports folders under their own paths,
// for reading and writing by every user but root. It lacks a public directory and a port
// mapper. The first folder is the Root of the server. It needs root with
// CAP_DAC_READ_SEARCH, and folders on a file system with file handles, which an overlay
// lacks.
func Ganesha(t testing.TB, folders ...string) NFSServer {
	t.Helper()
	s, ports := ganesha(t, 3, 2, folders)
	return NFSServer{s, ports[1]}
}

// GaneshaV4 starts NFS-Ganesha with only version 4 of NFS, which exports folder as "/1" and does
// not use MOUNT. It needs the same rights and file systems as [Ganesha].
func GaneshaV4(t testing.TB, folder string) *Server {
	t.Helper()
	s, _ := ganesha(t, 4, 1, []string{folder})
	return s
}

// ganesha starts NFS-Ganesha for a version of NFS, and returns its ports: the port of NFS and,
// if count is 2, the port of MOUNT.
func ganesha(t testing.TB, version, count int, folders []string) (s *Server, ports []uint16) {
	t.Helper()
	dir := tree(t, "ganesha")
	attributes, ok := attributesOf("root")
	if !ok {
		missing(t, "peers: ganesha needs root, to read files by their handles")
	}
	if !mayReadByHandle() {
		forbidden(t, "ganesha needs CAP_DAC_READ_SEARCH")
	}
	shim := preload(t, "int svc_reg(void) { return 1; }\n") // because the machine may lack a port mapper
	s, ports = startAt(t, folders[0], count, func(ports []uint16, scratch string) *exec.Cmd {
		conf := write(t, scratch, "ganesha.conf", ganeshaConf(dir, scratch, version, ports, folders))
		cmd := program(dir, "usr/bin/ganesha.nfsd", "-F", "-f", conf, "-L", "STDERR", "-p", filepath.Join(scratch, "pid"), "-N", "NIV_EVENT")
		cmd.Env = append(cmd.Env, "LD_PRELOAD="+shim, "LD_LIBRARY_PATH="+strings.Join(ganeshaLibraries(dir), ":"))
		cmd.SysProcAttr = attributes
		return cmd
	})
	for _, folder := range folders[1:] {
		share(t, folder)
	}
	output, err := os.ReadFile(filepath.Join(s.scratch, "output"))
	check(t, err)
	if strings.Contains(string(output), "Lookup failed on path") {
		forbidden(t, "ganesha needs a file system with file handles: set TMPDIR to a folder that is not on an overlay")
	}
	return s, ports
}

// ganeshaLibraries returns the folders with the libraries of NFS-Ganesha in dir, and with their
// plugins.
func ganeshaLibraries(dir string) []string {
	plugins, _ := filepath.Glob(filepath.Join(dir, "usr/lib/*/libnfsidmap")) // the pattern is valid
	return append(append(libraries(dir), filepath.Join(dir, "usr/lib/ganesha")), plugins...)
}

// ganeshaConf returns the text of the configuration of NFS-Ganesha in dir for one version of NFS.
// ports has the port of NFS and, if MOUNT needs one, the port of MOUNT. Version 4 exports the first
// of folders as "/1" and the second as "/2", and earlier versions export them under their own
// paths.
func ganeshaConf(dir, scratch string, version int, ports []uint16, folders []string) string {
	plugins, _ := filepath.Glob(filepath.Join(dir, "usr/lib/*/ganesha")) // the pattern is valid
	mount := ""
	if len(ports) > 1 {
		mount = fmt.Sprintf("MNT_Port = %d;", ports[1])
	}
	conf := []string{
		fmt.Sprintf("NFS_CORE_PARAM { Protocols = %d; NFS_Port = %d; %s Bind_addr = 127.0.0.1;", version, ports[0], mount),
		"Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false; mount_path_pseudo = false;",
		"Plugins_Dir = " + strings.Join(plugins, "") + "; }",
		"NFSV4 { Graceless = true; RecoveryRoot = " + scratch + "; }",
	}
	for i, folder := range folders {
		conf = append(conf, fmt.Sprintf("EXPORT { Export_Id = %d; Path = %s; Pseudo = /%[1]d; Access_Type = RW; Squash = Root_Squash;", i+1, folder),
			fmt.Sprintf("SecType = sys; Protocols = %d; Transports = TCP; FSAL { Name = VFS; } }", version))
	}
	return lines(conf...)
}

// preload builds a library from the text of a C file, for LD_PRELOAD, and returns its path.
// Without a compiler the test is skipped; with CI=true it fails.
func preload(t testing.TB, source string) string {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		missing(t, "peers: no compiler: %v", err)
	}
	dir := t.TempDir()
	file, lib := filepath.Join(dir, "shim.c"), filepath.Join(dir, "shim.so")
	check(t, os.WriteFile(file, []byte(source), 0o600))
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", lib, file).CombinedOutput(); err != nil {
		t.Fatalf("peers: cc: %v\n%s", err, out)
	}
	return lib
}

// NFSCopy returns a command that copies a file of the server into a file of this
// machine, with nfs-cp of libnfs.
func NFSCopy(t testing.TB, s NFSServer, path, to string) *exec.Cmd {
	t.Helper()
	cmd := program(tree(t, "libnfs"), "usr/bin/nfs-cp", fmt.Sprintf("nfs://%s%s?nfsport=%d&mountport=%d", s.Host, path, s.Port, s.MountPort), to)
	cmd.SysProcAttr = attributes()
	return cmd
}
