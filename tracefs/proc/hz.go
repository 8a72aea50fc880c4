package proc

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// rates are the values of CONFIG_HZ that kernels of any architecture are built with.
var rates = []int{24, 32, 48, 64, 100, 128, 200, 250, 256, 300, 500, 512, 1000, 1024, 1200}

// HZ returns the number of jiffies a second in the running kernel, which has this
// release, or 0 if it is not known. It reads the list of timers, which does not show it
// from four to six minutes after boot. Otherwise it uses a setting of RCU, if that still has
// its default, or the configuration.
func HZ(release string) int {
	if f, err := os.Open("/proc/timer_list"); err == nil {
		defer f.Close()
		if hz, err := ParseTimerList(f); err == nil && hz > 0 {
			return hz
		}
	}
	if hz := stallHZ(); hz > 0 {
		return hz
	}
	config, err := LoadConfig(release)
	if err != nil {
		return 0
	}
	hz, _ := strconv.Atoi(config["HZ"])
	return hz
}

// stallHZ derives the number of jiffies a second from the time after which RCU
// complains of a task: ten minutes, in jiffies (RCU_TASK_STALL_TIMEOUT,
// kernel/rcu/tasks.h). It returns 0 if that is not known.
func stallHZ() int {
	const seconds = 600
	b, err := os.ReadFile("/sys/module/rcupdate/parameters/rcu_task_stall_timeout")
	if err != nil {
		return 0
	}
	ticks, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || ticks%seconds != 0 || !slices.Contains(rates, ticks/seconds) {
		return 0
	}
	return ticks / seconds
}

// ParseTimerList returns the number of jiffies a second according to /proc/timer_list.
// It returns 0 if the file does not show it, which is so from four to six minutes after boot.
// The first lines give the time since boot,
//
//	now at 21558579860 nsecs
//	jiffies: 4294897686
//
// and jiffies start at 2^32 - 300*HZ (INITIAL_JIFFIES, include/linux/jiffies.h).
func ParseTimerList(r io.Reader) (int, error) {
	var now, jiffies int64
	s := bufio.NewScanner(r)
	for jiffies == 0 && s.Scan() {
		var err error
		line := s.Text()
		if text, ok := strings.CutPrefix(line, "now at "); ok {
			now, err = strconv.ParseInt(strings.TrimSuffix(text, " nsecs"), 10, 64)
		} else if text, ok := strings.CutPrefix(line, "jiffies: "); ok {
			jiffies, err = strconv.ParseInt(text, 10, 64)
		}
		if err != nil {
			return 0, fmt.Errorf("/proc/timer_list: %w", err)
		}
	}
	if err := s.Err(); err != nil {
		return 0, err
	}
	if now == 0 || jiffies == 0 {
		return 0, fmt.Errorf("/proc/timer_list has no jiffies")
	}
	// Far enough from that moment to tell 250 from 256, also where ticks come late.
	seconds := float64(now)/1e9 - 300
	if seconds > -60 && seconds < 60 {
		return 0, nil
	}
	measured := float64(jiffies-1<<32) / seconds
	for _, hz := range rates {
		if ratio := measured / float64(hz); ratio > 0.99 && ratio < 1.01 {
			return hz, nil
		}
	}
	return 0, nil
}
