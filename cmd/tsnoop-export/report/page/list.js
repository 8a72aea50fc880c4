// list.js: the calls that are chosen, a row each, of which only those in view exist.

const list = {
	calls: null,
	rows: [], // elements that show calls, which are used again

	height: () => parseInt(getComputedStyle(document.documentElement).getPropertyValue('--row'), 10),

	show(calls) {
		list.calls = calls;
		$('list').scrollTop = 0;
		list.resize();
	},

	resize() {
		$('space').style.height = list.calls.length * list.height() + 'px';
		const shown = Math.min(Math.round(innerHeight * 0.6), 640);
		$('list').style.height = Math.max(Math.min(list.calls.length * list.height() + 2, shown), 30) + 'px';
		list.draw();
	},

	draw() {
		const box = $('list'), each = list.height(), beyond = 8;
		const first = Math.max(0, Math.floor(box.scrollTop / each) - beyond);
		const n = Math.min(Math.ceil(box.clientHeight / each) + 2 * beyond, list.calls.length - first);
		while (list.rows.length < n) list.rows.push(list.make());
		while (list.rows.length > Math.max(n, 0)) list.rows.pop().remove();
		$('rows').style.transform = 'translateY(' + first * each + 'px)';
		for (let k = 0; k < n; k++) list.fill(list.rows[k], list.calls[first + k], first + k);
		const current = selected >= 0 && list.rows.find((r) => r.call === selected);
		if (current) box.setAttribute('aria-activedescendant', current.id);
		else box.removeAttribute('aria-activedescendant');
	},

	make() {
		const row = element('div', 'row');
		row.setAttribute('role', 'option');
		for (const name of ['at', 'cpu', 'who', 'what', 'n dur']) row.append(element('span', name));
		$('rows').append(row);
		return row;
	},

	// fill shows a call in a row, unless it does already.
	fill(row, i, position) {
		row.setAttribute('aria-selected', i === selected);
		if (row.call === i && row.position === position) return;
		row.call = i;
		row.position = position;
		row.id = 'call-' + i;
		row.setAttribute('aria-posinset', position + 1);
		row.setAttribute('aria-setsize', list.calls.length);
		list.texts(row, i);
	},

	texts(row, i) {
		const [at, cpu, who, what, dur] = row.children;
		at.textContent = moment(D.at[i]);
		cpu.textContent = D.cpu[i];
		who.textContent = taskName(D.task[i]);
		what.replaceChildren(element('span', D.errno[i] ? 'err' : 'fn', functionName(i)), argsText(i));
		dur.textContent = durationText(i);
	},

	// position returns the row of a call, -1 if it is not chosen.
	position: (i) => list.calls.indexOf(i),

	reveal(i) {
		const at = list.position(i), box = $('list'), each = list.height();
		if (at < 0) return;
		if (at * each < box.scrollTop) box.scrollTop = at * each;
		else if ((at + 1) * each > box.scrollTop + box.clientHeight) box.scrollTop = (at + 1) * each - box.clientHeight;
		list.draw();
	},

	// print puts the first calls on the paper, where nothing scrolls.
	print() {
		const most = 300, paper = $('printed');
		paper.replaceChildren();
		for (const i of list.calls.subarray(0, most)) {
			const row = element('div', 'row');
			for (const name of ['at', 'cpu', 'who', 'what', 'n dur']) row.append(element('span', name));
			list.texts(row, i);
			paper.append(row);
		}
		if (list.calls.length > most) paper.append(element('p', 'note', 'The first ' + most + ' of ' + comma(list.calls.length) + ' calls.'));
	},
};
