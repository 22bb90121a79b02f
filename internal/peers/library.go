package peers

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// YAZTest starts yaz-ztest, a Z39.50 server for tests of clients. Its database Default has
// the same records for every search; a search for a number finds that many records. It has
// records in MARC, SUTRS, XML and OPAC. A scan ends the connection.
func YAZTest(t testing.TB) *Server {
	t.Helper()
	dir := tree(t, "yaz")
	root := t.TempDir()
	return start(t, root, func(port uint16, _ string) *exec.Cmd {
		return program(dir, "usr/bin/yaz-ztest", fmt.Sprintf("tcp:127.0.0.1:%d", port))
	})
}

// zebraAttributes says which fields of a record are indexed. The indexes with "s" are for
// sorting.
var zebraAttributes = lines(
	"name books", "attset bib1.att", "esetname F @", "esetname B @", "marc usmarc.mar", "xpath disable", "all any",
	"melm 001 Local-number:0,Local-number:w",
	"melm 008 Date:w:range(data,7,4),Date:s:range(data,7,4)",
	"melm 020$a ISBN:w",
	"melm 035$a Doc-id:u",
	"melm 100 author,author:p,author:s",
	"melm 245 title,title:p,title:s",
	"melm 650 subject-heading,subject-heading:p",
)

// Zebra starts Zebra, a Z39.50 server with an index, with the database "books". Its records
// are ISO 2709 in UTF-8, each with its own number in field 001. It has MARC, XML, GRS-1 and
// SUTRS, scan, sort, and Explain in XML. users has passwords by user names. If it is not
// empty, the server refuses other users.
func Zebra(t testing.TB, records []byte, users map[string]string) *Server {
	t.Helper()
	dir := tree(t, "zebra")
	root := t.TempDir()
	return start(t, root, func(port uint16, scratch string) *exec.Cmd {
		write(t, scratch, "books.abs", zebraAttributes)
		write(t, scratch, "books.mrc", string(records))
		permission, passwords := "perm.anonymous: r", ""
		if users != nil {
			permission = "passwd: " + filepath.Join(scratch, "passwd")
			for user, password := range users {
				permission += "\nperm." + user + ": r"
				passwords += user + ":" + password + "\n"
			}
		}
		write(t, scratch, "passwd", passwords)
		conf := write(t, scratch, "zebra.cfg", lines(
			"profilePath: "+scratch+":"+filepath.Join(dir, "usr/share/idzebra-2.0/tab"),
			"modulePath: "+zebraModules(t, dir),
			"attset: bib1.att", "attset: explain.att", "recordType: grs.marcxml.books", "recordId: (bib1,Local-number)",
			"storeKeys: 1", "storeData: 1", "register: "+scratch+":1G", "lockDir: "+scratch, permission,
		))
		for _, args := range [][]string{{"init"}, {"-d", "books", "update", filepath.Join(scratch, "books.mrc")}} {
			cmd := program(dir, "usr/bin/zebraidx-2.0", append([]string{"-c", conf, "-v", "none"}, args...)...)
			cmd.SysProcAttr, cmd.Dir = attributes(), scratch
			runTool(t, cmd, "")
		}
		return program(dir, "usr/bin/zebrasrv-2.0", "-c", conf, fmt.Sprintf("tcp:127.0.0.1:%d", port))
	})
}

// zebraModules returns the folder with the modules of Zebra.
func zebraModules(t testing.TB, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "usr/lib/*/idzebra-2.0/modules"))
	if err != nil || len(found) == 0 {
		t.Fatalf("peers: the modules of Zebra are missing in %s", dir)
	}
	return found[0]
}

// YAZClient runs the commands, one a line, in yaz-client, for at most a minute. It returns
// the output of yaz-client.
func YAZClient(t testing.TB, commands ...string) string {
	t.Helper()
	out, err := client(t, "yaz", "usr/bin/yaz-client", lines(append(commands, "quit")...), nil, nil)
	check(t, err)
	return out
}

// ZoomSh runs the commands in zoomsh, which prints records unchanged, for at most a minute.
// It returns the output of zoomsh.
func ZoomSh(t testing.TB, commands ...string) string {
	t.Helper()
	out, err := client(t, "yaz", "usr/bin/zoomsh", "", nil, append(commands, "quit"))
	check(t, err)
	return out
}

// Books returns n records of books in MARC 21, for Zebra, with the numbers bk000001 and so
// on, and the docids doc000001 and so on. Their titles have two of ten words, and their
// number.
func Books(n int) []byte {
	words := []string{"sea", "charts", "harbour", "lens", "library", "protocol", "north", "island", "storm", "lighthouse"}
	authors := []string{"Hansen, Ada", "Bruun, Carl", "Müller, Eva"}
	var b bytes.Buffer
	for i := 1; i <= n; i++ {
		year := 1900 + i%100
		b.Write(marcRecord([][2]string{
			{"001", fmt.Sprintf("bk%06d", i)},
			{"008", fmt.Sprintf("940101s%d    dk            000 0 eng  ", year)},
			{"020", fmt.Sprintf("  \x1fa87%08d", i)},
			{"035", fmt.Sprintf("  \x1fadoc%06d", i)},
			{"100", "1 \x1fa" + authors[i%len(authors)]},
			{"245", fmt.Sprintf("10\x1fa%s and %s %d", words[i%10], words[(3*i+1)%10], i)},
			{"260", fmt.Sprintf("  \x1faAarhus :\x1fbHarbour Press,\x1fc%d.", year)},
			{"650", " 0\x1fa" + words[7*i%10]},
		}))
	}
	return b.Bytes()
}

// marcRecord returns a record in ISO 2709 with these fields, each of which is a tag and its
// data.
func marcRecord(fields [][2]string) []byte {
	var directory, data strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&directory, "%s%04d%05d", f[0], len(f[1])+1, data.Len())
		data.WriteString(f[1] + "\x1e")
	}
	const leader = 24
	base := leader + directory.Len() + 1
	return fmt.Appendf(nil, "%05dnam a22%05d a 4500%s\x1e%s\x1d", base+data.Len()+1, base, directory.String(), data.String())
}
