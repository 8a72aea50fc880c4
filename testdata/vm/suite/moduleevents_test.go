//go:build vm

package suite

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The ioctls of include/uapi/linux/nbd.h.
const (
	nbdSetSock       = 0xab00
	nbdDoIt          = 0xab03
	nbdClearSock     = 0xab04
	nbdSetSizeBlocks = 0xab07
	nbdDisconnect    = 0xab08
)

// nbdRead has the module nbd, which is loaded, read a block of a disk that the test serves,
// and returns the handles of the requests that the module has sent, as the kernel writes them.
func nbdRead(t *testing.T) (handles []uint64) {
	t.Helper()
	disk, err := os.OpenFile("/dev/nbd0", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	client, server := tcpPair(t)
	defer client.Close()
	for request, value := range map[uint]int{nbdSetSock: int(client.Fd()), nbdSetSizeBlocks: 8} {
		if err := unix.IoctlSetInt(int(disk.Fd()), request, value); err != nil {
			t.Fatalf("ioctl %#x: %v", request, err)
		}
	}
	served := make(chan []uint64)
	go func() { served <- nbdServe(server) }()
	over := make(chan error)
	go func() { over <- unix.IoctlSetInt(int(disk.Fd()), nbdDoIt, 0) }()
	err = io.EOF // as long as the disk has no size
	for deadline := time.Now().Add(patience); errors.Is(err, io.EOF) && time.Now().Before(deadline); time.Sleep(pause) {
		_, err = disk.ReadAt(make([]byte, 512), 0)
	}
	if err != nil {
		t.Error(err)
	}
	for _, request := range []uint{nbdDisconnect, nbdClearSock} {
		unix.IoctlSetInt(int(disk.Fd()), request, 0)
	}
	handles = <-served
	<-over
	return handles
}

// tcpPair returns two ends of a connection; the client's is a file of its own.
func tcpPair(t *testing.T) (client *os.File, server net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if client, err = conn.(*net.TCPConn).File(); err != nil {
		t.Fatal(err)
	}
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return client, server
}

// nbdServe answers requests with zeros until it is asked to disconnect.
func nbdServe(c net.Conn) (handles []uint64) {
	defer c.Close()
	for {
		var request struct {
			Magic, Type  uint32
			Handle, From uint64
			Len          uint32
		}
		if err := binary.Read(c, binary.BigEndian, &request); err != nil || request.Type&0xffff == 2 {
			return handles
		}
		handles = append(handles, request.Handle)
		reply := binary.BigEndian.AppendUint32(nil, 0x67446698)
		reply = binary.BigEndian.AppendUint32(reply, 0)
		reply = binary.BigEndian.AppendUint64(reply, request.Handle)
		if _, err := io.WriteString(c, string(reply)+strings.Repeat("\x00", int(request.Len))); err != nil {
			return handles
		}
	}
}

func module(t *testing.T, command, name string) {
	t.Helper()
	if command == "insmod" {
		name = filepath.Join("/lib/modules/tsnoop", name+".ko")
	}
	if out, err := exec.Command(command, name).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", command, name, err, out)
	}
}

// TestVMModuleEvents waits for events of a module, which is loaded, unloaded and loaded
// again, and compares the handles that the module has written into the events with those
// that its disk has received.
func TestVMModuleEvents(t *testing.T) {
	exec.Command("rmmod", "nbd").Run()
	t.Run("awaited", func(t *testing.T) {
		tr := beginTrace(t, "-t", "none", "--wait-module", "nbd:nbd_header_sent(handle)", "nbd:nbd_nosuch(handle)")
		at := tr.says(0, "waiting for a module that has nbd:nbd_header_sent, nbd:nbd_nosuch")
		module(t, "insmod", "nbd")
		at = tr.says(at, "traced from now on: nbd:nbd_header_sent")
		sent := nbdRead(t)
		tr.await("the first events", func() bool { return len(nbdHandles(tr, "nbd:nbd_header_sent")) >= len(sent) })
		module(t, "rmmod", "nbd")
		at = tr.says(at, "the module nbd was unloaded: nbd:nbd_header_sent will be traced when it is loaded again")
		module(t, "insmod", "nbd")
		tr.says(at, "the module nbd was loaded: nbd:nbd_header_sent")
		sent = append(sent, nbdRead(t)...)
		tr.end()
		checkHandles(t, tr, "nbd:nbd_header_sent", sent)
		for _, want := range []string{"nbd has no event and no function nbd_nosuch", "the trace goes on without nbd:nbd_nosuch"} {
			if n := strings.Count(tr.said(), want); n != 1 {
				t.Errorf("says %d times %q:\n%s", n, want, tr.said())
			}
		}
	})
	t.Run("loaded", func(t *testing.T) {
		tr := startTrace(t, "-t", "none", "nbd:nbd_header_s*(handle)")
		sent := nbdRead(t)
		tr.await("the events", func() bool { return len(nbdHandles(tr, "nbd:nbd_header_sent")) >= len(sent) })
		module(t, "rmmod", "nbd")
		tr.ended()
		checkHandles(t, tr, "nbd:nbd_header_sent", sent)
		// The kernel has done this, but the trace may end before that is noticed.
		said := regexp.MustCompile("tsnoop: a module was unloaded, and the kernel has emptied .*\n").ReplaceAllString(tr.said(), "")
		want := "tsnoop: the module nbd was unloaded: nbd:nbd_header_sent is not traced any more\ntsnoop: nothing is left to trace\n"
		if said != want {
			t.Errorf("says %q, want %q", said, want)
		}
	})
	t.Run("with IDs of others", func(t *testing.T) {
		module(t, "insmod", "nbd")
		const first, second = "nbd:nbd_payload_received", "nbd:nbd_header_received"
		before := nbdIDs(t)
		tr := startTrace(t, "-t", "none", "--wait-module", first+"(handle)", second+"(handle)")
		module(t, "rmmod", "nbd")
		at := tr.says(0, "the module nbd was unloaded: .*")
		takeID(t, before)
		module(t, "insmod", "nbd")
		after := nbdIDs(t)
		isTaken := after[first] == before[second] // else the kernel gives no ID away again
		came, refused := first+", "+second, first+" cannot be traced again: it has the ID that another event had"
		if isTaken {
			came = second
		}
		tr.says(at, "the module nbd was loaded: "+came)
		sent := nbdRead(t)
		tr.end()
		checkHandles(t, tr, second, sent)
		if got := strings.Contains(tr.said(), refused); got != isTaken {
			t.Errorf("refused: %v; IDs %v, then %v\n%s", got, before, after, tr.said())
		}
		if isTaken {
			sent = nil
		}
		checkHandles(t, tr, first, sent)
		module(t, "rmmod", "nbd")
	})
}

// nbdIDs returns the IDs of the events of nbd, by their names.
func nbdIDs(t *testing.T) map[string]string {
	t.Helper()
	ids := map[string]string{}
	files, _ := filepath.Glob(filepath.Join(tracing, "events/nbd/*/id"))
	for _, file := range files {
		ids["nbd:"+filepath.Base(filepath.Dir(file))] = idIn(t, file)
	}
	return ids
}

func idIn(t *testing.T, file string) string {
	t.Helper()
	id, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(id))
}

// takeID defines probes until one has an ID that an event had, if the kernel gives those
// away again.
func takeID(t *testing.T, had map[string]string) {
	t.Helper()
	for i := range 64 {
		name := fmt.Sprintf("others/taken%d", i)
		if err := appendTo("kprobe_events", "p:"+name+" vfs_read"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { appendTo("kprobe_events", "-:"+name) })
		id := idIn(t, filepath.Join(tracing, "events", name, "id"))
		if slices.Contains(slices.Collect(maps.Values(had)), id) {
			return
		}
	}
}

var nbdHandle = regexp.MustCompile(`(nbd:\w+)\(handle=(\w+)\)$`)

// nbdHandles returns the handles that tsnoop has shown of an event.
func nbdHandles(tr *traced, event string) (all []uint64) {
	tr.lines(func(line []byte) {
		m := nbdHandle.FindSubmatch(line)
		if m == nil || string(m[1]) != event {
			return
		}
		n, err := strconv.ParseUint(string(m[2]), 0, 64)
		if err != nil {
			tr.t.Fatal(err)
		}
		all = append(all, n)
	})
	return all
}

// checkHandles compares the handles that tsnoop has shown with those that were sent. The
// module sends them in its own byte order, since 6.5 as big endian.
func checkHandles(t *testing.T, tr *traced, event string, sent []uint64) {
	t.Helper()
	shown := nbdHandles(tr, event)
	var own []uint64
	for _, h := range sent {
		own = append(own, binary.NativeEndian.Uint64(binary.BigEndian.AppendUint64(nil, h)))
	}
	if got := fmt.Sprint(shown); got != fmt.Sprint(sent) && got != fmt.Sprint(own) {
		t.Errorf("%s: shown %#x, sent %#x\n%s", event, shown, sent, tr.said())
	}
}
