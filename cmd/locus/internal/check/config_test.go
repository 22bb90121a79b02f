package check

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"locus/cmd/locus/internal/checkconfig"
)

// The configuration of --init names every key of a host. It is valid unchanged, and also after its
// comments become keys. The manual names every key, too.
func TestInitialConfig(t *testing.T) {
	manual, err := os.ReadFile("../../../../doc/check-hosts.md")
	if err != nil {
		t.Fatal(err)
	}
	commented := regexp.MustCompile(`(?m)^# ([a-z-]+ = |\[\[)`).ReplaceAllString(initialConfig, "$1")
	for field := range reflect.TypeFor[checkconfig.Host]().Fields() {
		key := field.Tag.Get("toml")
		if !strings.Contains(commented, "\n"+key+" = ") {
			t.Errorf("the configuration of --init does not name the key %q", key)
		}
		if !strings.Contains(string(manual), "| `"+key+"`") {
			t.Errorf("the manual does not name the key %q", key)
		}
	}
	for _, text := range []string{initialConfig, commented} {
		values, hosts, err := checkconfig.Parse([]byte(text), configFlags())
		if err != nil {
			t.Fatalf("Parse = %v for\n%s", err, text)
		}
		if (len(values) > 5) != (text == commented) || len(hosts) != len(values)/6 {
			t.Errorf("%d flags and %d hosts in\n%s", len(values), len(hosts), text)
		}
		for _, host := range hosts {
			if _, err := host.Rule(func(string) (string, error) { return "x", nil }); err != nil {
				t.Errorf("Rule of the host %+v: %v", host, err)
			}
		}
	}
}
