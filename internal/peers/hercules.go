package peers

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Hercules starts hercules, a mainframe with eight 3270 displays and no system. A
// display shows a logo, and keys do nothing. A ninth display is refused, and so is
// another terminal, in text.
func Hercules(t testing.TB) *Server {
	t.Helper()
	dir := tree(t, "hercules")
	return start(t, t.TempDir(), func(port uint16, scratch string) *exec.Cmd {
		conf := write(t, scratch, "hercules.cnf", lines(
			"CPUSERIAL 000001",
			"CPUMODEL  3090",
			"MAINSIZE  16",
			"XPNDSIZE  0",
			"NUMCPU    1",
			"ARCHMODE  ESA/390",
			fmt.Sprintf("CNSLPORT  127.0.0.1:%d", port),
			"OSTAILOR  QUIET",
			"PANRATE   SLOW",
			"00C0.8 3270",
		))
		cmd := program(dir, "usr/bin/hercules", "-d", "-f", conf)
		own := append(libraries(dir), filepath.Join(dir, "usr/lib/hercules"))
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+strings.Join(own, ":"))
		return cmd
	})
}
