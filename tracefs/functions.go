package tracefs

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// functionsFile lists the functions that ftrace knows, one per line: "ip_rcv" or
// "ext4_sync_fs [ext4]". See Documentation/trace/ftrace.rst.
const functionsFile = "available_filter_functions"

// TraceableFunctions returns a function that reports whether a function can be probed,
// that is, whether ftrace knows it. module is "" for a function of the kernel itself.
// It returns nil if tracefs has no such list.
func (fs *FS) TraceableFunctions() func(module, name string) bool {
	text, err := fs.FunctionList()
	if err != nil {
		return nil
	}
	return ParseFunctions(text)
}

// FunctionList returns the list of functions that ftrace knows, as text for
// ParseFunctions. The kernel takes long to write it.
func (fs *FS) FunctionList() ([]byte, error) {
	f, err := fs.Open(functionsFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const usual = 2 << 20
	text := bytes.NewBuffer(make([]byte, 0, usual))
	_, err = text.ReadFrom(f)
	return text.Bytes(), err
}

// FunctionListBegin returns the first lines of FunctionList, which take the kernel no time.
func (fs *FS) FunctionListBegin() ([]byte, error) {
	f, err := fs.Open(functionsFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, 4096)
	n, err := f.Read(b)
	return b[:bytes.LastIndexByte(b[:n], '\n')+1], err
}

// ParseFunctions returns a function that reports whether a function is in the text of a
// FunctionList, or nil if the text is empty.
func ParseFunctions(text []byte) func(module, name string) bool {
	lines := make(map[string]bool, bytes.Count(text, []byte("\n")))
	for line := range strings.SplitSeq(string(text), "\n") { // the lines share its memory
		if line != "" {
			lines[line] = true
		}
	}
	if len(lines) == 0 {
		return nil
	}
	return func(module, name string) bool {
		if module != "" {
			name += " [" + module + "]"
		}
		return lines[name]
	}
}

// sitesFile is functionsFile with an address before each function, since 6.5.
const sitesFile = "available_filter_functions_addrs"

// ProbeSites returns the addresses of the functions of the kernel itself that ftrace knows, as
// the records of fprobe events have them, by name; 0 for a name that several functions have. It
// returns nil if tracefs has no such list, or hides the addresses.
func (fs *FS) ProbeSites() map[string]uint64 {
	sites, err := read(fs, sitesFile, parseSites)
	if err != nil {
		return nil
	}
	return sites
}

// parseSites parses lines like "ffffffff9e845d54 vfs_write" or "ffffffffc0a1 f [module]".
func parseSites(r io.Reader) (map[string]uint64, error) {
	sites := map[string]uint64{}
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		hex, name, _ := strings.Cut(sc.Text(), " ")
		addr, err := strconv.ParseUint(hex, 16, 64)
		if err != nil {
			return nil, fmt.Errorf("%q has no address", sc.Text())
		}
		if _, several := sites[name]; several {
			addr = 0
		}
		sites[name] = addr
	}
	return sites, sc.Err()
}

// Untraceable reports whether ftrace knows no function of that name, in the kernel or
// in any module. It is false if tracefs has no such list.
func (fs *FS) Untraceable(name string) bool {
	f, err := fs.Open(functionsFile)
	if err != nil {
		return false
	}
	defer f.Close()
	return !hasFunction(f, name)
}

func hasFunction(r io.Reader, name string) bool {
	for s := bufio.NewScanner(r); s.Scan(); {
		if fn, _, _ := strings.Cut(s.Text(), " "); fn == name {
			return true
		}
	}
	return false
}
