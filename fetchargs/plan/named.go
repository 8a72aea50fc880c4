package plan

// FuncName returns the name of the function that the plan traces.
func (p *Plan) FuncName() string {
	switch {
	case p.Func != nil:
		return p.Func.Name
	case p.Spec != nil:
		return p.Spec.Func.Text
	}
	return "?"
}

// ModuleName returns the module of that function, "" for the kernel itself.
func (p *Plan) ModuleName() string {
	switch {
	case p.Func != nil:
		return p.Func.Module
	case p.Spec != nil:
		return p.Spec.Module.Text
	}
	return ""
}
