// filter.js: which calls the words of the filter choose.

let lowered; // texts in lower case
const found = new Map(); // by word, which texts contain it

// textsWith returns for each text whether it contains a word.
function textsWith(word) {
	let has = found.get(word);
	if (has) return has;
	lowered ??= D.texts.map((t) => t.toLowerCase());
	has = new Uint8Array(lowered.length);
	for (let i = 0; i < has.length; i++) has[i] = lowered[i].includes(word) ? 1 : 0;
	if (found.size > 50) found.clear();
	found.set(word, has);
	return has;
}

const hasFunction = (has) => {
	const of = D.functions.map(([name, module]) => has[name] || has[module]);
	return (i) => of[D.function[i]];
};
const hasComm = (has) => {
	const of = D.tasks.map((t) => has[t[3]]);
	return (i) => of[D.task[i]];
};
const hasHost = (word) => {
	const of = D.hosts.map((h) => h.host.toLowerCase().includes(word) || h.file.toLowerCase().includes(word));
	return (i) => of[D.tasks[D.task[i]][0]];
};
const hasStack = (has) => {
	const of = D.stacks.map((s) => s.some((f) => has[f]));
	return (i) => of[D.stack[i]];
};
const hasCaller = (has) => (i) => has[D.caller[i]];
const hasPart = (has, kinds) => (i) => {
	for (let p = firstPart(i); p < D.end[i]; p += 2) {
		if (has[D.parts[p + 1]] && kinds >> (D.parts[p] & 7) & 1) return true;
	}
	return false;
};
const hasErrno = (has) => {
	const errno = hasPart(has, 1 << ERRNO);
	return (i) => D.errno[i] && has[D.errno[i]] || errno(i);
};
const values = 1 << ARG | 1 << RETURN | 1 << RESULT | 1 << LABEL, faults = 1 << FAULT | 1 << FAULT_TEXT;

const fields = {
	func: (w) => hasFunction(textsWith(w)),
	comm: (w) => hasComm(textsWith(w)),
	caller: (w) => hasCaller(textsWith(w)),
	stack: (w) => hasStack(textsWith(w)),
	arg: (w) => hasPart(textsWith(w), values),
	errno: (w) => hasErrno(textsWith(w)),
	fault: (w) => hasPart(textsWith(w), faults),
	host: hasHost,
	tid: (w) => (i) => String(D.tasks[D.task[i]][2]) === w,
	pid: (w) => (i) => String(D.tasks[D.task[i]][1]) === w,
	cpu: (w) => (i) => String(D.cpu[i]) === w,
	is: (w) => (Object.hasOwn(states, w) ? states[w] : null),
};

const hasFault = (i) => {
	for (let p = firstPart(i); p < D.end[i]; p += 2) if ((D.parts[p] & 7) === FAULT) return true;
	return false;
};
const states = {
	failed: (i) => D.errno[i] > 0,
	fault: hasFault,
	unfinished: (i) => D.flags[i] & UNFINISHED,
	orphan: (i) => D.flags[i] & ORPHAN,
};

function anywhere(word) {
	const has = textsWith(word);
	const all = [hasFunction(has), hasComm(has), hasCaller(has), hasStack(has), hasErrno(has), hasPart(has, values | faults), hasHost(word)];
	return (i) => all.some((test) => test(i));
}

const units = { '': 1, ns: 1, us: 1e3, 'µs': 1e3, ms: 1e6, s: 1e9 };
const comparisons = {
	'>': (a, b) => a > b, '<': (a, b) => a < b, '>=': (a, b) => a >= b, '<=': (a, b) => a <= b, '=': (a, b) => a === b,
};

// compared returns the test of "dur>1ms", null if the word is not one.
function compared(word) {
	const m = /^(dur|at)(>=|<=|>|<|=)(-?[0-9.]+)([a-zµ]*)$/.exec(word);
	if (!m || !Object.hasOwn(units, m[4]) || isNaN(m[3])) return null;
	const than = Number(m[3]) * units[m[4]], holds = comparisons[m[2]];
	return m[1] === 'at' ? (i) => holds(D.at[i], than) : (i) => D.flags[i] & TIMED && holds(D.duration[i], than);
}

// test returns the test of one word, or an error.
function testOf(word) {
	const comparison = compared(word);
	if (comparison) return comparison;
	const colon = word.indexOf(':');
	const field = colon > 0 && Object.hasOwn(fields, word.slice(0, colon)) ? word.slice(0, colon) : '';
	if (!field) return /^(dur|at)[<>=]/.test(word) ? 'after ' + word.slice(0, 3).replace(/\W/, '') + ' comes a number with ns, us, ms or s: dur>1ms' : anywhere(word);
	const test = fields[field](word.slice(colon + 1));
	return test ?? 'is: is followed by ' + Object.keys(states).join(', ');
}

// choose returns the calls that a filter chooses, in the order of their beginnings, or an error.
function choose(query) {
	const tests = [];
	for (const [, not, quoted, plain] of query.toLowerCase().matchAll(/(-?)(?:"([^"]*)"?|(\S+))/g)) {
		if (!quoted && !plain) continue;
		const test = quoted ? anywhere(quoted) : testOf(plain);
		if (typeof test === 'string') return { error: test };
		tests.push(not ? (i) => !test(i) : test);
	}
	if (!tests.length) return { calls: D.order };
	return { calls: D.order.filter((i) => tests.every((test) => test(i))) };
}
