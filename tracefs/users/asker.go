package users

import (
	"os"
	"sync"
)

// Asker returns the user for whom root runs this program through sudo or doas, and false
// if there is none. Root's environment is believed, but not that of a set-user-ID program,
// and nothing in it that is not valid.
var Asker = sync.OnceValues(func() (User, bool) {
	if os.Getuid() != 0 || os.Geteuid() != 0 {
		return User{}, false
	}
	return asker(os.Getenv, Lookup)
})

// asker reads the variables that sudo and doas set. sudo gives the numbers, doas the name.
func asker(getenv func(string) string, lookup func(string) (User, error)) (User, bool) {
	if uid, gid := getenv("SUDO_UID"), getenv("SUDO_GID"); uid != "" || gid != "" {
		u, err := lookup(uid + ":" + gid)
		return u, err == nil && u.UID != 0
	}
	name := getenv("DOAS_USER")
	if name == "" {
		return User{}, false
	}
	u, err := lookup(name)
	return u, err == nil && u.Name == name && u.UID != 0
}
