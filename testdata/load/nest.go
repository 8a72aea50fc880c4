package main

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// nest creates block devices of the device mapper, each on top of the previous one, and
// calls ioctl(2) on the last. Each passes it on to the one below, in a call within the
// call; the first does not know the ioctl.
func nest(file, depth string) error {
	n, err := strconv.Atoi(depth)
	if err != nil {
		return err
	}
	if err := insmod("dm-mod"); err != nil {
		return err
	}
	control, err := os.OpenFile("/dev/mapper/control", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer control.Close()
	target, params, minor := "error", "", uint32(0)
	for i := range n {
		name := "nest" + strconv.Itoa(i)
		dev, err := mapDevice(control, name, target, params)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		defer mapper(control, dmDevRemove, name, nil)
		minor = unix.Minor(dev)
		target, params = "linear", fmt.Sprintf("%d:%d 0", unix.Major(dev), minor)
	}
	last, err := os.Open(fmt.Sprintf("/dev/dm-%d", minor))
	if err != nil {
		return err
	}
	defer last.Close()
	if err := ready(file); err != nil {
		return err
	}
	if _, err := unix.IoctlGetInt(int(last.Fd()), nestIoctl); err != unix.ENOTTY {
		return fmt.Errorf("%s: %v", last.Name(), err)
	}
	return nil
}

// nestIoctl is an ioctl that no driver knows.
const nestIoctl = 0x7e57

// Commands of the device mapper: include/uapi/linux/dm-ioctl.h.
const (
	dmDevCreate  = 3
	dmDevRemove  = 4
	dmDevSuspend = 6 // or resume
	dmTableLoad  = 9
)

// mapDevice creates a device of 8 sectors with a single target.
func mapDevice(control *os.File, name, target, params string) (dev uint64, err error) {
	if dev, err = mapper(control, dmDevCreate, name, nil); err != nil {
		return 0, err
	}
	spec := make([]byte, 40) // struct dm_target_spec
	order.PutUint64(spec[8:], 8)
	copy(spec[24:], target)
	if _, err := mapper(control, dmTableLoad, name, append(spec, cstring(params)...)); err != nil {
		return 0, err
	}
	_, err = mapper(control, dmDevSuspend, name, nil)
	return dev, err
}

// mapper sends a command to the device mapper and returns the device's number.
func mapper(control *os.File, what uintptr, name string, data []byte) (dev uint64, err error) {
	const size = 312 // struct dm_ioctl
	b := append(make([]byte, size), data...)
	order.PutUint32(b, 4) // version 4.0.0
	order.PutUint32(b[12:], uint32(len(b)))
	order.PutUint32(b[16:], size)
	if data != nil {
		order.PutUint32(b[20:], 1)
	}
	copy(b[48:], name)
	const readWrite = 3 // _IOWR
	request := readWrite<<30 | size<<16 | 0xfd<<8 | what
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, control.Fd(), request, pointer(b)); errno != 0 {
		return 0, errno
	}
	return order.Uint64(b[40:]), nil
}

// insmod loads one of the modules that the test machine has.
func insmod(name string) error {
	f, err := os.Open("/lib/modules/tsnoop/" + name + ".ko")
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.FinitModule(int(f.Fd()), "", 0); err != nil && err != unix.EEXIST {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	return nil
}
