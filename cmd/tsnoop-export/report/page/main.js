// main.js: what the user does.

let selected = -1; // the call that is marked

// later calls draw once before the next picture.
const waiting = new Set();
function later(draw) {
	if (!waiting.size) requestAnimationFrame(() => {
		const all = [...waiting];
		waiting.clear();
		for (const one of all) one();
	});
	waiting.add(draw);
}

// select marks a call, and shows its details if asked to.
function select(i, details) {
	selected = i;
	list.reveal(i);
	timeline.reveal(i);
	later(list.draw);
	if (details || detail.open()) detail.show(i);
	save();
}

// move selects the next call of those that are chosen.
function move(by, details) {
	const all = list.calls;
	if (!all.length) return;
	const at = selected < 0 ? -1 : list.position(selected);
	const to = at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + by, 0), all.length - 1);
	select(all[to], details);
}

// edge selects the first or the last call.
function edge(at) {
	const i = list.calls.at(at);
	if (i !== undefined) select(i);
}

function filter(query, keep) {
	const chosen = choose(query);
	$('filter-note').textContent = chosen.error || '';
	if (chosen.error) return;
	const calls = chosen.calls, all = calls.length === D.n && D.n > 0;
	$('count').textContent = (all ? '' : comma(calls.length) + ' of ') + comma(D.n) + ' calls';
	if (selected >= 0 && !calls.includes(selected)) selected = -1;
	list.show(calls);
	timeline.show(calls);
	heat.show(calls, query.trim() === '');
	if (selected >= 0) list.reveal(selected);
	if (!keep) save();
}

function setFilter(text) {
	$('filter').value = text;
	filter(text);
}

// save keeps filter and call in the address, so that they can be sent along with the file.
function save() {
	const state = new URLSearchParams();
	if ($('filter').value.trim()) state.set('q', $('filter').value.trim());
	if (selected >= 0 && detail.open()) state.set('call', selected);
	try {
		history.replaceState(null, '', '#' + state);
	} catch {
		// a browser may not allow it for a file
	}
}

function restore() {
	const state = new URLSearchParams(location.hash.slice(1)), call = Number(state.get('call') ?? -1);
	$('filter').value = state.get('q') || '';
	selected = -1;
	$('detail').hidden = true;
	filter($('filter').value, true);
	if (Number.isInteger(call) && call >= 0 && call < D.n && list.position(call) >= 0) select(call, true);
}

function tip(text, x, y) {
	const box = $('tip');
	box.hidden = !text;
	if (!text) return;
	box.textContent = text;
	box.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.offsetWidth - 8)) + 'px';
	box.style.top = (y + 18 + box.offsetHeight > innerHeight ? y - box.offsetHeight - 8 : y + 18) + 'px';
}

function listenList() {
	const box = $('list');
	box.addEventListener('scroll', () => later(list.draw), { passive: true });
	box.addEventListener('click', (e) => {
		const row = e.target.closest('.row');
		if (row) select(row.call, true);
	});
	const page = () => Math.max(1, Math.floor(box.clientHeight / list.height()) - 1);
	const keys = { ArrowDown: () => move(1), ArrowUp: () => move(-1), PageDown: () => move(page()), PageUp: () => move(-page()), Home: () => edge(0), End: () => edge(-1) };
	box.addEventListener('keydown', (e) => {
		if (keys[e.key]) { e.preventDefault(); keys[e.key](); }
		if (e.key === 'Enter' && selected >= 0) { detail.show(selected); $('detail').focus(); save(); }
	});
}

function listenTimeline() {
	const box = $('lanes'), canvas = $('time');
	let held = null;
	box.addEventListener('scroll', () => later(timeline.draw), { passive: true });
	const timeAt = (e) => timeline.from + (e.offsetX - timeline.scale.left) / timeline.scale.scale;
	canvas.addEventListener('wheel', (e) => {
		if (e.ctrlKey || e.metaKey) timeline.zoom(e.deltaY > 0 ? 1.25 : 0.8, timeAt(e));
		else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) timeline.pan((e.deltaX || e.deltaY) / timeline.scale.scale);
		else return; // lanes scroll
		e.preventDefault();
	}, { passive: false });
	canvas.addEventListener('pointerdown', (e) => { held = { x: e.offsetX, from: timeline.from, to: timeline.to, moved: false, id: e.pointerId }; });
	canvas.addEventListener('pointermove', (e) => {
		if (held && Math.abs(e.offsetX - held.x) > 3) {
			if (!held.moved) canvas.setPointerCapture(held.id);
			held.moved = true;
			const by = (held.x - e.offsetX) / timeline.scale.scale;
			timeline.view(held.from + by, held.to + by);
		}
		const i = held ? -1 : timeline.hit(e.offsetX, e.offsetY);
		tip(i < 0 ? '' : functionName(i) + argsText(i).slice(0, 300) + ' ' + durationText(i), e.clientX, e.clientY);
	});
	canvas.addEventListener('pointerleave', () => tip(''));
	canvas.addEventListener('pointercancel', () => { held = null; });
	canvas.addEventListener('pointerup', (e) => {
		const i = held && !held.moved ? timeline.hit(e.offsetX, e.offsetY) : -1;
		held = null;
		if (i >= 0) select(i, true);
	});
	canvas.addEventListener('dblclick', (e) => timeline.zoom(0.25, timeAt(e)));
	const span = () => timeline.to - timeline.from;
	const keys = {
		ArrowLeft: () => timeline.pan(-span() / 8), ArrowRight: () => timeline.pan(span() / 8), '+': () => timeline.zoom(0.5), '=': () => timeline.zoom(0.5), '-': () => timeline.zoom(2),
		0: timeline.all, n: () => move(1), p: () => move(-1), Enter: () => selected >= 0 && select(selected, true),
	};
	box.addEventListener('keydown', (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
		e.preventDefault();
		keys[e.key]();
	});
	for (const [id, act] of [['zoom-in', () => timeline.zoom(0.5)], ['zoom-out', () => timeline.zoom(2)], ['zoom-all', timeline.all]]) $(id).addEventListener('click', act);
}

function listenHeat() {
	const canvas = $('heat');
	canvas.addEventListener('pointermove', (e) => {
		const cell = heat.cell(e.offsetX, e.offsetY);
		tip(cell && heat.countOf(cell) ? heat.tip(cell) : '', e.clientX, e.clientY);
	});
	canvas.addEventListener('pointerleave', () => tip(''));
	canvas.addEventListener('click', (e) => {
		const cell = heat.cell(e.offsetX, e.offsetY);
		if (cell && heat.countOf(cell)) setFilter(heat.words(cell));
	});
	canvas.addEventListener('keydown', (e) => {
		const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
		if (e.key === 'Enter' && heat.at && heat.countOf(heat.at)) setFilter(heat.words(heat.at));
		if (!by || !heat.of.cells.length) return;
		e.preventDefault();
		const [x, y] = heat.at || [0, heat.rows[0]], limit = (n, low, high) => Math.min(Math.max(n, low), high);
		heat.at = heat.at ? [limit(x + by[0], 0, heat.of.n - 1), limit(y + by[1], ...heat.rows)] : [x, y];
		heat.draw();
		const box = canvas.getBoundingClientRect();
		tip(heat.tip(heat.at), box.left + heat.box.left + heat.at[0] * heat.box.w, box.top + (heat.rows[1] - heat.at[1]) * heat.box.h);
	});
	canvas.addEventListener('blur', () => tip(''));
}

// listenSummary makes functions choose their calls, and columns sort rows.
function listenSummary() {
	const body = document.querySelector('#summary tbody');
	for (const name of body.querySelectorAll('th')) {
		const b = element('button', '', ...name.childNodes);
		b.type = 'button';
		const text = name.parentElement.dataset.name;
		b.addEventListener('click', () => setFilter('func:' + text.replace(/ .*/, '').toLowerCase()));
		name.append(b);
	}
	const heads = document.querySelectorAll('#summary thead th[data-by]');
	for (const head of heads) {
		const b = element('button', '', ...head.childNodes);
		b.type = 'button';
		head.append(b);
		b.addEventListener('click', () => {
			const by = head.dataset.by, down = head.getAttribute('aria-sort') ? head.getAttribute('aria-sort') !== 'descending' : by !== 'name';
			for (const other of heads) other.removeAttribute('aria-sort');
			head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
			const compare = by === 'name' ? (a, b) => (a.dataset.name < b.dataset.name ? -1 : 1) : (a, b) => a.dataset[by] - b.dataset[by];
			body.append(...[...body.rows].sort((a, b) => (down ? -compare(a, b) : compare(a, b))));
		});
	}
}

function listenPage() {
	let timer = 0;
	$('filter').addEventListener('input', () => {
		clearTimeout(timer);
		timer = setTimeout(() => filter($('filter').value), 120);
	});
	$('filter').addEventListener('keydown', (e) => {
		if (e.key === 'Escape' && $('filter').value) { e.stopPropagation(); setFilter(''); }
		if (e.key === 'Enter') { clearTimeout(timer); filter($('filter').value); }
	});
	$('help-button').addEventListener('click', () => {
		$('help').hidden = !$('help').hidden;
		$('help-button').setAttribute('aria-expanded', !$('help').hidden);
	});
	document.addEventListener('keydown', (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey || e.target === $('filter')) return;
		if (e.key === '/') { e.preventDefault(); $('filter').focus(); $('filter').select(); }
		if (e.key === 'j') move(1);
		if (e.key === 'k') move(-1);
		if (e.key === 'Escape' && detail.open()) detail.close();
	});
	const draw = () => { list.resize(); heat.draw(); timeline.draw(); };
	addEventListener('resize', () => later(draw));
	for (const query of ['(prefers-color-scheme: dark)', 'print']) matchMedia(query).addEventListener('change', draw);
	addEventListener('beforeprint', () => { list.print(); draw(); });
	addEventListener('afterprint', () => $('printed').replaceChildren());
	addEventListener('hashchange', restore);
}

async function main() {
	try {
		D = await load();
		$('app').hidden = false;
		listenSummary();
		listenList();
		listenTimeline();
		listenHeat();
		listenPage();
		restore();
		document.documentElement.dataset.ready = D.n;
		performance.mark('ready');
	} catch (e) {
		const note = element('p', 'note bad', 'The calls cannot be shown: ' + e + '. A browser of 2023 or later is needed.');
		note.id = 'failed';
		document.querySelector('main').append(note);
		$('app').hidden = true;
		throw e;
	}
}

main();
