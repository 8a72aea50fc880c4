package report_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/input"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/report"
)

// Six calls: one that fails, one with all that a call can have, one that did not end, one that is
// known from its return only, an event, and one with a long duration.
const calls = `{"origin":{"host":"web1","kernel":"6.12","arch":"x86_64","recorder":"tsnoop v1","specs":["vfs_read(file, count)","openat2"],"clock":"mono","began":{"wall_ns":1,"ts_ns":1000,"max_error_ns":2000000,"synchronized":true}},"v":1}
{"ts_ns":1001000,"cpu":0,"pid":6,"tid":7,"comm":"dd","func":"vfs_read","caller":"ksys_read","args":[{"name":"file","type":"struct file *","value":"/etc/passwd"},{"name":"count","type":"size_t","value":4096}],"ret":{"type":"ssize_t","value":-2,"errno":"ENOENT"},"end_ns":1002500,"duration_ns":1500}
{"ts_ns":2001000,"cpu":1,"pid":8,"tid":8,"comm":"sh","func":"openat2","module":"m","args":[{"name":"flags","type":"int","value":64,"text":"O_CREAT"},{"name":"name","type":"const char *","value":"a\tb"},{"name":"how->flags","type":"u64","value":null},{"name":"all","type":"struct s","value":{"x":18446744073709551615,"y":[1,2,"a,]"]}}],"ret":{"type":"long","value":3},"ret_args":[{"name":"e","type":"int","value":-11,"errno":"EAGAIN"}],"errors":[{"name":"how->flags","fault":"how=NULL"}],"stack":["openat2 [m]","ksys_open","entry [m]"],"end_ns":2003000,"end_cpu":0,"duration_ns":2000}
{"ts_ns":3001000,"cpu":1,"pid":8,"tid":8,"comm":"sh","func":"vfs_read","args":[{"name":"file","type":"struct file *","value":"0xffff888003d2e000"}],"unfinished":true}
{"ts_ns":3001500,"cpu":1,"pid":null,"tid":9,"comm":"","func":"vfs_read","ret":{"type":"ssize_t","value":5},"end_ns":3001500,"orphan":true}
{"ts_ns":4001000,"cpu":1,"pid":8,"tid":8,"comm":"sh","func":"sched:sched_switch","args":[{"name":"prev_comm","type":"char [16]","value":"sh"}]}
{"ts_ns":5001000,"cpu":1,"pid":10,"tid":10,"comm":"cat","func":"vfs_read","ret":{"type":"ssize_t","value":0},"end_ns":95001000,"duration_ns":90000000}
{"ts_ns":2500000,"cpu":1,"lost":7}
{"lost_total":9}
{"func":"vfs_read","missed_calls":3,"at_most":true}
{"func":"vfs_read","unfinished_calls":1}
{"switched_off":"vfs_read","ts_ns":4000000,"spec":"vfs_read","rate":100000,"max_rate":1000}
{"interference":"another program has \u001b[2J disabled vfs_read","missing_events":null}
`

// hostile are names, and how the page shows them.
var hostile = []struct{ name, want string }{
	{"</script><img src=x onerror=alert(1)>", "</script><img src=x onerror=alert(1)>"},
	{"<!--<script>", "<!--<script>"},
	{`"'` + "`" + `&amp;&lt;`, `"'` + "`" + `&amp;&lt;`},
	{"a\x00b", `a\x00b`},
	{"line\u2028end\u2029", `line\u2028end\u2029`},
	{"\u202eright\u2066to\u2069left\u200b", `\u202eright\u2066to\u2069left\u200b`},
	{"bad\xff\xfeutf\x80", `bad\xff\xfeutf\x80`},
	{"\x1b[2J\r\n\t", `\x1b[2J\r\n\t`},
	{"{{.}}${x}]]>", "{{.}}${x}]]>"},
	{"javascript:alert(1)", "javascript:alert(1)"},
	{`\u003c\`, `\\u003c\\`},
}

// hostileLines returns lines in which each name is in all places.
func hostileLines() string {
	var b strings.Builder
	quoted := func(s string) string {
		text, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		return string(text)
	}
	valid := func(s string) string { return strings.ToValidUTF8(s, "?") }
	first := quoted(hostile[0].name)
	fmt.Fprintf(&b, `{"origin":{"host":%s,"boot_id":%s,"kernel":%s,"arch":%s,"recorder":%s,"specs":[%s],"clock":%s},"v":1}`+"\n", first, first, first, first, first, first, first)
	for i, h := range hostile {
		n, raw := quoted(valid(h.name)), quoted(hex.EncodeToString([]byte(h.name)))
		fmt.Fprintf(&b, `{"ts_ns":%d,"cpu":0,"pid":1,"tid":1,"comm":%s,"comm_bytes":%s,"func":%s,"module":%s,"caller":%s,"caller_module":%s,`+
			`"args":[{"name":%s,"type":%s,"value":%s,"bytes":%s},{"name":"t","type":"struct s","value":{%s:%s}},{"name":"n","type":"int","value":1,"text":%s}],`+
			`"ret":{"type":%s,"value":-1,"errno":%s},"errors":[{"name":%s,"fault":%s}],"stack":[%s],"duration_ns":5}`+"\n",
			1000+10*i, n, raw, n, n, n, n, n, n, n, raw, n, n, n, n, n, n, n, n)
		fmt.Fprintf(&b, `{"func":%s,"missed_calls":1}`+"\n"+`{"interference":%s}`+"\n", n, n)
	}
	return b.String()
}

// manyLines returns n calls of several tasks and functions.
func manyLines(n int) string {
	var b strings.Builder
	b.WriteString(`{"origin":{"host":"h","clock":"mono","began":{"wall_ns":1700000000000000000,"ts_ns":1000,"max_error_ns":null}},"v":1}` + "\n")
	random := uint64(1)
	for i := range n {
		random = random*6364136223846793005 + 1442695040888963407
		duration := 200 + random>>54*(random>>50%64)
		errno := ""
		if i%97 == 0 {
			errno = `,"errno":"EAGAIN"`
		}
		fmt.Fprintf(&b, `{"ts_ns":%d,"cpu":%d,"pid":%d,"tid":%d,"comm":"task%d","func":"function_%d","caller":"ksys_read","args":[{"name":"file","type":"struct file *","value":"/tmp/file-%d"},{"name":"count","type":"size_t","value":%d}],"ret":{"type":"ssize_t","value":%d%s},"stack":["vfs_read","ksys_read","frame_%d","entry"],"end_ns":%d,"duration_ns":%d}`+"\n",
			1000+2000*i, i%8, 100+i%40, 100+i%40, i%40, i%12, i%5000, i, -(i % 2), errno, i%100, 1000+2000*i+int(duration), duration)
	}
	return b.String()
}

// pageOf returns the page of lines.
func pageOf(t testing.TB, lines string, o report.Options, missing error) string {
	t.Helper()
	var page bytes.Buffer
	out := report.New(output.To{Context: context.Background(), W: &page, Warn: t.Logf}, o)
	err := input.Lines(context.Background(), strings.NewReader(lines), "stdin", out)
	if err := out.Close(cmp.Or(missing, err)); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// A payload is the data of a page.
type payload struct {
	Columns []struct {
		Name, Type string
		N          int
	}
	Texts            []string
	Functions, Items [][2]int
	Tasks            [][4]int
	Stacks           [][]int
	Walls            bool
	Start            string
	All              int
	Heat             struct {
		First, Width, N int
		Cells           [][3]int
	}
	Lost   [][3]int
	Hosts  []struct{ Host, File, Shift string }
	values map[string][]uint64
}

var dataElement = regexp.MustCompile(`<script type="application/octet-stream" id="data">([A-Za-z0-9+/=]+)</script>`)

// unpack returns the data of a page, as its program reads it.
func unpack(t testing.TB, page string) *payload {
	t.Helper()
	m := dataElement.FindAllStringSubmatch(page, -1)
	if len(m) != 1 {
		t.Fatalf("%d times data", len(m))
	}
	packed, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(m[0][1])))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	p, size := &payload{values: map[string][]uint64{}}, binary.LittleEndian.Uint32(b)
	if err := json.Unmarshal(b[4:4+size], p); err != nil {
		t.Fatal(err)
	}
	at := 4 + int(size)
	for _, c := range p.Columns {
		if at%8 != 0 {
			t.Errorf("the column %s begins at %d", c.Name, at)
		}
		for range c.N {
			if c.Type == "u32" {
				p.values[c.Name] = append(p.values[c.Name], uint64(binary.LittleEndian.Uint32(b[at:])))
				at += 4
				continue
			}
			p.values[c.Name] = append(p.values[c.Name], binary.LittleEndian.Uint64(b[at:]))
			at += 8
		}
		at = (at + 7) &^ 7
	}
	if at != len(b) {
		t.Errorf("columns end at %d of %d bytes", at, len(b))
	}
	return p
}

// call returns all of a call as text.
func (p *payload) call(i int) string {
	v, text := p.values, func(n uint64) string { return p.Texts[n] }
	f, k := p.Functions[v["function"][i]], p.Tasks[v["task"][i]]
	s := fmt.Sprintf("%d+%d %s[%s] task %d %d %d %q cpu %d/%d from %q errno %q flags %d", int64(v["at"][i]), v["duration"][i], p.Texts[f[0]], p.Texts[f[1]],
		k[0], k[1], k[2], p.Texts[k[3]], v["cpu"][i], v["endCPU"][i], text(v["caller"][i]), text(v["errno"][i]), v["flags"][i])
	start := uint64(0)
	if i > 0 {
		start = v["end"][i-1]
	}
	for n := start; n < v["end"][i]; n += 2 {
		kind := []string{"arg", "ret", "result", "label", "errno", "fault", "why"}[v["parts"][n]&7]
		if v["parts"][n]&7 < 3 {
			item := p.Items[v["parts"][n]>>3]
			kind += " " + p.Texts[item[0]] + " " + p.Texts[item[1]]
		}
		s += "; " + kind + " " + text(v["parts"][n+1])
	}
	for _, frame := range p.Stacks[v["stack"][i]] {
		s += " < " + p.Texts[frame]
	}
	return s
}

// The page has all that its input has.
func TestData(t *testing.T) {
	p := unpack(t, pageOf(t, calls, report.Options{}, nil))
	for i, want := range []string{
		`1000000+1500 vfs_read[] task 0 6 7 "dd" cpu 0/0 from "ksys_read" errno "ENOENT" flags 3; arg file struct file * "/etc/passwd"; arg count size_t 4096; ret return ssize_t -2`,
		`2000000+2000 openat2[m] task 0 8 8 "sh" cpu 1/0 from "" errno "" flags 3; arg flags int 64; label O_CREAT; arg name const char * "a\tb"; arg how->flags u64 null; ` +
			`arg all struct s {"x":18446744073709551615,"y":[1,2,"a,]"]}; ret return long 3; result e int -11; errno EAGAIN; fault how->flags; why how=NULL < openat2 [m] < ksys_open < entry [m]`,
		`3000000+0 vfs_read[] task 0 8 8 "sh" cpu 1/0 from "" errno "" flags 8; arg file struct file * 0xffff888003d2e000`,
		`3000500+0 vfs_read[] task 0 -1 9 "" cpu 1/1 from "" errno "" flags 6; ret return ssize_t 5`,
		`4000000+0 sched:sched_switch[] task 0 8 8 "sh" cpu 1/0 from "" errno "" flags 0; arg prev_comm char [16] "sh"`,
		`5000000+90000000 vfs_read[] task 0 10 10 "cat" cpu 1/1 from "" errno "" flags 3; ret return ssize_t 0`,
	} {
		if got := p.call(i); got != want {
			t.Errorf("call %d is\n%s\nwant\n%s", i, got, want)
		}
	}
	if p.All != 6 || !p.Walls || p.Start != "1" || p.Hosts[0].Host != "web1" || p.Hosts[0].Shift != "-1000" {
		t.Errorf("%d calls, line %v %s, %+v", p.All, p.Walls, p.Start, p.Hosts)
	}
	if len(p.Lost) != 1 || p.Lost[0] != [3]int{2499000, 1, 7} {
		t.Errorf("losses at %v", p.Lost)
	}
	n := 0
	for _, c := range p.Heat.Cells {
		n += c[2]
	}
	if n != 3 || p.Heat.First > 1000000 || p.Heat.First+p.Heat.Width*p.Heat.N <= 5000000 {
		t.Errorf("the heat map is %+v", p.Heat)
	}
}

// The page itself has the summary, what is known of the trace, and what is missing.
func TestPage(t *testing.T) {
	page := pageOf(t, calls, report.Options{Calls: 5}, errors.New("trace.dat: damaged"))
	for _, want := range []string{
		"<title>Kernel calls on web1</title>", "6.12 x86_64", "1970-01-01 00:00:00.000000 UTC (±2ms)", "tsnoop v1", "vfs_read(file, count)",
		`<bdi>vfs_read</bdi></th><td class="n">4</td><td class="n"><span class="bad">1</span> <small>ENOENT 1</small></td><td class="n">90ms</td><td class="n">45ms</td>`,
		"Not all could be read: trace.dat: damaged.",
		"the first 5 of 6 calls",
		"The end of the trace stdin was not recorded",
		"9 events were lost, because the buffer was full.",
		"vfs_read: at most 3 calls missed, because the probe could not run.",
		"vfs_read: 1 call without an entry or a return in the trace.",
		"vfs_read: the probe was switched off at 3.999ms after too many events; later calls are not in the trace.",
		`another program has \x1b[2J disabled vfs_read (cost an unknown number of events).`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if p := unpack(t, page); p.All != 6 || p.Columns[0].N != 5 {
		t.Errorf("%d calls of %d", p.Columns[0].N, p.All)
	}
	page = pageOf(t, calls, report.Options{}, context.Canceled)
	if !strings.Contains(page, "The export was interrupted") {
		t.Error("the page does not say that it was interrupted")
	}
	whole := pageOf(t, manyLines(3), report.Options{}, nil)
	if strings.Contains(whole, "This is not everything") != strings.Contains(whole, "was not recorded") {
		t.Error("a whole page says that it is not")
	}
	empty := pageOf(t, strings.SplitAfter(calls, "\n")[0], report.Options{}, nil)
	if p := unpack(t, empty); p.All != 0 || len(p.Heat.Cells) != 0 {
		t.Errorf("a trace without calls has %d", p.All)
	}
}

// No byte of a hostile name is in the page as it was: texts are escaped before they are data, and
// the template escapes what is markup.
func TestHostile(t *testing.T) {
	page := pageOf(t, hostileLines(), report.Options{}, errors.New(hostile[0].name+hostile[5].name))
	p := unpack(t, page)
	has := map[string]bool{}
	for _, text := range p.Texts {
		has[text] = true
		checkShown(t, text)
	}
	for _, h := range hostile {
		if !has[h.want] {
			t.Errorf("no text is %q", h.want)
		}
	}
	checkShown(t, strings.ReplaceAll(strings.ReplaceAll(page, "\n", ""), "\t", ""))
	if n := strings.Count(page, "<script"); n != 2 || strings.Count(page, "</script") != 2 {
		t.Errorf("%d scripts begin, %d end", n, strings.Count(page, "</script"))
	}
	if strings.Contains(page, "<img") || strings.Contains(page, "<!--") {
		t.Error("a name has become markup")
	}
}

// checkShown fails if a text has characters that are not shown as they are.
func checkShown(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			t.Errorf("%q is in %.300q", r, text)
			return
		}
	}
}

// The page forbids all that it does not contain, and contains nothing that loads.
func TestPolicy(t *testing.T) {
	page := pageOf(t, calls, report.Options{}, nil)
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(page)
	if policy == nil || !strings.HasPrefix(policy[1], "default-src &#39;none&#39;; script-src &#39;sha256-") || strings.Contains(policy[1], "unsafe") {
		t.Errorf("the policy is %q", policy)
	}
	if found := regexp.MustCompile(`(?i) (src|href|style|on[a-z]+)=|@import|url\(|https?:|//[a-z]`).FindString(page); found != "" && found != "//[a-z]" {
		for _, m := range regexp.MustCompile(`(?i).{0,40}( (src|href|style|on[a-z]+)=|@import|url\(|https?:).{0,40}`).FindAllString(page, -1) {
			t.Errorf("the page has %q", m)
		}
	}
	if strings.Index(page, "Content-Security-Policy") > strings.Index(page, "<style") {
		t.Error("the policy is not first")
	}
}
