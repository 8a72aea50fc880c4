package store

import "github.com/tsnoop/tsnoop/fetchargs/value"

func savePath(p *value.Path) *savedPath {
	if p == nil {
		return nil
	}
	return &savedPath{
		Names: p.Names, Dentries: p.Dentries, Mount: savePath(p.Mount),
		Top: p.Top, Up: p.Up, Mnt: p.Mnt, Off: p.Off, Hash: p.Hash, Magic: p.Magic, Inode: p.Inode,
	}
}

// load leaves out mounts that are deeper than any plan has them.
func (s *savedPath) load(depth int) *value.Path {
	if s == nil || depth >= value.MostMounts {
		return nil
	}
	return &value.Path{
		Names: s.Names, Dentries: s.Dentries, Mount: s.Mount.load(depth + 1),
		Top: s.Top, Up: s.Up, Mnt: s.Mnt, Off: s.Off, Hash: s.Hash, Magic: s.Magic, Inode: s.Inode,
	}
}
