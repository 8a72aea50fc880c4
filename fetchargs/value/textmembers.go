package value

import "github.com/tsnoop/tsnoop/btf"

// textMembers lists members that hold text though their type is not char: bytes that end
// in a NUL, or fill an array. The headers or the code that prints them show this.
var textMembers = map[string]bool{
	"qstr.name":                        true, // include/linux/dcache.h: d_name, the kernel's commonest string
	"dentry.d_iname":                   true, // the same: a short name in place, up to 6.13
	"shortname_store.string":           true, // the same: d_shortname, since 6.14
	"name_snapshot.inline_name":        true, // the same: up to 6.13
	"external_name.name":               true, // fs/dcache.c: a long name
	"xfs_name.name":                    true, // fs/xfs/libxfs/xfs_types.h: a qstr's
	"ext4_fc_dentry_update.fcd_iname":  true, // fs/ext4/fast_commit.h: a copy of d_iname
	"ima_event_data.filename":          true, // security/integrity/ima/ima.h
	"fs_sysfs_path.name":               true, // include/uapi/linux/fs.h
	"partition_meta_info.volname":      true, // include/linux/blkdev.h: PARTNAME in uevent
	"cn_callback_id.name":              true, // include/linux/connector.h
	"cn_queue_dev.name":                true, // the same
	"intel_iommu.name":                 true, // drivers/iommu/intel/iommu.h: "dmar%d"
	"intel_iommu.prq_name":             true, // the same
	"intel_iommu.iopfq_name":           true, // the same
	"iommu_pmu.irq_name":               true, // the same
	"kbsentry.kb_string":               true, // include/uapi/linux/kd.h: of a function key
	"fb_monspecs.monitor":              true, // include/linux/fb.h
	"fb_monspecs.serial_no":            true, // the same
	"fb_monspecs.ascii":                true, // the same
	"cper_section_descriptor.fru_text": true, // include/linux/cper.h: printed with %.20s
}

// byteMembers lists members that do not hold text though their type is char.
var byteMembers = map[string]bool{
	"sk_buff.cb": true, // include/linux/skbuff.h: control block, free for every layer
}

// IsTextMember reports whether the member of that name of a struct or union is text.
func IsTextMember(t btf.Type, name string) bool {
	switch t := btf.Strip(t).(type) {
	case *btf.Struct:
		return textMembers[t.Name+"."+name]
	case *btf.Union:
		return textMembers[t.Name+"."+name]
	}
	return false
}
