// text.js: calls and numbers as text. All text reaches the page as text nodes, or on a canvas.

// element makes an element with text or further elements in it.
function element(name, className, ...inside) {
	const e = document.createElement(name);
	if (className) e.className = className;
	e.append(...inside);
	return e;
}

function comma(n) { return String(n).replace(/\B(?=(\d{3})+$)/g, ','); }

// time returns a duration in ns as "1.23ms".
function time(ns) {
	if (ns < 1000) return Math.round(ns) + 'ns';
	for (const [unit, name] of [[1e3, 'us'], [1e6, 'ms'], [1e9, 's']]) {
		const n = ns / unit;
		if (n < 9.995) return n.toFixed(2).replace(/\.?0+$/, '') + name;
		if (n < 99.95) return n.toFixed(1).replace(/\.0$/, '') + name;
		if (n < 999.5 || unit === 1e9) return Math.round(n) + name;
	}
}

// moment returns a time of the line in seconds.
function moment(ns) { return (ns / 1e9).toFixed(6); }

// wall returns the time of day of a call, "" if it is not known.
function wall(i) {
	if (!D.walls) return '';
	const ns = BigInt(D.start) + exact(D.exact.at, i, true);
	const ms = ns / 1000000n, date = new Date(Number(ms));
	if (isNaN(date)) return '';
	const rest = String(((ns % 1000000000n) + 1000000000n) % 1000000000n).padStart(9, '0');
	return date.toISOString().slice(0, 19).replace('T', ' ') + '.' + rest + ' UTC';
}

// isolate keeps letters that are written from right to left from moving what is around them.
const isolate = (text) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(text) ? '\u2068' + text + '\u2069' : text);

function functionName(i) {
	const [name, module] = D.functions[D.function[i]];
	return isolate(D.texts[name] + (module ? ' [' + D.texts[module] + ']' : ''));
}

const commOf = (task) => isolate(D.texts[D.tasks[task][3]] || '?');

// taskName returns "dd-12", with its host if there are several.
function taskName(task) {
	const [trace, , tid] = D.tasks[task];
	const host = D.hosts.length > 1 && D.hosts[trace] ? isolate(D.hosts[trace].host || D.hosts[trace].file) + ': ' : '';
	return host + commOf(task) + '-' + tid;
}

const valueText = (v) => isolate(v.label || v.value);
const assigned = (v) => isolate(v.name) + '=' + valueText(v);

// argsText returns "(count=12, file="x")" and what follows it.
function argsText(i) {
	const p = partsOf(i);
	let text = '(' + p.args.map(assigned).join(', ') + ')';
	if (p.result) text += ' = ' + valueText(p.result);
	if (p.result && p.result.errno && !p.result.label) text += ' (' + p.result.errno + ')';
	if (p.results.length) text += ' ' + p.results.map(assigned).join(', ');
	return text;
}

// durationText returns how long a call took, or why that is not known.
function durationText(i) {
	const f = D.flags[i];
	if (f & TIMED) return time(D.duration[i]);
	return f & UNFINISHED ? 'unfinished' : f & ORPHAN ? 'no entry' : '';
}

// pretty breaks JSON into lines, one for an array of numbers or texts. It leaves numbers as they
// are, which JSON.parse would round.
function pretty(json) {
	let out = '', depth = 0;
	const line = () => '\n' + '  '.repeat(Math.min(depth, 40));
	for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"?|\[(?:[^"[\]{}]|"(?:[^"\\]|\\.)*")*\]|\{\}|[{}[\],:]|[^"{}[\],:]+/g)) {
		switch (token[0]) {
		case '{': case '[':
			if (token.length > 1) { out += token.replace(/("(?:[^"\\]|\\.)*")|,/g, (all, text) => text || ', '); break; }
			depth++;
			out += token + line();
			break;
		case '}': case ']': depth = Math.max(depth - 1, 0); out += line() + token; break;
		case ',': out += ',' + line(); break;
		case ':': out += ': '; break;
		default: out += token;
		}
	}
	return out;
}
