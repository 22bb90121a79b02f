package disturbed

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// failOnce fails the first time that it is called in a folder FIRST.
func failOnce(t *testing.T) {
	name := filepath.Join(os.Getenv("FIRST"), filepath.Base(t.Name()))
	if err := os.Mkdir(name, 0o700); err == nil {
		t.Error("it is the first time")
	}
}

func TestProgram(t *testing.T) {
	if err := exec.Command("go", "version").Run(); err != nil {
		t.Error(err)
	}
}

func TestOnce(t *testing.T) { t.Run("sub", failOnce) }

func TestAlways(t *testing.T) { t.Error("always") }

func TestRace(t *testing.T) {
	t.Log("WARNING: DATA RACE")
	failOnce(t)
}

func TestPanic(t *testing.T) {
	if failOnce(t); t.Failed() {
		panic("it is the first time")
	}
}

func TestMany1(t *testing.T) { failOnce(t) }
func TestMany2(t *testing.T) { failOnce(t) }
func TestMany3(t *testing.T) { failOnce(t) }
func TestMany4(t *testing.T) { failOnce(t) }

func TestSkipped(t *testing.T) {
	if failOnce(t); !t.Failed() {
		t.Skip("it is not the first time")
	}
}
