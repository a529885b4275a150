package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestImportBoundsTheMemoryOfAProgram verifies that a jq program that requests too much memory in one step fails only
// for its record. The import names and rejects that record and imports the others. Neither the import nor the process
// of the program exceeds its memory limit.
func TestImportBoundsTheMemoryOfAProgram(t *testing.T) {
	file := apptest.Binary(t)
	const most = 256
	for name, greedy := range map[string]string{
		"a text that is repeated":  `"x" * 1000000000 | length`,
		"an array that grows":      `[range(1e12) | tostring * 5000] | length`,
		"a place far behind":       `[] | .[500000000] = 1 | length`,
		"values that hold another": `reduce range(40) as $i ([1]; [., .]) | tojson | length`,
		"many large lines":         `range(9000) | "x" * 100000`,
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			program := filepath.Join(folder, "greedy.jq")
			text := `if . == 2 then ` + greedy + ` else {format: 1, kind: "topic", ref: tostring, name: "Topic \(.)"} end`
			if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			command := exec.Command(file, "import", "--data", filepath.Join(folder, "data"), "--jq", program,
				"--jq-memory", fmt.Sprint(most), "--jq-time", "5m", "-") // a busy machine may need long to fill the memory
			command.Stdin = strings.NewReader("1\n2\n3\n")
			output, err := command.CombinedOutput()
			if status := command.ProcessState.ExitCode(); status != 1 {
				t.Errorf("the status is %d: %v", status, err)
			}
			problem := "jq: needs more than 256 MiB of memory"
			if name == "many large lines" {
				problem = "jq: more than 16777216 bytes of lines of one record"
			}
			if !strings.Contains(string(output), ":2 (output ") || !strings.Contains(string(output), problem) {
				t.Errorf("the output is %s", output)
			}
			usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage)
			if !ok {
				t.Fatal("no usage is known")
			}
			if used := usage.Maxrss >> 10; used > 3*most { // of the import, or of the largest of its processes
				t.Errorf("%d MiB were in use", used)
			}
			again := exec.Command(file, "import", "--data", filepath.Join(folder, "data"), "--jq", program, "-")
			again.Stdin = strings.NewReader("1\n3\n")
			if output, err := again.CombinedOutput(); err != nil || !strings.Contains(string(output), "2") {
				t.Errorf("%v: %s", err, output)
			}
		})
	}
}

// TestImportBoundsTheTimeOfAProgram verifies that a record for which a jq program takes too long is rejected alone.
func TestImportBoundsTheTimeOfAProgram(t *testing.T) {
	file, folder := apptest.Binary(t), t.TempDir()
	program := filepath.Join(folder, "endless.jq")
	text := `if . == 2 then last(range(1e15)) else {format: 1, kind: "topic", ref: tostring, name: "Topic \(.)"} end`
	if err := os.WriteFile(program, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(file, "import", "--data", filepath.Join(folder, "data"), "--jq", program, "--jq-time", "1s", "-")
	command.Stdin = strings.NewReader("1\n2\n")
	output, err := command.CombinedOutput()
	if command.ProcessState.ExitCode() != 1 || !strings.Contains(string(output), ":2 (output 1): jq: took more than 1s") {
		t.Errorf("%v: %s", err, output)
	}
}
