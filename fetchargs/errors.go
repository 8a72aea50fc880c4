package fetchargs

import (
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// complaints collects the errors of one spec.
type complaints struct {
	text string // of the spec
	errs spec.Errors
}

func (c *complaints) fail(at spec.Span, hint, format string, args ...any) {
	c.failWith(at, nil, hint, format, args...)
}

// failFix is like fail, with a hint that fixes the spec.
func (c *complaints) failFix(at spec.Span, fix spec.Fix, lead, format string, args ...any) {
	c.fail(at, "", format, args...)
	c.errs[len(c.errs)-1].Mend(fix.Span, lead, fix.Text)
}

func (c *complaints) failWith(at spec.Span, err error, hint, format string, args ...any) {
	c.errs = append(c.errs, &spec.Error{Text: c.text, Span: at, Msg: fmt.Sprintf(format, args...), Hint: hint, Err: err})
}
