// Package fetchargs makes of a spec and a kernel's types the probes that bring its
// values. It reads and writes nothing but text. A spec passes through:
//
//   - [spec.Parse]: text becomes a tree.
//   - [Resolve]: a plan for each spec. The function is looked up, and its parameters
//     are located as the architecture passes them ([abi.Arch.Params]).
//   - walk: each expression becomes a route, a base and the pointers to load from
//     there, with the C type that it has in the end.
//   - encode: the route becomes an [Arg], what the kernel is to fetch, and a
//     [value.Field], how the bytes become a value again. Pointers on the way are
//     fetched as well, for they tell whether the value is to be believed.
//   - conditions: what the kernel can decide goes into the event's filter; what it
//     cannot is left to [Plan.Match].
//   - finish: a [Plan] has a [Probe] for the function's entry, its return, or both.
//
// Then [Probe.Definitions] are the lines for kprobe_events, [EmitTracefs],
// [EmitShell] and [EmitBoot] write them for people to paste, [Plan.Explain] says how
// each value is fetched, and [Save] and [Load] keep plans in recordings. The records
// that come are read by [Probe.Decoder].
package fetchargs
