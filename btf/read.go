package btf

import (
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"syscall"
)

// maxRead is how many bytes are read of a file that cannot be mapped, such as a pipe.
const maxRead = 1 << 30

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
	data := bytes.NewBuffer(make([]byte, 0, min(info.Size(), maxRead)+bytes.MinRead))
	data.Write(head)
	if _, err = data.ReadFrom(io.LimitReader(f, maxRead)); err == nil && data.Len() > maxRead {
		err = fmt.Errorf("%s is longer than 1 GiB: it cannot be a file of types", file)
	}
	return data.Bytes(), err
}

// isRaw reports whether data begins as BTF does, of either byte order.
func isRaw(data []byte) bool {
	return bytes.HasPrefix(data, []byte{0x9f, 0xeb}) || bytes.HasPrefix(data, []byte{0xeb, 0x9f})
}

func isELF(data []byte) bool { return bytes.HasPrefix(data, []byte(elf.ELFMAG)) }
