// heat.js: how many calls began when, and took how long.

// context returns a canvas to draw on, as large as it is shown.
function context(canvas) {
	const scale = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
	if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
		canvas.width = Math.round(width * scale);
		canvas.height = Math.round(height * scale);
	}
	const g = canvas.getContext('2d');
	g.setTransform(scale, 0, 0, scale, 0, 0);
	g.clearRect(0, 0, width, height);
	g.font = '11px system-ui, sans-serif';
	g.textBaseline = 'middle';
	return { g, width, height };
}

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

// step returns the distance of marks, of which at most n are in a span of ns.
function step(span, n) {
	const least = span / n, power = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].map((k) => k * power).find((s) => s >= least) || least;
}

// mark returns the text of a time of the line, as exact as marks are.
function markText(ns, distance) {
	const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(distance / 1e9) - 1e-9)));
	return (ns / 1e9).toFixed(digits) + 's';
}

const heat = {
	of: null, // first, width, n, cells
	rows: null, // the shortest and the longest octave
	box: null, // where cells are on the canvas
	at: null, // the cell of the keyboard

	// show shows all calls, or those that were chosen.
	show(calls, all) {
		heat.of = all ? D.heat : heat.count(calls);
		heat.at = null;
		let low = 64, high = 0, n = 0;
		for (const [, row, count] of heat.of.cells) {
			low = Math.min(low, row);
			high = Math.max(high, row);
			n += count;
		}
		heat.rows = [low, high];
		$('heat-note').textContent = n === 0 ? 'No call has a known duration.' :
			comma(n) + (n === 1 ? ' call' : ' calls') + (all ? '' : ' chosen') + ': when they began and how long they took. The stronger the colour, the more. A cell chooses its calls.';
		heat.draw();
	},

	count(calls) {
		const timed = calls.filter((i) => D.flags[i] & TIMED), columns = 240;
		if (!timed.length) return { first: 0, width: 1, n: 0, cells: [] };
		const first = D.at[timed[0]], span = D.at[timed[timed.length - 1]] - first;
		const width = Math.max(1, 2 ** Math.ceil(Math.log2((span + 1) / columns))), n = Math.floor(span / width) + 1;
		const counts = new Map();
		for (const i of timed) {
			const row = D.duration[i] < 1 ? 0 : Math.floor(Math.log2(D.duration[i])) + 1;
			const key = Math.floor((D.at[i] - first) / width) * 65 + row;
			counts.set(key, (counts.get(key) || 0) + 1);
		}
		return { first, width, n, cells: [...counts].map(([key, count]) => [Math.floor(key / 65), key % 65, count]) };
	},

	draw() {
		const { g, width, height } = context($('heat')), of = heat.of;
		if (!of || !of.cells.length) return;
		const [low, high] = heat.rows, left = 52, bottom = 20, rows = high - low + 1;
		const w = (width - left) / of.n, h = (height - bottom) / rows;
		heat.box = { left, w, h, rows, height: height - bottom, width: width - left };
		const most = of.cells.reduce((m, c) => Math.max(m, c[2]), 1), rgb = color('heat');
		for (const [column, row, count] of of.cells) {
			const strength = most === 1 ? 1 : 0.18 + 0.82 * Math.log(count) / Math.log(most);
			g.fillStyle = 'rgba(' + rgb + ', ' + strength.toFixed(3) + ')';
			g.fillRect(left + column * w, (high - row) * h, Math.max(w, 1.5), Math.max(h - 1, 1));
		}
		heat.axes(g, width, height);
		if (heat.at) {
			g.strokeStyle = color('fg');
			g.lineWidth = 2;
			g.strokeRect(left + heat.at[0] * w - 1, (high - heat.at[1]) * h - 1, Math.max(w, 1.5) + 2, h + 1);
		}
	},

	axes(g, width, height) {
		const { left, w, h, rows } = heat.box, of = heat.of, [, high] = heat.rows;
		g.fillStyle = color('dim');
		g.textAlign = 'right';
		const each = Math.ceil(15 / h);
		for (let row = 0; row < rows; row += each) {
			const octave = high - row; // its lower edge is at the lower edge of the row
			const y = Math.min((row + 1) * h, height - 26);
			g.fillText(time(octave ? 2 ** (octave - 1) : 0), left - 6, Math.max(y, 6));
		}
		const span = of.n * of.width, distance = step(span, Math.max(4, (width - left) / 90));
		g.textAlign = 'center';
		for (let t = Math.ceil(of.first / distance) * distance; t <= of.first + span; t += distance) {
			const x = left + (t - of.first) / of.width * w;
			g.fillRect(x, height - 19, 1, 4);
			if (x > left + 10 && x < width - 24) g.fillText(markText(t, distance), x, height - 7);
			else if (x <= left + 10) { g.textAlign = 'left'; g.fillText(markText(t, distance), x, height - 7); g.textAlign = 'center'; }
		}
	},

	// cell returns the cell at a place of the canvas.
	cell(x, y) {
		const b = heat.box;
		if (!b || x < b.left || y > b.height) return null;
		return [Math.min(Math.floor((x - b.left) / b.w), heat.of.n - 1), heat.rows[1] - Math.min(Math.floor(y / b.h), b.rows - 1)];
	},

	countOf: ([column, row]) => (heat.of.cells.find((c) => c[0] === column && c[1] === row) || [0, 0, 0])[2],

	// words returns the filter that chooses the calls of a cell.
	words([column, row]) {
		const from = heat.of.first + column * heat.of.width;
		const text = 'at>=' + from + ' at<' + (from + heat.of.width);
		return text + (row === 0 ? ' dur=0' : ' dur>=' + 2 ** (row - 1) + ' dur<' + 2 ** row);
	},

	tip(cell) {
		const n = heat.countOf(cell), from = heat.of.first + cell[0] * heat.of.width;
		const low = cell[1] === 0 ? 0 : 2 ** (cell[1] - 1);
		return comma(n) + (n === 1 ? ' call' : ' calls') + ', ' + time(low) + ' to ' + time(2 ** cell[1]) + ', at ' + moment(from) + 's to ' + moment(from + heat.of.width) + 's';
	},
};
