package dynevent

// A Side is the entry or the return of a function.
type Side uint8

const (
	Entry Side = iota
	Return
)

func (s Side) String() string {
	if s == Return {
		return "return"
	}
	return "entry"
}
