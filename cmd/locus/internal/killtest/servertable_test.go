package killtest

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"locus/internal/peers"
)

var update = flag.Bool("update", false, "rewrite the tables of servers in doc/ftp-servers.md and doc/deploy.md")

// A table is a part of a document: one row for each server, with the results of its trial.
type table struct {
	file          string
	before, after string // the text around it
	rows          map[string]row

	mu sync.Mutex
}

// A row is a server, its version and its cells. The version is not compared, because another release
// of Debian has another one.
type row struct {
	version string
	cells   []string
}

const (
	tableBegins = "<!-- servers: written by go test ./cmd/locus/internal/killtest -run Servers -update -->\n"
	tableEnds   = "<!-- end of servers -->\n"
	tableHead   = "| Server | Version | ls | mirror | put -r | --delete | A file resumes | TLS | Wrong password |\n|---|---|---|---|---|---|---|---|---|\n"
)

// openTable reads the table of a document. With -update it writes the document after the trials of
// the servers.
func openTable(t *testing.T, document string, servers []server) *table {
	d := &table{file: filepath.Join("../../../..", document), rows: make(map[string]row)}
	text, err := os.ReadFile(d.file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), tableBegins)
	rows, after, ok2 := strings.Cut(rest, tableEnds)
	if !ok || !ok2 {
		t.Fatalf("%s lacks the lines %q and %q", document, tableBegins, tableEnds)
	}
	d.before, d.after = before+tableBegins, tableEnds+after
	for line := range strings.Lines(strings.TrimPrefix(rows, tableHead)) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		d.rows[cells[0]] = row{cells[1], cells[2:]}
	}
	t.Cleanup(func() {
		if *update {
			d.write(t, servers)
		}
	})
	return d
}

// check compares the cells of a server with the table, or keeps them if the table is updated.
func (d *table) check(t *testing.T, s server, cells []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if *update {
		d.rows[s.name] = row{peers.Version(t, s.peer, s.module), cells}
		return
	}
	if want := d.rows[s.name].cells; !slices.Equal(cells, want) {
		t.Errorf("the results of %s are\n%s, in the table they are\n%s: see `%s`", s.name, strings.Join(cells, " | "), strings.Join(want, " | "), strings.TrimSpace(tableBegins))
	}
}

func (d *table) write(t *testing.T, servers []server) {
	var b strings.Builder
	b.WriteString(d.before + tableHead)
	for _, s := range servers {
		if r, ok := d.rows[s.name]; ok {
			b.WriteString("| " + strings.Join(append([]string{s.name, r.version}, r.cells...), " | ") + " |\n")
		}
	}
	b.WriteString(d.after)
	if err := os.WriteFile(d.file, []byte(b.String()), 0o644); err != nil {
		t.Error(err)
	}
}
