package output

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// zoneOf returns the time zone of TZ where package time does not know it: it reads names of files,
// and takes all else for UTC, also a rule like EST5EDT,M3.2.0,M11.1.0 (tzset(3)). It returns nil
// where it does, and nil and false for what is neither.
func zoneOf(tz string) (zone *time.Location, ok bool) {
	name := strings.TrimPrefix(tz, ":")
	if _, err := time.LoadLocation(name); err == nil {
		return nil, true
	}
	if _, err := os.Stat(name); err == nil && filepath.IsAbs(name) {
		return nil, true
	}
	zone = ruleZone(name)
	return zone, zone != nil
}

// ruleZone returns the time zone of a rule, or nil. A file of a time zone, which package time can
// read, ends with the rule for the time after its transitions, of which this one has none. See
// RFC 8536.
func ruleZone(rule string) *time.Location {
	// The head counts one type of local time, which is UTC with an empty name, and nothing else.
	block := "TZif2" + strings.Repeat("\x00", 15) + strings.Repeat("\x00", 4*4) + "\x00\x00\x00\x01" + "\x00\x00\x00\x01" + strings.Repeat("\x00", 6+1)
	zone, err := time.LoadLocationFromTZData(rule, []byte(block+block+"\n"+rule+"\n"))
	if err != nil {
		return nil
	}
	if name, _ := time.Unix(0, 0).In(zone).Zone(); name == "" { // the rule is invalid
		return nil
	}
	return zone
}
