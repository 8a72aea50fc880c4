package text

import (
	"fmt"
	"math"
	"testing"

	"github.com/tsnoop/tsnoop/render"
)

// TestAppendTime compares with fmt, also beyond the width, before the start and at the
// ends of the range.
func TestAppendTime(t *testing.T) {
	p := Printer{opts: render.Options{Time: render.TimeRel}}
	for _, us := range []int64{0, 1, 9, 10, 99, 100, 999_999, 1_000_000, 9_090_909, 12_345_678, 9_999_000_001, math.MaxInt64 / 1000} {
		for _, sign := range []string{"", "-"} {
			now := uint64(us * 1000)
			if sign != "" {
				now = -now
			}
			if us == 0 {
				sign = ""
			}
			want := fmt.Sprintf("x%11s", fmt.Sprintf("%s%d.%06d", sign, us/1e6, us%1e6))
			if got := string(p.appendTime([]byte("x"), now)); got != want {
				t.Errorf("%s%d µs: %q, want %q", sign, us, got, want)
			}
		}
	}
}

func TestAppendRight(t *testing.T) {
	for _, x := range []uint64{0, 1, 9, 10, 99, 100, 12_345_678, math.MaxUint64} {
		for _, width := range []int{0, 1, 3, 16} {
			if got, want := string(appendRight([]byte("x"), x, width)), fmt.Sprintf("x%*d", width, x); got != want {
				t.Errorf("%d in %d columns: %q, want %q", x, width, got, want)
			}
		}
	}
}
