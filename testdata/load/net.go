package main

import (
	"encoding/binary"
	"fmt"
	"net"
	"unsafe"

	"golang.org/x/sys/unix"
)

// order is this host's byte order, which netlink and the device mapper use.
var order = binary.NativeEndian

func pointer(b []byte) uintptr { return uintptr(unsafe.Pointer(&b[0])) }

// veth creates a pair of virtual Ethernet devices by netlink (rtnetlink(7)).
func veth(a, macA, b, macB string) error {
	peer := append(make([]byte, unix.SizeofIfInfomsg), attr(unix.IFLA_IFNAME, cstring(b))...)
	peer = append(peer, attr(unix.IFLA_ADDRESS, mac(macB))...)
	const vethInfoPeer = 1
	info := attr(unix.IFLA_INFO_KIND, cstring("veth"))
	info = append(info, attr(unix.IFLA_INFO_DATA|unix.NLA_F_NESTED, attr(vethInfoPeer, peer))...)

	body := append(make([]byte, unix.SizeofIfInfomsg), attr(unix.IFLA_IFNAME, cstring(a))...)
	body = append(body, attr(unix.IFLA_ADDRESS, mac(macA))...)
	body = append(body, attr(unix.IFLA_LINKINFO|unix.NLA_F_NESTED, info)...)
	if err := netlink(unix.RTM_NEWLINK, unix.NLM_F_CREATE|unix.NLM_F_EXCL, body); err != nil {
		return err
	}
	for _, name := range []string{a, b} {
		dev, err := net.InterfaceByName(name)
		if err != nil {
			return err
		}
		up := make([]byte, unix.SizeofIfInfomsg)
		order.PutUint32(up[4:], uint32(dev.Index))
		order.PutUint32(up[8:], unix.IFF_UP)
		order.PutUint32(up[12:], unix.IFF_UP)
		if err := netlink(unix.RTM_NEWLINK, 0, up); err != nil {
			return err
		}
	}
	return nil
}

// netlink sends one request and returns the kernel's answer.
func netlink(typ, flags uint16, body []byte) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	msg := make([]byte, unix.SizeofNlMsghdr, unix.SizeofNlMsghdr+len(body))
	order.PutUint32(msg, uint32(unix.SizeofNlMsghdr+len(body)))
	order.PutUint16(msg[4:], typ)
	order.PutUint16(msg[6:], flags|unix.NLM_F_REQUEST|unix.NLM_F_ACK)
	if err := unix.Sendto(fd, append(msg, body...), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil || n < unix.SizeofNlMsghdr+4 {
		return fmt.Errorf("netlink: %d bytes, %v", n, err)
	}
	if code := int32(order.Uint32(answer[unix.SizeofNlMsghdr:])); code != 0 {
		return unix.Errno(-code)
	}
	return nil
}

func attr(typ uint16, data []byte) []byte {
	b := make([]byte, 4, 4+len(data)+3)
	order.PutUint16(b, uint16(4+len(data)))
	order.PutUint16(b[2:], typ)
	b = append(b, data...)
	return append(b, make([]byte, -len(b)&3)...)
}

func cstring(s string) []byte { return append([]byte(s), 0) }

func mac(s string) []byte {
	m, err := net.ParseMAC(s)
	if err != nil {
		panic(err)
	}
	return m
}

// frame sends an IPv4 packet with an empty UDP datagram out of a device.
func frame(dev, dst string) error {
	d, err := net.InterfaceByName(dev)
	if err != nil {
		return err
	}
	const ethPIP = 0x0800
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	ip := []byte{0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0, 10, 9, 8, 1, 10, 9, 8, 2}
	sum := uint32(0)
	for i := 0; i < len(ip); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(ip[i:]))
	}
	binary.BigEndian.PutUint16(ip[10:], ^uint16(sum+sum>>16))
	packet := append(mac(dst), d.HardwareAddr...)
	packet = append(packet, 0x08, 0x00)
	packet = append(packet, ip...)
	packet = append(packet, 0, 9, 0, 9, 0, 8, 0, 0)
	to := &unix.SockaddrLinklayer{Protocol: ethPIP, Ifindex: d.Index, Halen: 6}
	copy(to.Addr[:], mac(dst))
	return unix.Sendto(fd, packet, 0, to)
}
