package pure

import (
	"os"
	"testing"
)

func TestPure(t *testing.T) {
	if err := os.Mkdir(os.Getenv("FIRST")+"/pure", 0o700); err == nil {
		t.Error("it is the first time")
	}
}
