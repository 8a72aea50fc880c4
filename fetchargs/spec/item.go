package spec

// ParseItem parses one item of a spec's parameter list. The error, if any, is an
// [Errors].
func ParseItem(text string) (*Item, error) {
	p := &parser{text: text}
	p.tok = scanAt(text, 0)
	item := p.item()
	switch {
	case len(p.errs) > 0:
		return nil, p.errs
	case item == nil:
		p.fail(Span{0, len(text)}, "", "this is not a value")
	case p.tok.kind != tokEOF:
		p.fail(p.tok.Span, "give one value", "%s", p.describe())
	}
	if len(p.errs) > 0 {
		return nil, p.errs
	}
	return item, nil
}
