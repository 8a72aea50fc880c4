// data.js: the data of the page, as payload.go writes it.

const $ = (id) => document.getElementById(id);

const TIMED = 1, ENDED = 2, ORPHAN = 4, UNFINISHED = 8;
const ARG = 0, RETURN = 1, RESULT = 2, LABEL = 3, ERRNO = 4, FAULT = 5, FAULT_TEXT = 6;

// base64 returns the bytes of a text.
function base64(text) {
	if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
	const raw = atob(text), bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
	return bytes;
}

// numbers returns 64-bit numbers, of which those above 2^53 are rounded.
function numbers(words, signed) {
	const all = new Float64Array(words.length / 2);
	for (let i = 0; i < all.length; i++) {
		const high = signed ? words[2 * i + 1] | 0 : words[2 * i + 1];
		all[i] = high * 4294967296 + words[2 * i];
	}
	return all;
}

// load returns the data: that of the page is unpacked once.
async function load() {
	const element = $('data');
	const packed = new Blob([base64(element.textContent)]);
	element.remove();
	const unpacked = packed.stream().pipeThrough(new DecompressionStream('gzip'));
	const buffer = await new Response(unpacked).arrayBuffer();
	const size = new DataView(buffer).getUint32(0, true);
	const data = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
	let at = 4 + size;
	for (const c of data.columns) {
		const words = c.type === 'u32' ? c.n : 2 * c.n;
		data[c.name] = new Uint32Array(buffer, at, words);
		at += (4 * words + 7) & ~7;
	}
	data.exact = { at: data.at, duration: data.duration };
	data.at = numbers(data.at, true);
	data.duration = numbers(data.duration, false);
	data.n = data.at.length;
	data.order = order(data);
	return data;
}

// order returns the calls in the order in which they began.
function order(data) {
	const all = new Uint32Array(data.n);
	let sorted = true;
	for (let i = 0; i < data.n; i++) {
		all[i] = i;
		sorted &&= i === 0 || data.at[i - 1] <= data.at[i];
	}
	return sorted ? all : all.sort((a, b) => data.at[a] - data.at[b] || a - b);
}

// ended returns when a call ended, or when it began if that is not known.
const endOf = (i) => D.flags[i] & TIMED ? D.at[i] + D.duration[i] : D.at[i];

// exact returns a 64-bit number in full.
function exact(words, i, signed) {
	const n = BigInt(words[2 * i + 1]) << 32n | BigInt(words[2 * i]);
	return signed ? BigInt.asIntN(64, n) : n;
}

const firstPart = (i) => i === 0 ? 0 : D.end[i - 1];

// partsOf returns the values of a call.
function partsOf(i) {
	const all = { args: [], result: null, results: [], faults: [] };
	let last = null;
	for (let p = firstPart(i); p < D.end[i]; p += 2) {
		const kind = D.parts[p] & 7, text = D.texts[D.parts[p + 1]];
		switch (kind) {
		case LABEL: last.label = text; break;
		case ERRNO: last.errno = text; break;
		case FAULT: last = { name: text, why: '' }; all.faults.push(last); break;
		case FAULT_TEXT: last.why = text; break;
		default: {
			const item = D.items[D.parts[p] >>> 3];
			last = { name: D.texts[item[0]], type: D.texts[item[1]], value: text, label: '', errno: '' };
			if (kind === ARG) all.args.push(last);
			else if (kind === RETURN) { all.result = last; last.errno = D.texts[D.errno[i]]; }
			else all.results.push(last);
		}
		}
	}
	return all;
}

let D; // the data
