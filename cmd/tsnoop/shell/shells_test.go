package shell_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/testdata/terminal"
)

// A session is a shell at a terminal, of which the tests are the keyboard and the
// screen.
type session struct {
	t      *testing.T
	master *os.File
	screen bytes.Buffer
}

// wait reads the screen until it has text.
func (s *session) wait(text string) string {
	s.t.Helper()
	s.master.SetReadDeadline(time.Now().Add(time.Minute))
	buf := make([]byte, 4096)
	for !strings.Contains(s.screen.String(), text) {
		n, err := s.master.Read(buf)
		s.screen.Write(buf[:n])
		if bytes.Contains(buf[:n], []byte("\x1b[c")) { // what terminal is this?
			s.master.WriteString("\x1b[?62c")
		}
		if err != nil {
			s.t.Fatalf("%v before %q; the screen is\n%q", err, text, s.screen.String())
		}
	}
	seen, rest, _ := strings.Cut(s.screen.String(), text)
	s.screen.Reset()
	s.screen.WriteString(rest)
	return seen
}

func (s *session) press(keys string) { s.master.WriteString(keys) }

// built compiles tsnoop.
func built(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tsnoop")
	build := exec.Command("go", "build", "-o", name, "github.com/tsnoop/tsnoop/cmd/tsnoop")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return name
}

// start starts a shell that has our completion and a program tsnoop, which does not
// trace but prints its arguments; it completes with the real one.
func start(t *testing.T, shell, tsnoop string) *session {
	program, err := exec.LookPath(shell)
	if err != nil {
		t.Skipf("there is no %s here", shell)
	}
	home := t.TempDir()
	bin := filepath.Join(home, "bin")
	os.Mkdir(bin, 0o755)
	for name, fixture := range map[string]string{"types": "testdata/btf/linux-6.12-amd64.btf", "sample": "testdata/btf/sample.btf", "snoop-mod.btf": "btf/testdata/snoop-mod.btf"} {
		path, err := filepath.Abs("../../../" + fixture)
		if err != nil {
			t.Fatal(err)
		}
		os.Symlink(path, filepath.Join(home, name))
	}
	write := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("bin/tsnoop", `#!/bin/sh
[ "$1" != __complete ] && [ "$1" != completion ] || exec "`+tsnoop+`" "$@"
for arg; do echo "<$arg>"; done
echo "$# arguments."
`, 0o755)
	write(".bashrc", "PS1='READY> '\nbind 'set bell-style none'\nbind 'set enable-bracketed-paste off'\nsource <(tsnoop completion bash)\n", 0o644)
	write(".zshrc", "PS1='READY> '\nunsetopt beep prompt_sp prompt_cr\nautoload -U compinit && compinit -u\nsource <(tsnoop completion zsh)\n", 0o644)
	args := map[string][]string{
		"bash": {"--rcfile", filepath.Join(home, ".bashrc"), "--noprofile", "-i"},
		"zsh":  {"-d", "-i"},
		"fish": {"--no-config", "-i", "-C", "function fish_prompt; echo 'READY> '; end; function fish_greeting; end; tsnoop completion fish | source"},
	}
	cmd := exec.Command(program, args[shell]...)
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "ZDOTDIR=" + home, "PATH=" + bin + ":" + os.Getenv("PATH"), "TERM=vt100", "LANG=C.UTF-8"}
	master, slave, err := terminal.Open(100)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		master.Close()
	})
	s := &session{t: t, master: master}
	s.wait("READY> ")
	return s
}

// TestShellsShow has the shells list what there is to choose from.
func TestShellsShow(t *testing.T) {
	tsnoop := built(t)
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			s := start(t, shell, tsnoop)
			tabs := map[string]string{"bash": "\t\t", "zsh": "\t", "fish": "\t"}
			s.press("tsnoop --btf types --arch amd64 'ip_rcv(skb->dev->name_" + tabs[shell])
			s.wait("name_assign_type")
			s.press("n\t)'\r")
			s.wait(" arguments.")
			s.wait("READY> ")
			pid := likePid(t)
			s.press("tsnoop -p " + pid[:len(pid)-1] + tabs[shell])
			s.wait("sleep")
			s.press(pid[len(pid)-1:] + "\r")
			if seen := s.wait(" arguments."); !strings.Contains(seen, "<"+pid+">") {
				t.Errorf("the screen is\n%s", seen)
			}
			s.wait("READY> ")
			s.press(fmt.Sprintf("tsnoop --btf types -p %d\t 'ip_rcv(skb)'\r", os.Getpid()))
			if seen := s.wait(" arguments."); !strings.Contains(seen, fmt.Sprintf("<%d", os.Getpid())) {
				t.Errorf("the screen is\n%s", seen)
			}
		})
	}
}

// likePid is a process that sleeps, beside another that differs in the last digit only.
func likePid(t *testing.T) string {
	for last := ""; ; {
		cmd := exec.Command("sleep", "1000")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			cmd.Process.Kill()
			cmd.Wait()
		})
		pid := fmt.Sprint(cmd.Process.Pid)
		if head := pid[:len(pid)-1]; head != "" && strings.HasPrefix(last, head) && len(last) == len(pid) {
			return pid
		}
		last = pid
	}
}

// TestShells types lines with tabs into the shells and looks what arguments come.
func TestShells(t *testing.T) {
	tsnoop := built(t)
	const types = "--btf types --arch amd64 "
	const module = "--btf sample --btf snoop-mod.btf --arch amd64 "
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			s := start(t, shell, tsnoop)
			for _, c := range []struct{ keys, want string }{
				{types + "'ip_rcv(skb->dev->name_n\t)'", "ip_rcv(skb->dev->name_node)"},
				{types + "'vfs_read(fil\t->f_ino\t->i_sb->s_typ\t->nam\t)'", "vfs_read(file->f_inode->i_sb->s_type->name)"},
				{types + "'ip_rcv(skb->len) if skb->pro\t == ETH_P_IPV\t'", "ip_rcv(skb->len) if skb->protocol == ETH_P_IPV6"},
				{types + "'ip_rcv(return == -ENOEN\t)'", "ip_rcv(return == -ENOENT)"},
				{types + "'ip_rcv(skb->len:u3\t)'", "ip_rcv(skb->len:u32)"},
				{types + "\"ip_rcv(skb->dev->name_n\t)\"", "ip_rcv(skb->dev->name_node)"},
				{types + "ip_rc\t", "ip_rcv"},
				{module + "mod_rc\t", "mod_rcv"},
				{module + "snoop_mod:mod_rc\t", "snoop_mod:mod_rcv"},
				{module + "'snoop_mod:mod_rcv(pri\t->fla\t)'", "snoop_mod:mod_rcv(priv->flags)"},
				{module + "'mod_frame(f->inn\t)'", "mod_frame(f->inner)"}, // in an anonymous struct of a union
				{module + "'mod_state() if return == MOD_U\t'", "mod_state() if return == MOD_UP"},
				{types + "'vfs_read(since(fil\t, coun\t > 5))'", "vfs_read(since(file, count > 5))"},
				{"--wait-m\t", "--wait-module"},
				{"@tcpc\t", "@tcpconnect"},
				{"list @mou\t", "@mounts"},
				{types + "'ip_nothing() | ip_rcv(skb->dev->name_n\t)'", "ip_nothing() | ip_rcv(skb->dev->name_node)"},
				{"--time=del\t", "--time=delta"},
				{"--time del\t", "delta"},
				{types + "repla\t", "replay"},
				{types + "ip_rcv\\(skb-\\>dev-\\>name_n\t\\)", "ip_rcv(skb->dev->name_node)"},
				{types + "'ip_rcv(skb->data_le\t > 5 && $com\t == \"x y\")'", `ip_rcv(skb->data_len > 5 && $comm == "x y")`},
				{"--btf typ\t", "types"},
				{"x -- tsnoo\t", "tsnoop"},
			} {
				s.press("tsnoop " + c.keys + "\r")
				seen := s.wait(" arguments.")
				s.wait("READY> ")
				if !strings.Contains(seen, "<"+c.want+">") {
					t.Errorf("%q: the screen is\n%s", c.keys, seen)
				}
			}
		})
	}
}
