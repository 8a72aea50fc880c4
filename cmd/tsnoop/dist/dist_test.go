// Package dist_test installs, uses and removes the packages that dist.sh makes.
package dist_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// said is what a command writes. It runs in dir, with more in its environment.
func said(t *testing.T, dir string, more []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), more...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// program is a command that must be there.
func program(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("there is no %s here", name)
	}
}

// checkout makes a repository of the files as they are now, with one commit.
func checkout(t *testing.T, dir string) {
	t.Helper()
	if err := os.CopyFS(dir, sources{os.DirFS("../../..")}); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "all")
}

// sources are the files except git's and those that were built.
type sources struct{ fs.FS }

func (s sources) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(s.FS, name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() == ".git" || name == "." && (e.Name() == "tsnoop" || e.Name() == "tsnoop-export" || e.Name() == "dist")
	}), err
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	said(t, dir, []string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z"}, "git", args...)
}

// TestDist makes packages of a tag twice, in other directories, time zones and by other
// users' settings: the bytes are the same. It installs each, uses and removes it.
func TestDist(t *testing.T) {
	arch := runtime.GOARCH
	if arch != "amd64" && arch != "arm64" {
		t.Skipf("there are no packages for %s", arch)
	}
	for _, name := range []string{"git", "tar", "dpkg", "rpm"} {
		program(t, name)
	}
	dist, err := os.ReadFile("dist.sh")
	if err != nil {
		t.Fatal(err)
	}
	nfpm := regexp.MustCompile(`github\.com/goreleaser/nfpm\S+@v[0-9.]+`).Find(dist)
	cmd := exec.Command("go", "run", string(nfpm), "--version")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath") // as dist.sh: compiled once
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("there is no nfpm to be had: %s", out)
	}

	work := t.TempDir()
	one, two := filepath.Join(work, "one"), filepath.Join(work, "another directory")
	checkout(t, one)
	git(t, one, "tag", "v1.2.3")
	git(t, work, "clone", "-q", one, two)
	script := "cmd/tsnoop/dist/dist.sh"
	sums := said(t, one, []string{"OUT=" + work + "/made"}, "./"+script, arch)
	again := said(t, two, []string{"TZ=Asia/Tokyo", "LANG=de_DE.UTF-8", "LC_ALL=", "USER=else", "LOGNAME=else", "TMPDIR=" + work},
		"sh", "-c", "umask 077; exec "+script+" "+arch)
	if sums != again {
		t.Errorf("the same commit made\n%sand\n%s", sums, again)
	}
	for _, pkg := range strings.Fields(sums) {
		if file := filepath.Join(work, "made", pkg); strings.Contains(pkg, "tsnoop") {
			leaks(t, file, work)
		}
	}

	t.Run("deb", func(t *testing.T) { testDeb(t, filepath.Join(work, "made", "tsnoop_1.2.3_"+arch+".deb")) })
	t.Run("lintian", func(t *testing.T) { testLintian(t, filepath.Join(work, "made", "tsnoop_1.2.3_"+arch+".deb")) })
	t.Run("rpm", func(t *testing.T) {
		testRPM(t, filepath.Join(work, "made", "tsnoop-1.2.3-1."+map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[arch]+".rpm"))
	})
	t.Run("tarball", func(t *testing.T) {
		name, root := "tsnoop-1.2.3-linux-"+arch, t.TempDir()
		said(t, root, nil, "tar", "-xf", filepath.Join(work, "made", name+".tar.gz"))
		for _, file := range []string{"README.md", "LICENSE", "SECURITY.md", "CHANGELOG.md", "man/tsnoop.8.gz", "man/tsnoop-export.1.gz", "completion/tsnoop.zsh", "completion/tsnoop-export.zsh", "presets/opens.tsnoop"} {
			if _, err := os.Stat(filepath.Join(root, name, file)); err != nil {
				t.Error(err)
			}
		}
		dir := filepath.Join(root, name)
		listsParts(t, dir+"/tsnoop", dir+"/NOTICE", dir+"/tsnoop.cdx.json")
		listsParts(t, dir+"/tsnoop-export", dir+"/NOTICE", dir+"/tsnoop-export.cdx.json")
		info, err := os.Stat(dir + "/tsnoop")
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > mostBytes {
			t.Errorf("tsnoop has %d bytes, more than %d: see Size in CONTRIBUTING.md", info.Size(), mostBytes)
		}
		works(t, root, "/"+name+"/tsnoop")
	})
	t.Run("without a tag", func(t *testing.T) {
		git(t, one, "tag", "-d", "v1.2.3")
		said(t, one, []string{"CGO_ENABLED=0"}, "go", "build", "-buildvcs=true", "-trimpath", "-ldflags=-s -w", "-o", "built", "./cmd/tsnoop")
		if got := said(t, one, nil, "./built", "--version"); !regexp.MustCompile(`^tsnoop v0\.0\.0-20260102030405-[0-9a-f]{12}\n$`).MatchString(got) {
			t.Errorf("version %q", got)
		}
	})
}

// mostBytes is the most that the program may have, stripped: a little more than it has.
const mostBytes = 9_700_000

// leaks looks for this host in a package.
func leaks(t *testing.T, file, dir string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	host, _ := os.Hostname()
	for _, word := range []string{host, dir} {
		if len(word) > 3 && word != "localhost" && bytes.Contains(b, []byte(word)) {
			t.Errorf("%s has %q", filepath.Base(file), word)
		}
	}
}

func testDeb(t *testing.T, pkg string) {
	root := t.TempDir()
	for _, dir := range []string{"updates", "info", "triggers"} {
		os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755)
	}
	os.WriteFile(filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644)
	before := tree(t, root)
	asRoot(t, "dpkg", "--root="+root, "--log=/dev/null", "-i", pkg)
	installed(t, root, before, "/usr/share/zsh/vendor-completions/_tsnoop", "/usr/share/zsh/vendor-completions/_tsnoop-export", "/usr/share/doc/tsnoop/copyright",
		"/usr/share/doc/tsnoop/changelog.gz", "/usr/share/lintian/overrides/tsnoop", "/usr/share/doc/tsnoop/NOTICE")
	listsParts(t, root+"/usr/bin/tsnoop", root+"/usr/share/doc/tsnoop/NOTICE", root+"/usr/share/doc/tsnoop/tsnoop.cdx.json")
	listsParts(t, root+"/usr/bin/tsnoop-export", root+"/usr/share/doc/tsnoop/NOTICE", root+"/usr/share/doc/tsnoop/tsnoop-export.cdx.json")
	works(t, root, "/usr/bin/tsnoop")
	asRoot(t, "dpkg", "--root="+root, "--log=/dev/null", "--purge", "tsnoop")
	if after := tree(t, root); !slices.Equal(before, after) {
		t.Errorf("before: %q, after: %q", before, after)
	}
}

// testLintian checks a deb against Debian's policy: there is no error and no warning,
// except those that are overridden with a reason.
func testLintian(t *testing.T, pkg string) {
	program(t, "lintian")
	if out := said(t, "/", nil, "lintian", "--fail-on=none", "--allow-root", pkg); strings.TrimSpace(out) != "" {
		t.Errorf("lintian: %s", out)
	}
	if out := said(t, "/", nil, "dpkg-deb", "--info", pkg); strings.Contains(out, "conffiles") {
		t.Errorf("there are no conffiles to list: %s", out)
	}
}

func testRPM(t *testing.T, pkg string) {
	root := t.TempDir()
	asRoot(t, "rpm", "--root="+root, "--initdb")
	before := tree(t, root)
	asRoot(t, "rpm", "--root="+root, "--nosignature", "-i", pkg)
	asRoot(t, "rpm", "--root="+root, "-V", "tsnoop")
	installed(t, root, before, "/usr/share/zsh/site-functions/_tsnoop", "/usr/share/zsh/site-functions/_tsnoop-export", "/usr/share/licenses/tsnoop/LICENSE", "/usr/share/licenses/tsnoop/NOTICE")
	listsParts(t, root+"/usr/bin/tsnoop", root+"/usr/share/licenses/tsnoop/NOTICE", root+"/usr/share/doc/tsnoop/tsnoop.cdx.json")
	listsParts(t, root+"/usr/bin/tsnoop-export", root+"/usr/share/licenses/tsnoop/NOTICE", root+"/usr/share/doc/tsnoop/tsnoop-export.cdx.json")
	works(t, root, "/usr/bin/tsnoop")
	asRoot(t, "rpm", "--root="+root, "-e", "tsnoop")
	// The package owns what is its own; the directories that all packages share it does not.
	for _, file := range tree(t, root) {
		if !slices.Contains(before, file) && strings.Contains(file, "tsnoop") {
			t.Errorf("%s is left", file)
		}
	}
}

// asRoot runs a command as root, or as what the kernel takes for it.
func asRoot(t *testing.T, name string, args ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		name, args = "unshare", append([]string{"-r", name}, args...)
	}
	said(t, "/", []string{"PATH=" + os.Getenv("PATH") + ":/usr/sbin:/sbin"}, name, args...)
}

// tree lists the files below root, except the databases of dpkg and rpm.
func tree(t *testing.T, root string) []string {
	var found []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		path = strings.TrimPrefix(path, root)
		if path == "/var/lib/dpkg" || strings.HasSuffix(path, "/rpm") || strings.HasSuffix(path, "/.rpmdb") {
			return fs.SkipDir
		}
		found = append(found, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// installed compares what a package has brought with what it should.
func installed(t *testing.T, root string, before []string, own ...string) {
	t.Helper()
	programs := []string{"/usr/bin/tsnoop", "/usr/bin/tsnoop-export"}
	want := append(slices.Concat(own, programs),
		"/usr/share/bash-completion/completions/tsnoop-export", "/usr/share/fish/vendor_completions.d/tsnoop-export.fish",
		"/usr/share/man/man1/tsnoop-export.1.gz", "/usr/share/doc/tsnoop/tsnoop-export.cdx.json",
		"/usr/share/bash-completion/completions/tsnoop", "/usr/share/fish/vendor_completions.d/tsnoop.fish",
		"/usr/share/man/man8/tsnoop.8.gz", "/usr/share/man/man7/tsnoop-spec.7.gz", "/usr/share/man/man7/tsnoop-json.7.gz",
		"/usr/share/doc/tsnoop/README.md", "/usr/share/doc/tsnoop/SECURITY.md", "/usr/share/doc/tsnoop/CHANGELOG.md", "/usr/share/doc/tsnoop/tsnoop.cdx.json")
	presets, err := filepath.Glob("../preset/presets/*.tsnoop")
	if err != nil || len(presets) == 0 {
		t.Error(err, presets)
	}
	for _, file := range presets {
		want = append(want, "/usr/share/doc/tsnoop/examples/"+filepath.Base(file))
	}
	for _, file := range tree(t, root) {
		info, err := os.Lstat(filepath.Join(root, file))
		switch i := slices.Index(want, file); {
		case err != nil:
			t.Error(err)
		case slices.Contains(before, file) || info.IsDir() && info.Mode().Perm() == 0o755:
		case i < 0:
			t.Errorf("unexpected file %s, %s", file, info.Mode())
		case slices.Contains(programs, file) && info.Mode() != 0o755, !slices.Contains(programs, file) && info.Mode() != 0o644:
			t.Errorf("%s: %s", file, info.Mode())
		default:
			want = slices.Delete(want, i, i+1)
		}
	}
	for _, file := range want {
		t.Errorf("%s is not there", file)
	}
}

// works uses the program in root, where there is nothing else: no library, no file of
// types and no /proc.
func works(t *testing.T, root, path string) {
	t.Helper()
	for from, to := range map[string]string{"btf/linux-6.12-amd64.btf": "types", "recordings/sample.dat": "recording"} {
		b, err := os.ReadFile(filepath.Join("../../../testdata", from))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, to), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"-export --version", "tsnoop-export v1.2.3\n"},
		{"-export folded recording", "caller_one;ip_rcv 2\n"},
		{"--version", "tsnoop v1.2.3\n"},
		{"--btf types --arch amd64 --kernel 6.12 --emit vfs_read(count)", "p:tsnoop/vfs_read vfs_read count=$arg3:u64\n"},
		{"replay recording", "caller_one -> ip_rcv(skb->pkt_type=PACKET_KERNEL) = 7 <100ns>\n"},
	} {
		program, args := path, strings.Fields(c.args)
		if args[0] == "-export" {
			program, args = path+args[0], args[1:]
		}
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = "/", []string{"PATH=/"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
		if uid := os.Geteuid(); uid != 0 {
			cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s %s: %v: %q, want %q", program, args, err, out, c.want)
		}
	}
	for _, file := range []string{"types", "recording"} {
		os.Remove(filepath.Join(root, file))
	}
}
