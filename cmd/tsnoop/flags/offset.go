package flags

import (
	"strconv"
	"strings"
	"time"
)

// An Offset corrects the clock of a recording, or of all recordings of a host.
type Offset struct {
	Name string        // of the file, or of the host
	By   time.Duration // is added to its times
}

// addOffset parses the value of --offset.
func (o *Options) addOffset(s string) error {
	at := strings.LastIndexByte(s, '=')
	if at <= 0 {
		return strconv.ErrSyntax
	}
	by, err := time.ParseDuration(s[at+1:])
	if err != nil {
		by, err = time.ParseDuration(s[at+1:] + "s")
	}
	if err == nil {
		o.Offsets = append(o.Offsets, Offset{s[:at], by})
	}
	return err
}
