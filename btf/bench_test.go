package btf_test

import (
	"os"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
)

const vmlinux = "/sys/kernel/btf/vmlinux"

// runningBTF skips where the kernel shows no BTF.
func runningBTF(tb testing.TB) {
	tb.Helper()
	if _, err := os.Stat(vmlinux); err != nil {
		tb.Skip(err)
	}
}

// TestRunning asks the kernel that runs the test.
func TestRunning(t *testing.T) {
	runningBTF(t)
	f, err := btf.Running().Func("", "vfs_read")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.Params[0].Name, "file"; got != want {
		t.Errorf("first parameter of %s is %q, want %q", f, got, want)
	}
}

// BenchmarkFunc is what most commands do at the start: open, find a function.
func BenchmarkFunc(b *testing.B) {
	runningBTF(b)
	for name, open := range map[string]func() *btf.Kernel{
		"running": btf.Running,
		"file":    func() *btf.Kernel { return btf.Open(vmlinux) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := open().Func("", "ip_rcv"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkIndex is what a wrong name or an enum constant costs.
func BenchmarkIndex(b *testing.B) {
	runningBTF(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := btf.Running().Func("", "ip_rvc"); err == nil {
			b.Fatal("found ip_rvc")
		}
	}
}
