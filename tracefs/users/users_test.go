package users

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const passwd = `root:x:0:0:root:/root:/bin/bash
# a comment:x:1:1:::
alice:x:1000:1001:Alice,,,:/home/alice:/bin/sh
alice2:x:1000:1002:the same number:/:/bin/sh
1000:x:2000:2000:a name of digits:/:/bin/sh
none:x:4294967295:5:::
broken:x:one:5:::
short:x:7:7
+nis::::::
`

func TestParsePasswd(t *testing.T) {
	for text, want := range map[string]string{
		"root": "root 0 0", "0": "root 0 0", "alice": "alice 1000 1001", "alice2": "alice2 1000 1002",
		"1000": "1000 2000 2000", "2000": "1000 2000 2000",
		"nobody": "", "none": "", "broken": "", "short": "", "+nis": "", "": "", "4294967295": "", "00": "", "-1": "", "# a comment": "",
	} {
		u, ok := parsePasswd(strings.NewReader(passwd), text)
		if got := fmt.Sprint(u.Name, " ", u.UID, " ", u.GID); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %s, %v, want %s", text, got, ok, want)
		}
	}
}

func TestParseGroup(t *testing.T) {
	const group = "a:x:10:alice\nb:x:11:bob,alice,carol\nc:x:1001:alice\nd:x:12:alicex\ne:x:12\nf:x:-1:alice\n#g:x:13:alice\n"
	got := parseGroup(strings.NewReader(group), User{Name: "alice", UID: 1000, GID: 1001})
	if want := []uint32{1001, 10, 11}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestLookup(t *testing.T) {
	if u, err := Lookup("root"); err != nil || u.UID != 0 || u.Name != "root" || u.Home != "/root" {
		t.Errorf("%+v, %v", u, err)
	}
	if u, err := Lookup("4711:4712"); err != nil || !reflect.DeepEqual(u, User{UID: 4711, GID: 4712}) {
		t.Errorf("%+v, %v", u, err)
	}
	for _, text := range []string{"", "no such user", ":", "1:", ":1", "a:b", "1:2:3", "4294967295:1", "1:-1", " 1:1"} {
		if u, err := Lookup(text); err == nil {
			t.Errorf("%q: %+v", text, u)
		}
	}
}

// TestAskerBelieved: only what sudo and doas can have set is believed.
func TestAskerBelieved(t *testing.T) {
	lookup := func(text string) (User, error) {
		if strings.Contains(text, ":") {
			return Lookup(text)
		}
		if u, ok := parsePasswd(strings.NewReader(passwd), text); ok {
			return u, nil
		}
		return User{}, errors.New("unknown")
	}
	for env, want := range map[string]string{
		"": "", "SUDO_UID=1000 SUDO_GID=1001": "1000 1001", "DOAS_USER=alice": "1000 1001",
		"SUDO_UID=1000": "", "SUDO_GID=1001": "", "SUDO_UID=0 SUDO_GID=0": "", "SUDO_UID=-1 SUDO_GID=0": "",
		"SUDO_UID=4294967295 SUDO_GID=1": "", "SUDO_UID=0x10 SUDO_GID=1": "", "SUDO_UID=01000 SUDO_GID=1": "", "SUDO_UID=1000:5 SUDO_GID=1": "",
		"SUDO_UID=alice SUDO_GID=1": "", "DOAS_USER=root": "", "DOAS_USER=nobody": "", "DOAS_USER=2000": "", "DOAS_USER=1000:1001": "",
	} {
		vars := map[string]string{}
		for v := range strings.FieldsSeq(env) {
			name, value, _ := strings.Cut(v, "=")
			vars[name] = value
		}
		u, ok := asker(func(name string) string { return vars[name] }, lookup)
		if got := fmt.Sprint(u.UID, " ", u.GID); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %s, %v, want %s", env, got, ok, want)
		}
	}
}
