package route

import "slices"

// A Remark is a note of a plan on the way to a value.
type Remark struct {
	Kind RemarkKind
	Text string
}

// RemarkKind says what a Remark is.
type RemarkKind uint8

const (
	Note    RemarkKind = iota // the user should know it before believing the output
	Detail                    // a choice that was made, for --explain
	Address                   // a symbol whose address is in the plan
)

// remark returns p with a remark.
func (p Route) remark(kind RemarkKind, text string) Route {
	p.Remarks = append(slices.Clip(p.Remarks), Remark{kind, text})
	return p
}
