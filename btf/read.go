package btf

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"syscall"
)

const (
	// maxTypes is how many bytes of BTF there may be. A kernel of a distribution has 5 to 10 MB.
	maxTypes = 256 << 20
	// maxPipe is how many bytes are read of what is not a regular file, and may have no end.
	maxPipe = 64 << 20
)

// read returns what is in a file; of one that is neither BTF nor ELF, which may have no
// end, only the beginning.
//
// The kernel's own BTF is mapped into memory for the life of the process, because only few
// of its types are ever used. A file that somebody named is not: should another program
// truncate it, as most do that write a new one, the next look at it would be SIGBUS. Of
// ELF, section copies what is needed at once.
func read(file string, kernels bool) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	head := make([]byte, len(elf.ELFMAG))
	n, err := io.ReadFull(f, head)
	if head = head[:n]; err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	if !isRaw(head) && !isELF(head) {
		return head, nil
	}
	if info.Size() > 0 && (kernels || isELF(head)) {
		// Kernels before 6.16 cannot map their BTF.
		data, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
		if err == nil {
			return data, nil
		}
	}
	most, room, than := int64(maxTypes), info.Size(), "it cannot be a file of types"
	if !info.Mode().IsRegular() {
		// Room for all of it: a buffer that grows allocates several times as much.
		most, room, than = maxPipe, maxPipe, "write it to a regular file first"
	}
	data, err := new(bytes.Buffer), error(nil)
	if info.Size() <= most {
		// Buffer.Grow would clear the memory, which make need not, page by page.
		data = bytes.NewBuffer(make([]byte, 0, int(room)+len(head)+bytes.MinRead))
		data.Write(head)
		_, err = data.ReadFrom(io.LimitReader(f, most))
	}
	if max(int64(data.Len()), info.Size()) > most {
		return nil, fmt.Errorf("%s has more than %d MiB: %s", file, most>>20, than)
	}
	return data.Bytes(), err
}

// isRaw reports whether data begins as BTF does, of either byte order.
func isRaw(data []byte) bool {
	return bytes.HasPrefix(data, []byte{0x9f, 0xeb}) || bytes.HasPrefix(data, []byte{0xeb, 0x9f})
}

// isSplit reports whether raw BTF needs that of vmlinux: its names do not begin with the
// empty one (struct btf_header in include/uapi/linux/btf.h).
func isSplit(data []byte) bool {
	const size = 24
	if len(data) < size {
		return false
	}
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 0xeb {
		order = binary.BigEndian
	}
	names := uint64(order.Uint32(data[4:])) + uint64(order.Uint32(data[16:]))
	return order.Uint32(data[20:]) > 0 && names < uint64(len(data)) && data[names] != 0
}

func isELF(data []byte) bool { return bytes.HasPrefix(data, []byte(elf.ELFMAG)) }
