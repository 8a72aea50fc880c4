package spec

// Inspect calls f for every expression of s, and for those that it consists of.
func (s *Spec) Inspect(f func(Expr)) {
	for _, item := range s.Items {
		item.Inspect(f)
	}
	inspectCond(s.If, f)
}

// Inspect is [Spec.Inspect] for an item.
func (i *Item) Inspect(f func(Expr)) {
	inspect(i.Expr, f)
	inspectCond(i.Cond, f)
}

func inspectCond(c Cond, f func(Expr)) {
	switch c := c.(type) {
	case *Compare:
		inspect(c.X, f)
		inspect(c.Other, f)
	case *Not:
		inspectCond(c.X, f)
	case *And:
		inspectCond(c.X, f)
		inspectCond(c.Y, f)
	case *Or:
		inspectCond(c.X, f)
		inspectCond(c.Y, f)
	}
}

func inspect(x Expr, f func(Expr)) {
	if x == nil {
		return
	}
	f(x)
	switch x := x.(type) {
	case *Member:
		inspect(x.X, f)
	case *Index:
		inspect(x.X, f)
	case *Range:
		inspect(x.X, f)
	case *Deref:
		inspect(x.X, f)
	case *Addr:
		inspect(x.X, f)
	case *Cast:
		inspect(x.X, f)
	case *ContainerOf:
		inspect(x.X, f)
	case *Typed:
		inspect(x.X, f)
	case *Choice:
		inspect(x.X, f)
	case *SizeOf:
		inspect(x.X, f)
	case *Since:
		inspect(x.Key, f)
		inspect(x.Second, f)
		inspectCond(x.Start, f)
		inspectCond(x.End, f)
	}
}
