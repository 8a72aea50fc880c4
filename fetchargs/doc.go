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
// [Probe.Definitions] then returns the lines for kprobe_events. [EmitTracefs],
// [EmitShell] and [EmitBoot] write them for people to paste, [Plan.Explain] says
// how each value is fetched, and [Save] and [Load] keep plans in recordings.
// [Probe.Decoder] decodes the records.
package fetchargs
