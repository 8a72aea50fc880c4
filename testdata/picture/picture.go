// Command picture runs a session of tsnoop on a terminal and prints it as an SVG image, the
// one that README.md shows. "make picture" runs it in a virtual machine.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/tsnoop/tsnoop/testdata/terminal"
)

// columns is the width of the terminal, in characters.
const columns = 100

// session has the commands that the picture shows. ping runs beside them.
var session = []string{
	`tsnoop --tree 'do_sys_openat2(filename, return)' 'vfs_open(path->dentry->d_name.name)' -- head -n 1 /etc/passwd /no/such`,
	`tsnoop -n 1 'ip_rcv(skb->len > 60, dev->name, ip=*(struct iphdr *)skb->data)'`,
	`tsnoop 'ip_rcv(skbb->len)'`,
}

func main() {
	if err := draw(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func draw(w io.Writer) error {
	ping := exec.Command("ping", "127.0.0.1")
	if err := ping.Start(); err != nil {
		return err
	}
	defer ping.Process.Kill()
	var screen strings.Builder
	for i, command := range session {
		if i > 0 {
			screen.WriteByte('\n')
		}
		fmt.Fprintf(&screen, "\x1b[1m#\x1b[0m %s\n", command)
		if err := run(&screen, command); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return svg(w, screen.String())
}

// run appends what a terminal shows of a command that a shell runs. The status is not
// looked at: of one command the picture shows the error.
func run(screen *strings.Builder, command string) error {
	master, slave, err := terminal.Open(columns)
	if err != nil {
		return err
	}
	defer master.Close()
	cmd := exec.Command("/bin/sh", "-c", command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	if err := cmd.Start(); err != nil {
		return err
	}
	slave.Close()
	shown, _ := io.ReadAll(master) // its end is an error: EIO
	cmd.Wait()
	for line := range strings.Lines(strings.ReplaceAll(string(shown), "\r\n", "\n")) {
		// A warning overwrites the line that was drawn before it.
		if i := strings.LastIndex(line, "\r\x1b[K"); i >= 0 {
			line = line[i+len("\r\x1b[K"):]
		}
		screen.WriteString(line)
	}
	return nil
}
