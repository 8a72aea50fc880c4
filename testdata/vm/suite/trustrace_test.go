//go:build vm

package suite

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestTrustLinks: links and files of another user are refused by name and owner wherever
// tsnoop would write, and what they lead to stays as it is.
func TestTrustLinks(t *testing.T) {
	secret := t.TempDir() + "/secret"
	dir := t.TempDir()
	refused := 0
	for _, mode := range []uint32{0o1777, 0o777} {
		unix.Chmod(dir, mode)
		for _, args := range [][]string{{"record", "-o", dir + "/x"}, {"record", "--recover", dir + "/x"}, {"-o", dir + "/x"}} {
			for _, suffix := range []string{"", ".head", ".tmp", ".cpu0"} {
				if suffix != "" && args[0] == "-o" || suffix == ".tmp" && args[1] == "--recover" || suffix == ".cpu0" && args[1] == "--recover" {
					continue // not a file that it uses, or not before there is a head
				}
				for _, kind := range racingKinds[:2] {
					os.WriteFile(secret, []byte(precious), 0o644)
					file, holds := dir+"/x"+suffix, secret
					if kind == "file" {
						os.WriteFile(file, []byte(precious), 0o666)
						holds = file
					} else if err := os.Symlink(secret, file); err != nil {
						t.Fatal(err)
					}
					os.Lchown(file, mallory, mallory)
					command := append([]string{"tsnoop"}, args...)
					if args[1] != "--recover" {
						command = append(command, "vfs_read", "--", "cat", "/proc/version")
					}
					out, status := rightly(nil, command...)
					b, _ := os.ReadFile(holds)
					if status != 2 || !strings.Contains(out, file+" is a "+kind+" of user 4711") || string(b) != precious {
						t.Errorf("%s: status %d: %s; %s has %q", command, status, out, holds, b)
					}
					refused++
					os.Remove(file)
				}
			}
		}
	}
	figure(t, "links and files of others refused", refused)
}

const (
	precious = "precious"
	mallory  = 4711
)

// A race is another user against tsnoop, in a directory that both can write.
type race struct {
	dir    string
	secret string // a file of root's, which links lead to
	theirs string // a file of the other user, of which dir gets further names
	kinds  []string

	won   atomic.Int64 // how often something of theirs was where tsnoop writes
	taken atomic.Int64 // how often it was gone before they removed it
}

// newRace makes the directory and the files.
func newRace(t *testing.T, mode uint32) *race {
	t.Helper()
	outside := t.TempDir()
	r := &race{dir: t.TempDir(), secret: outside + "/secret", theirs: outside + "/theirs"}
	for name, uid := range map[string]int{r.secret: 0, r.theirs: mallory} {
		if err := cmp.Or(os.WriteFile(name, []byte(precious), 0), os.Chmod(name, 0o666), os.Chown(name, uid, uid)); err != nil {
			t.Fatal(err)
		}
	}
	for dir := filepath.Dir(outside); dir != os.TempDir(); dir = filepath.Dir(dir) {
		os.Chmod(dir, 0o755)
	}
	unix.Chmod(outside, 0o755)
	unix.Chmod(r.dir, mode)
	r.kinds = racingKinds
	if mode&unix.S_ISVTX != 0 {
		r.kinds = racingKinds[:2] // nobody but root could remove a link to a file of root's again
	}
	return r
}

// untouched fails if what is outside of the directory is not as it was.
func (r *race) untouched(t *testing.T, when string) {
	t.Helper()
	for _, name := range []string{r.secret, r.theirs} {
		if b, err := os.ReadFile(name); string(b) != precious {
			t.Errorf("%s: %s has %q, %v", when, filepath.Base(name), b, err)
		}
	}
	if names, err := os.ReadDir(filepath.Dir(r.secret)); len(names) != 2 {
		t.Errorf("%s: beside them there are %v, %v", when, names, err)
	}
}

// against has the other user do something while tsnoop does.
func against(do func(end chan bool), tsnoop func()) {
	end, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		runtime.LockOSThread() // and never unlocked: the thread ends with its user
		// A name is held for less time than test.sh lets a sleep be late.
		unix.Prctl(unix.PR_SET_TIMERSLACK, 50_000, 0, 0, 0)
		unix.RawSyscall(unix.SYS_SETRESGID, mallory, mallory, mallory)
		unix.RawSyscall(unix.SYS_SETRESUID, mallory, mallory, mallory)
		do(end)
	}()
	tsnoop()
	close(end)
	<-ended
}

var racingKinds = []string{"symbolic link", "file", "hard link"}

// put gives something of theirs a name where tsnoop writes.
func (r *race) put(kind, name string) error {
	other := r.dir + "/other"
	os.Remove(other)
	var err error
	switch kind {
	case "symbolic link":
		err = os.Symlink(r.secret, other)
	case "hard link":
		err = os.Link(r.secret, other)
	case "file":
		err = os.Link(r.theirs, other)
	}
	if err = cmp.Or(err, os.Rename(other, name)); err == nil {
		r.won.Add(1)
	}
	return err
}

// tidy removes what tsnoop has made: in a sticky directory nothing else could be there then.
func (r *race) tidy() {
	made, _ := filepath.Glob(r.dir + "/x*")
	for _, name := range made {
		var st unix.Stat_t
		if unix.Lstat(name, &st) == nil && st.Uid == 0 {
			os.Remove(name)
		}
	}
}

// replace waits until tsnoop has made a file, and puts something in its place.
func (r *race) replace(kind, name string, end chan bool) {
	for {
		select {
		case <-end:
			return
		default:
		}
		var st unix.Stat_t
		if unix.Lstat(name, &st) == nil && st.Uid == 0 && r.put(kind, name) == nil {
			return
		}
	}
}

// everywhere puts things wherever tsnoop writes, over and over, for longer and shorter times.
func (r *race) everywhere(end chan bool) {
	for i := 0; ; i++ {
		for j, suffix := range []string{"", ".tmp", ".head", ".sum", ".cpu0", ".cpu1"} {
			select {
			case <-end:
				return
			default:
			}
			name := r.dir + "/x" + suffix
			if r.put(r.kinds[(i+j)%len(r.kinds)], name) != nil {
				continue
			}
			hold := time.Duration(i%8) * time.Millisecond
			if suffix == "" && i%2 == 1 { // which each command looks at once
				hold = 25 * time.Millisecond
			}
			ts := unix.NsecToTimespec(hold.Nanoseconds())
			unix.Nanosleep(&ts, nil)
			if errors.Is(os.Remove(name), os.ErrNotExist) {
				r.taken.Add(1)
			}
		}
	}
}

// refusals are what tsnoop reports of files in the directory: whose they are, or that they
// were there or gone for a moment only.
var refusals = regexp.MustCompile(`(?m)^tsnoop: (?:cannot write the (?:recording|output): )?\S+/x(?:\.\w+)? (?:` +
	`is a (?:symbolic link|file) of user 4711: tsnoop does not use it|` +
	`was replaced by a (?:symbolic link|file) of user (?:4711|0) while tsnoop was (?:opening|writing) it|` +
	`is a hard link to a file of user (?:4711|0) that another user can have made|` +
	`(was removed or renamed by somebody while tsnoop was (?:opening|writing) it|is in the way))(?:; |$)`)

// unclear is what tsnoop reports of files that have changed again before it could see whose
// they are.
var unclear = regexp.MustCompile(`(?m)^tsnoop: (?:nothing to recover for |nothing was recorded to |a recorder that was killed has left its pages in )`)

// TestTrustRace: another user renames files and links to where tsnoop writes, while it
// writes. tsnoop reports each, names file and owner, and writes to no file but its own.
func TestTrustRace(t *testing.T) {
	won, refused, gone := 0, 0, 0
	// In the place of a file that tsnoop has just made.
	for i, suffix := range []string{".head", ".sum", ".cpu0", ".tmp"} {
		r, kind := newRace(t, 0o777), racingKinds[i%2]
		var out string
		var status int
		for n := 0; r.won.Load() == 0 && n < 50; n++ {
			r.tidy()
			against(func(end chan bool) { r.replace(kind, r.dir+"/x"+suffix, end) }, func() {
				out, status = rightly(nil, "taskset", "1", "tsnoop", "record", "-o", r.dir+"/x", "generic_file_llseek(offset)", "--", "load", "seek", "1")
			})
			if status == 0 { // it came too late: x has the whole recording
				r.won.Store(0)
				os.Remove(r.dir + "/x" + suffix)
			}
		}
		r.untouched(t, suffix)
		name := "\\" + suffix
		if suffix == ".tmp" {
			name = "(" + name + ")?" // put there just before tsnoop renames x.tmp, it is x when tsnoop looks
		}
		want := regexp.MustCompile("/x" + name + " (is|was replaced by) a " + kind + " of user 4711")
		if r.won.Load() != 1 || status != 1 || !want.MatchString(out) {
			t.Errorf("%s in the place of x%s: put there %d times, status %d\n%s", kind, suffix, r.won.Load(), status, out)
		}
		won++
	}
	// Anywhere at any time, until each command was refused.
	commands := []string{"record -o X generic_file_llseek(offset) -- load seek 1", "record --recover X", "-o X generic_file_llseek(offset) -- load seek 1"}
	for _, mode := range []uint32{0o777, 0o1777} {
		r := newRace(t, mode)
		against(r.everywhere, func() {
			for _, command := range commands {
				before := refused
				for n := 0; n < size(1, 40) || refused == before && n < 100; n++ {
					r.tidy()
					out, status := rightly(nil, append([]string{"tsnoop"}, strings.Fields(strings.ReplaceAll(command, "X", r.dir+"/x"))...)...)
					m := refusals.FindStringSubmatch(out)
					switch {
					case m == nil && status != 0 && !unclear.MatchString(out):
						t.Errorf("%o: %s: status %d\n%s", mode, command, status, out)
					case m == nil:
					case status == 0:
						t.Errorf("%o: %s: status 0\n%s", mode, command, out)
					case m[1] != "":
						gone++
					default:
						refused++
					}
				}
				if refused == before {
					t.Errorf("%o: %s: was never refused", mode, command)
				}
			}
		})
		r.untouched(t, fmt.Sprintf("%o", mode))
		// Where the sticky bit does not keep users from the files of others, a file can be
		// exchanged between the last look at it and its removal.
		if taken := r.taken.Load(); mode == 0o1777 && taken > 0 {
			t.Errorf("%d of %d files and links were removed", taken, r.won.Load())
		}
		t.Logf("%o: put there %d times, of them removed by tsnoop %d", mode, r.won.Load(), r.taken.Load())
		won += int(r.won.Load())
	}
	figure(t, "files and links of others put where tsnoop writes", won)
	figure(t, "of them refused by name and owner", refused)
	figure(t, "of them there, or files of tsnoop gone, for a moment", gone)
}
