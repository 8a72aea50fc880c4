package main

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestInstall has go install fetch this module from a proxy, as somebody does who has
// read how to get it, and asks the program for its version. No network is needed: modules
// that it imports are in the cache of whoever has built this test.
func TestInstall(t *testing.T) {
	const module, version = "github.com/tsnoop/tsnoop", "v0.98.76"
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	proxy, bin := t.TempDir(), t.TempDir()
	at := filepath.Join(proxy, module, "@v")
	mod, err := os.ReadFile(filepath.Join(top, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"list": version + "\n", version + ".mod": string(mod),
		version + ".info": `{"Version":"` + version + `","Time":"2026-01-02T03:04:05Z"}`,
	} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	zipModule(t, filepath.Join(at, version+".zip"), top, module+"@"+version)

	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "install", module+"/cmd/tsnoop@"+version)
	cmd.Dir = bin // outside of this module
	cmd.Env = append(os.Environ(),
		"GOPROXY=file://"+proxy+",file://"+filepath.Join(strings.TrimSpace(string(cache)), "cache", "download"),
		"GOSUMDB=off", "GONOPROXY=none", "GOPRIVATE=", "GOTOOLCHAIN=local", "GOWORK=off",
		// Then the cache of builds contains other modules.
		"CGO_ENABLED=0", "GOFLAGS=-modcacherw -trimpath",
		"GOMODCACHE="+t.TempDir(), "GOBIN="+bin, "GOOS=", "GOARCH=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go install: %v\n%s", err, out)
	}
	// It is static, built as README.md says.
	program, err := elf.Open(filepath.Join(bin, "tsnoop"))
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	if libraries, err := program.ImportedLibraries(); err != nil || len(libraries) > 0 || program.Section(".interp") != nil {
		t.Errorf("what was installed needs %q, %v", libraries, err)
	}
	readme, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil || !bytes.Contains(readme, []byte("\n    CGO_ENABLED=0 go install "+module+"/cmd/tsnoop@latest\n")) {
		t.Errorf("README.md does not say how: %v", err)
	}
	out, err := exec.Command(filepath.Join(bin, "tsnoop"), "version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "tsnoop "+version) {
		t.Errorf("tsnoop version says %q, %v", out, err)
	}
	out, err = exec.Command(filepath.Join(bin, "tsnoop"), "list", "@").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "@biolat") {
		t.Errorf("what was installed has no presets: %q, %v", out, err)
	}
}

// zipModule packs the working tree as proxies do, except files that only tests need.
func zipModule(t *testing.T, name, top, prefix string) {
	t.Helper()
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(out)
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != top && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() || info.Mode()&0o111 != 0 || info.Size() > 1<<20 || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		f, err := w.Create(prefix + "/" + filepath.ToSlash(rel))
		if err == nil {
			_, err = f.Write(b)
		}
		return err
	})
	for _, e := range []error{err, w.Close(), out.Close()} {
		if e != nil {
			t.Fatal(e)
		}
	}
}
