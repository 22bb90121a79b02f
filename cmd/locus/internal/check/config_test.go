package check

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"locus/cmd/locus/internal/checkconfig"
)

// What --init writes has every key of a host, is valid as it is, and is valid without its
// comments. So is the manual.
func TestInitialConfig(t *testing.T) {
	manual, err := os.ReadFile("../../../../doc/check-hosts.md")
	if err != nil {
		t.Fatal(err)
	}
	commented := regexp.MustCompile(`(?m)^# ([a-z-]+ = |\[\[)`).ReplaceAllString(initialConfig, "$1")
	for field := range reflect.TypeFor[checkconfig.Host]().Fields() {
		key := field.Tag.Get("toml")
		if !strings.Contains(commented, "\n"+key+" = ") {
			t.Errorf("--init writes no key %q", key)
		}
		if !strings.Contains(string(manual), "| `"+key+"`") {
			t.Errorf("the manual has no key %q", key)
		}
	}
	for _, text := range []string{initialConfig, commented} {
		values, hosts, err := checkconfig.Parse([]byte(text), configFlags())
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if (len(values) > 5) != (text == commented) || len(hosts) != len(values)/6 {
			t.Errorf("%d flags and %d hosts are set in\n%s", len(values), len(hosts), text)
		}
		for _, host := range hosts {
			if _, err := host.Rule(func(string) (string, error) { return "x", nil }); err != nil {
				t.Error(err)
			}
		}
	}
}
