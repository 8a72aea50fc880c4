// Package fetchargs turns a spec and the types of a kernel into probes that fetch
// the values of the spec. It only reads and writes text. A spec goes through these
// packages, of which none imports a later one:
//
//   - spec: the text becomes a tree.
//   - find: the function is looked up on the target, one for each match of a glob.
//   - route: each expression becomes a route: a base, the pointers to load from there,
//     and the C type of the result.
//   - encode: the route becomes a fetcharg, which says what the kernel fetches, and a field,
//     which says how the bytes become a value again.
//   - line: the fetchargs of a probe are collected, each once, and named.
//   - readcheck: what shows whether the memory that a probe reads was there is added.
//   - pushdown: what the kernel can decide of the conditions becomes the event's filter.
//   - probes: each side of the function, entry and return, puts these together. The pointers on
//     the way are fetched as well, because they show whether the value can be believed. At last
//     the fetchargs get their places in the line.
//   - plan: a plan has a probe for the function's entry, its return, or both.
//
// This package decides which values the spec asks for, and takes each through the stages.
//
// Other packages import plan: emit writes lines to paste, explain says how each value is
// fetched, store keeps plans in recordings, query asks a recording for values, and complete
// says how an unfinished spec can go on. The stages share the packages below them: target is
// the kernel and what the run wants, dynevent the kernel's language of dynamic events, filter
// that of their filters, cond tests conditions, measure finds the values to sum up by, and
// syscalls is the table of them.
package fetchargs
