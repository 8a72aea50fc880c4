package store

import (
	"encoding/json"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/constants"
)

// TestSavedEnums has the recorded kernel's names in a replay on another.
func TestSavedEnums(t *testing.T) {
	own := map[string][]constants.Constant{"FAULT_FLAG_WRITE": {{Name: "FAULT_FLAG_WRITE", Value: 1}, {Name: "FAULT_FLAG_NEW", Value: 1 << 20}}}
	table := constants.For("arm64").ForKernel(func(c string) []constants.Constant { return own[c] })
	data, err := json.Marshal(saved{Version: savedVersion, Enums: table.Enums()})
	if err != nil {
		t.Fatal(err)
	}
	s, err := unmarshal(data)
	if err != nil {
		t.Fatal(err)
	}
	macros := s.macros()
	if got := string(macros("arm64").Set("fault").Append(nil, 1<<20|3)); got != "FAULT_FLAG_WRITE|FAULT_FLAG_NEW|FAULT_FLAG_MKWRITE" {
		t.Errorf("got %s", got)
	}
	if again := macros("arm64"); again != macros("arm64") || macros("riscv64") != nil {
		t.Error("the table of an architecture")
	}
}
