package tracepoint

import (
	"maps"
	"testing"
)

// TestConversions reads print fmts of the kernel's.
func TestConversions(t *testing.T) {
	for print, want := range map[string]map[string]string{
		`"call_site=%pS ptr=%p bytes_req=%zu node=%d", (void *)REC->call_site, REC->ptr, REC->bytes_req, REC->node`: {"call_site": "sym"},
		`"address=%ps ip=%ps error_code=0x%lx", (void *)REC->address, (void *)REC->ip, REC->error_code`:             {"address": "sym", "ip": "sym", "error_code": "x"},
		`"skbaddr=%p rx_sk=%p protocol=%u location=%pS reason: %s", REC->skbaddr, REC->rx_sk`:                       {"location": "sym"},
		`"lo=%#llx mask=%08lx n=%*pbl", REC->lo, REC->mask, 8, REC->n`:                                              {"lo": "x", "mask": "x"},
		`"%d,%d %s", REC->a, REC->b, REC->c`:                                                                        {},
		`"cpumask=%s callsite=%pS", __get_cpumask(cpumask), REC->callsite`:                                          {"cpumask": "bits", "callsite": "sym"},
		`"target_mask=%s (%s)", __get_rel_bitmask(target_cpus), __get_bitmask(x), REC->reason`:                      {"target_cpus": "bits", "x": "bits"},
		"": {},
	} {
		if got := Conversions(print); !maps.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", print, got, want)
		}
	}
}
