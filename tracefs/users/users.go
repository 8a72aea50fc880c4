// Package users looks up users in /etc/passwd and /etc/group, and finds out for whom root
// runs. It needs neither cgo nor the name service switch, so the program stays static.
package users

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A User is an account: its IDs, its directory, and the groups that it is also in.
type User struct {
	Name     string // "" if it was given by numbers
	Home     string
	UID, GID uint32
	Groups   []uint32
}

// Lookup finds a user by name or UID. "UID:GID" needs no entry in /etc/passwd: it has no
// other groups.
func Lookup(text string) (User, error) {
	if uid, gid, ok := strings.Cut(text, ":"); ok {
		u, uidOK := parseID(uid)
		g, gidOK := parseID(gid)
		if !uidOK || !gidOK {
			return User{}, fmt.Errorf("%q is not UID:GID", text)
		}
		return User{UID: u, GID: g}, nil
	}
	u, err := find("/etc/passwd", func(r io.Reader) (User, bool) { return parsePasswd(r, text) })
	if err != nil {
		return u, err
	}
	groups, err := os.Open("/etc/group")
	if err != nil {
		return u, err
	}
	defer groups.Close()
	u.Groups = parseGroup(groups, u)
	return u, nil
}

// Names returns the names of the users in /etc/passwd.
func Names() (names []string) {
	f, err := os.Open("/etc/passwd")
	if err != nil {
		return nil
	}
	defer f.Close()
	for fields := range entries(f, 7) {
		names = append(names, fields[0])
	}
	return names
}

// find looks for an entry in a file.
func find(file string, entry func(io.Reader) (User, bool)) (User, error) {
	f, err := os.Open(file)
	if err != nil {
		return User{}, err
	}
	defer f.Close()
	u, ok := entry(f)
	if !ok {
		return u, fmt.Errorf("%s does not list this user", file)
	}
	return u, nil
}

// parsePasswd returns the first user with this name or, if there is none, this UID.
func parsePasswd(r io.Reader, text string) (found User, ok bool) {
	uid, isID := parseID(text)
	for fields := range entries(r, 7) {
		u, uidOK := parseID(fields[2])
		g, gidOK := parseID(fields[3])
		if !uidOK || !gidOK {
			continue
		}
		user := User{Name: fields[0], Home: fields[5], UID: u, GID: g}
		if fields[0] == text {
			return user, true
		}
		if !ok && isID && u == uid {
			found, ok = user, true
		}
	}
	return found, ok
}

// parseGroup returns the groups of u as initgroups(3) does: its own first.
func parseGroup(r io.Reader, u User) []uint32 {
	groups := []uint32{u.GID}
	for fields := range entries(r, 4) {
		gid, ok := parseID(fields[2])
		if ok && !slices.Contains(groups, gid) && slices.Contains(strings.Split(fields[3], ","), u.Name) {
			groups = append(groups, gid)
		}
	}
	return groups
}

// entries returns the lines that have n fields.
func entries(r io.Reader, n int) func(yield func([]string) bool) {
	return func(yield func([]string) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(nil, 1<<20) // a group may have thousands of members
		for lines.Scan() {
			fields := strings.Split(lines.Text(), ":")
			if len(fields) == n && fields[0] != "" && !strings.ContainsAny(fields[0][:1], "#+-") && !yield(fields) {
				return
			}
		}
	}
}

// parseID reads a UID or GID. The largest number means "none" to the kernel.
func parseID(text string) (uint32, bool) {
	id, err := strconv.ParseUint(text, 10, 32)
	return uint32(id), err == nil && id != math.MaxUint32 && strconv.FormatUint(id, 10) == text
}
