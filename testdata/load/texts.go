package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// longestText is the longest text that texts makes, in bytes.
const longestText = 9000

// text returns the first n bytes of a text that does not repeat soon: the numbers from n
// on, each followed by a point.
func text(n int) []byte {
	var b bytes.Buffer
	for i := n; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%d.", i)
	}
	return b.Bytes()[:n]
}

// texts writes texts of these lengths to a file, all from the same place in memory: Ne is
// at the end of a page, with no NUL before the next one, which was never touched.
func texts(file string, lengths []string) error {
	fd, err := unix.Open(file, unix.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	buf := make([]byte, longestText+1)
	for _, word := range lengths {
		digits, end := strings.CutSuffix(word, "e")
		n, err := strconv.Atoi(digits)
		if err != nil || n > longestText {
			return fmt.Errorf("no length: %s", word)
		}
		clear(buf)
		copy(buf, text(n))
		from := buf
		if end {
			const room = longestText/4096*4096 + 4096
			m, err := unix.Mmap(-1, 0, room+4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
			if err != nil {
				return err
			}
			from = m[room-n : room]
			copy(from, text(n))
			defer unix.Munmap(m)
		}
		unix.Write(fd, from[:n:n])
	}
	return nil
}
