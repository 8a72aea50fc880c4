package btf

import (
	"iter"
	"slices"
	"strings"
)

// Suggest returns the candidates that somebody who wrote name may have meant: at most three,
// the closest one first. Letter case is ignored.
//
// A candidate is close if few letters differ (at most one in three; swapped neighbours
// count as one) or if one name contains the other. Sixty thousand candidates take a few
// milliseconds.
func Suggest(name string, candidates iter.Seq[string]) []string {
	return near(name, distance, pairs(name, candidates))
}

// SuggestFuncs is Suggest for the many thousand functions of a kernel. Some are a few letters
// away from anything one writes, so candidates must be closer.
func SuggestFuncs(name string, candidates iter.Seq[string]) []string {
	return near(name, funcDistance, pairs(name, candidates))
}

func pairs(name string, candidates iter.Seq[string]) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for c := range candidates {
			if c != name && !yield(c, c) {
				return
			}
		}
	}
}

// near is Suggest for candidates of which only a part, the second value, is compared. A
// candidate that is longer than that part comes after others that are as close.
func near(name string, distance func(a, b string) (int, bool), candidates iter.Seq2[string, string]) []string {
	const most = 3
	type match struct {
		name string
		cost int
	}
	var best []match
	want := strings.ToLower(name)
	for c, compared := range candidates {
		cost, ok := distance(want, strings.ToLower(compared))
		if !ok {
			continue
		}
		if c != compared {
			cost++
		}
		m := match{c, cost}
		at, seen := slices.BinarySearchFunc(best, m, func(a, b match) int {
			if a.cost != b.cost {
				return a.cost - b.cost
			}
			return strings.Compare(a.name, b.name)
		})
		if !seen && at < most {
			best = slices.Insert(best, at, m)
			best = best[:min(len(best), most)]
		}
	}
	var names []string
	for _, m := range best {
		names = append(names, m.name)
	}
	return names
}

// distance returns how far apart two names are, false if they are too far apart. An edit
// costs 4. Letters that are missing at the front or the end cost 4 together, and 1 more
// for each letter, up to 12.
func distance(a, b string) (int, bool) {
	const edit, most = 4, 12
	if a == "" || b == "" {
		return 0, false
	}
	cost, ok := 0, false
	if short, long := a, b; len(a) >= 3 && len(b) >= 3 {
		if len(short) > len(long) {
			short, long = long, short
		}
		if strings.Contains(long, short) {
			cost, ok = edit+min(len(long)-len(short), most-edit), true
			if !strings.HasPrefix(long, short) {
				cost++
			}
		}
	}
	limit := max(1, min(len(a), len(b))/3)
	if d := edits(a, b, limit); d <= limit && (!ok || d*edit < cost) {
		cost, ok = d*edit, true
	}
	return cost, ok
}

// funcDistance is distance for names of functions: at most three edits, and at most one
// in four letters. The name may also be whole words of the candidate, like "sendmsg" in
// "tcp_sendmsg", or begin with the candidate if not much more follows: "now_or_never" is
// not close to "now".
func funcDistance(name, candidate string) (int, bool) {
	const edit, most = 4, 3
	cost, ok := 0, false
	short, long := name, candidate
	if len(short) > len(long) {
		short, long = long, short
	}
	few := len(candidate) < len(name) && (len(candidate)*2 < len(name) || !strings.HasPrefix(name, candidate))
	if len(short) >= 3 && !few && hasWords(long, short) {
		cost, ok = edit+min(len(long)-len(short), 2*edit), true
		if !strings.HasPrefix(long, short) {
			cost++
		}
	}
	limit := min(most, max(1, len(short)/4))
	if d := edits(name, candidate, limit); d <= limit && (!ok || d*edit < cost) && !otherWord(name, candidate) {
		cost, ok = d*edit, true
	}
	return cost, ok
}

// otherWord reports whether two names differ in one of several words, and that one is
// another word and not mistyped: "do" in "do_new_mount" is not close to "aa".
func otherWord(a, b string) bool {
	as, bs := strings.Split(a, "_"), strings.Split(b, "_")
	if len(as) != len(bs) || len(as) == 1 {
		return false
	}
	differ, other := 0, false
	for i, word := range as {
		if word == bs[i] {
			continue
		}
		differ++
		limit := max(1, min(len(word), len(bs[i]))/2)
		other = other || edits(word, bs[i], limit) > limit
	}
	return differ == 1 && other
}

// hasWords reports whether words are the beginning of name, or whole words in it.
func hasWords(name, words string) bool {
	if strings.HasPrefix(name, words) {
		return true
	}
	for from := 0; ; {
		i := strings.Index(name[from:], words)
		if i < 0 {
			return false
		}
		at, end := from+i, from+i+len(words)
		if name[at-1] == '_' && (end == len(name) || name[end] == '_') {
			return true
		}
		from = at + 1
	}
}

// edits returns how many letters must be inserted, deleted, replaced or swapped with
// their neighbour to turn a into b. It returns limit+1 if there are more than limit.
func edits(a, b string, limit int) int {
	const longest = 128
	if abs(len(a)-len(b)) > limit || len(a) > longest || len(b) > longest {
		return limit + 1
	}
	var rows [3][longest + 1]int
	older, old, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		old[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			d := old[j-1]
			if a[i-1] != b[j-1] {
				d = min(d, old[j], row[j-1]) + 1
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					d = min(d, older[j-2]+1)
				}
			}
			row[j] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
		older, old, row = old, row, older
	}
	return old[len(b)]
}

func abs(n int) int { return max(n, -n) }
