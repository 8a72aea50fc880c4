// Package fetchargs turns a spec and the types of a kernel into probes that fetch
// the values of the spec. It only reads and writes text. A spec goes through these
// steps:
//
//   - [spec.Parse]: the text becomes a tree.
//   - [Resolve]: each spec becomes a plan. The function is looked up, and its parameters
//     are located as the architecture passes them ([abi.Arch.Params]).
//   - walk: each expression becomes a route: a base, the pointers to load from there,
//     and the C type of the result.
//   - encode: the route becomes an [Arg], which says what the kernel fetches, and a
//     [value.Field], which says how the bytes become a value again. The pointers on the
//     way are fetched as well, because they show whether the value can be believed.
//   - conditions: what the kernel can decide goes into the event's filter; the rest
//     is left to [Plan.Match].
//   - finish: a [Plan] has a [Probe] for the function's entry, its return, or both.
//
// [Probe.Definitions] then returns the lines for kprobe_events, and [Probe.Decoder] decodes
// the records. What else is made of plans is in packages that import this one: emit writes
// lines to paste, explain says how each value is fetched, store keeps plans in recordings,
// and query asks a recording for values. What the stages need and share is in packages below:
// dynevent is the kernel's language of dynamic events, filter that of their filters, cond
// tests conditions, measure finds the values to sum up by, syscalls is the table of them.
package fetchargs
