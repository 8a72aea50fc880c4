package store

import (
	"testing"
)

func TestShifted(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{
		{`"base":"$arg1","hops":[{"offset":8},{"offset":16}],"type":"x8","count":6`, 4, "+20(+8($arg1))"},
		{`"base":"$arg2","hops":[{"user":true}],"type":"x8","count":16`, 8, "+u8($arg2)"},
		{`"base":"%di","hops":[{"offset":-4}],"type":"u8","count":6`, 4, "+0(%di)"},
		{`"base":"@init_net+8","type":"x8","count":6`, 4, ""},
		{`"base":"$arg1","type":"x64"`, 4, ""},
	} {
		array := argOf(t, tt.text)
		if got, ok := array.Shifted(tt.n); ok && got.String() != tt.want || ok != (tt.want != "") {
			t.Errorf("%s shifted by %d is %s, %t, want %q", tt.text, tt.n, got, ok, tt.want)
		}
	}
}
