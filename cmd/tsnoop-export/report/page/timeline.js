// timeline.js: a lane for each task, in which its calls are bars, and calls in calls below them.

const LINE = 16, AXIS = 22, GAP = 6, mostRows = 40;

const timeline = {
	lanes: [], // task, calls (in the order of their beginnings), top, rows, longest
	from: 0, to: 1, // ns
	first: 0, last: 1, // of all that is shown
	rowOf: null, // row of each call in its lane

	// place finds the row of each call: the first one that is free. What is called during a call
	// is below it.
	place() {
		timeline.rowOf = new Uint8Array(D.n);
		const free = D.tasks.map(() => []);
		const longFirst = D.order.slice().sort((a, b) => D.at[a] - D.at[b] || endOf(b) - endOf(a));
		for (const i of longFirst) {
			const rows = free[D.task[i]];
			let row = 0;
			while (row < rows.length && rows[row] > D.at[i]) row++;
			row = Math.min(row, mostRows - 1);
			rows[row] = Math.max(rows[row] || 0, endOf(i));
			timeline.rowOf[i] = row;
		}
	},

	show(calls) {
		if (!timeline.rowOf) timeline.place();
		const of = new Map();
		for (const i of calls) {
			let lane = of.get(D.task[i]);
			if (!lane) of.set(D.task[i], lane = { task: D.task[i], calls: [], rows: 1, longest: 0 });
			lane.calls.push(i);
			lane.rows = Math.max(lane.rows, timeline.rowOf[i] + 1);
			lane.longest = Math.max(lane.longest, endOf(i) - D.at[i]);
		}
		const key = (lane) => D.tasks[lane.task];
		timeline.lanes = [...of.values()].sort((a, b) => key(a)[0] - key(b)[0] || key(a)[2] - key(b)[2] || a.task - b.task);
		let top = AXIS;
		timeline.first = Infinity;
		timeline.last = -Infinity;
		for (const lane of timeline.lanes) {
			lane.top = top;
			top += lane.rows * LINE + GAP;
			timeline.first = Math.min(timeline.first, D.at[lane.calls[0]]);
			for (const i of lane.calls) timeline.last = Math.max(timeline.last, endOf(i));
		}
		if (!timeline.lanes.length) [timeline.first, timeline.last] = [0, 1];
		const shown = Math.max(70, Math.min(top + 4, Math.round(innerHeight * 0.55)));
		$('lanes').style.height = shown + 2 + 'px';
		$('time').style.height = shown + 'px';
		$('lanes-space').style.height = Math.max(0, top + 4 - shown) + 'px';
		timeline.note();
		timeline.all();
	},

	note() {
		const n = timeline.lanes.length, lost = D.lost.length;
		$('time-note').textContent = comma(n) + (n === 1 ? ' task. ' : ' tasks. ') +
			'A bar is a call, a mark one of unknown duration; red ones failed.' + (lost ? ' Red lines show where events were lost.' : '') +
			(D.at.length < D.all ? ' Only the first ' + comma(D.n) + ' of ' + comma(D.all) + ' calls are listed.' : '');
	},

	all() {
		const span = timeline.last - timeline.first || 1;
		timeline.view(timeline.first - span * 0.01, timeline.last + span * 0.01);
	},

	view(from, to) {
		const most = (timeline.last - timeline.first || 1) * 1.1;
		const width = Math.min(Math.max(to - from, 20), Math.max(most, 20)), middle = (from + to) / 2;
		const low = timeline.first - width * 0.5, high = timeline.last + width * 0.5;
		timeline.from = Math.min(Math.max(middle - width / 2, low), Math.max(low, high - width));
		timeline.to = timeline.from + width;
		later(timeline.draw);
	},

	// zoom makes the view wider or narrower around a time.
	zoom(by, at = (timeline.from + timeline.to) / 2) {
		timeline.view(at - (at - timeline.from) * by, at + (timeline.to - at) * by);
	},

	pan(ns) { timeline.view(timeline.from + ns, timeline.to + ns); },

	gutter: (width) => width < 600 ? 92 : 170,

	draw() {
		const canvas = $('time'), { g, width, height } = context(canvas), scrolled = $('lanes').scrollTop;
		const left = timeline.gutter(width), scale = (width - left) / (timeline.to - timeline.from);
		const x = (t) => left + (t - timeline.from) * scale;
		timeline.scale = { left, scale };
		const paint = { g, x, left, width, dim: color('dim'), fg: color('fg'), bg: color('bg'), line: color('line'), bad: color('bad'), onBar: color('on-bar'), hues: hues() };
		for (const lane of timeline.lanes) {
			const top = lane.top - scrolled;
			if (top > height) break;
			if (top + lane.rows * LINE > AXIS) timeline.drawLane(paint, lane, top);
		}
		timeline.drawLost(paint, height);
		timeline.drawAxis(paint);
	},

	// visible returns where the calls of a lane that may be in view begin.
	visible(lane) {
		const from = timeline.from - lane.longest;
		let low = 0, high = lane.calls.length;
		while (low < high) {
			const middle = low + high >> 1;
			if (D.at[lane.calls[middle]] < from) low = middle + 1;
			else high = middle;
		}
		return low;
	},

	drawLane(p, lane, top) {
		const { g } = p, calls = lane.calls, until = new Float64Array(mostRows).fill(-1), failed = [];
		g.fillStyle = p.line;
		g.fillRect(0, top + lane.rows * LINE + GAP / 2, p.width, 1);
		g.save();
		g.beginPath();
		g.rect(p.left, 0, p.width - p.left, 1e6);
		g.clip();
		g.textAlign = 'left';
		for (let k = timeline.visible(lane); k < calls.length && D.at[calls[k]] <= timeline.to; k++) {
			const i = calls[k], row = timeline.rowOf[i], start = Math.max(p.x(D.at[i]), p.left - 5);
			const end = Math.max(Math.min(p.x(endOf(i)), p.width + 5), start + 1.5);
			if (D.errno[i] || i === selected) failed.push(i, start, end);
			if (end < until[row] + 0.5) continue; // nothing of it would be seen
			until[row] = end;
			timeline.drawBar(p, i, start, end, top + row * LINE, p.hues[D.function[i] % p.hues.length]);
		}
		for (let k = 0, last = -9; k < failed.length; k += 3) {
			const i = failed[k], start = failed[k + 1], end = failed[k + 2], row = timeline.rowOf[i];
			if (i !== selected && start < last + 1 && end < last + 2) continue;
			last = start;
			if (D.errno[i]) timeline.drawBar(p, i, start, Math.max(end, start + 2), top + row * LINE, p.bad);
			if (i !== selected) continue;
			g.strokeStyle = p.fg;
			g.lineWidth = 2;
			g.strokeRect(start - 1.5, top + row * LINE + 0.5, Math.max(end, start + 2) - start + 3, LINE - 1);
		}
		g.restore();
		g.fillStyle = p.fg;
		g.textAlign = 'left';
		g.fillText(fit(g, taskName(lane.task), p.left - 10), 4, top + LINE / 2);
	},

	drawBar(p, i, start, end, y, fill) {
		const { g } = p;
		g.fillStyle = fill;
		if (!(D.flags[i] & TIMED)) {
			g.fillRect(start - 1, y + 2, 3, LINE - 4);
			return;
		}
		g.fillRect(start, y + 1, end - start, LINE - 2);
		if (end - start > 34) {
			g.fillStyle = p.onBar;
			g.fillText(fit(g, functionName(i), end - Math.max(start, p.left) - 8), Math.max(start, p.left) + 4, y + LINE / 2 + 0.5);
		}
	},

	drawLost(p, height) {
		p.g.fillStyle = p.bad;
		for (const [at] of D.lost) {
			const x = p.x(at);
			if (x < p.left || x > p.width) continue;
			for (let y = 0; y < height; y += 6) p.g.fillRect(x, y, 1, 3);
		}
	},

	drawAxis(p) {
		const { g } = p, span = timeline.to - timeline.from;
		g.fillStyle = p.bg;
		g.fillRect(0, 0, p.width, AXIS - 2);
		g.fillStyle = p.line;
		g.fillRect(0, AXIS - 3, p.width, 1);
		const distance = step(span, Math.max(4, (p.width - p.left) / 90));
		g.textAlign = 'center';
		for (let t = Math.ceil(timeline.from / distance) * distance, n = 0; t <= timeline.to && n < 100; t += distance, n++) {
			const x = p.x(t), text = markText(t, distance), half = g.measureText(text).width / 2 + 3;
			g.fillStyle = p.dim;
			g.fillRect(x, AXIS - 7, 1, 5);
			if (x - half > p.left && x + half < p.width) g.fillText(text, x, AXIS / 2 - 3);
		}
		g.textAlign = 'left';
		g.fillText('Task', 4, AXIS / 2 - 3);
	},

	// hit returns the call at a place of the canvas, the shortest that is there.
	hit(px, py) {
		const y = py + $('lanes').scrollTop, { left, scale } = timeline.scale;
		if (px < left || py < AXIS) return -1;
		const lane = timeline.lanes.find((l) => y >= l.top && y < l.top + l.rows * LINE);
		if (!lane) return -1;
		const row = Math.floor((y - lane.top) / LINE), t = timeline.from + (px - left) / scale, near = 4 / scale;
		let best = -1, distance = Infinity;
		for (let k = timeline.visible(lane); k < lane.calls.length && D.at[lane.calls[k]] <= t + near; k++) {
			const i = lane.calls[k];
			if (timeline.rowOf[i] !== row || endOf(i) < t - near) continue;
			const away = Math.max(D.at[i] - t, t - endOf(i), 0);
			if (away <= distance) [best, distance] = [i, away];
		}
		return best;
	},

	// reveal moves the view so that a call is in it.
	reveal(i) {
		const span = timeline.to - timeline.from;
		if (D.at[i] < timeline.from || D.at[i] > timeline.to) timeline.view(D.at[i] - span / 2, D.at[i] + span / 2);
		const lane = timeline.lanes.find((l) => l.task === D.task[i]), box = $('lanes');
		if (lane && (lane.top - box.scrollTop < AXIS || lane.top + lane.rows * LINE - box.scrollTop > box.clientHeight)) box.scrollTop = lane.top - AXIS;
		later(timeline.draw);
	},
};

// hues are the colours of functions: text can be read on all of them, and none is red.
function hues() {
	if (color('on-bar') !== '#fff') return ['#5b9df0', '#45b884', '#b197ee', '#cf9d3c', '#4bb0c4', '#dd83c0', '#98b83e', '#97a4f2', '#b3a398', '#48b89f'];
	return ['#0b62c4', '#0f7a50', '#7a4fc9', '#8a5a00', '#0a7285', '#a8357f', '#4d6b00', '#4a5bc7', '#6b5d52', '#00745f'];
}

// fit returns as much of a text as fits.
function fit(g, text, width) {
	if (width < 8) return '';
	const most = Math.ceil(width / 3);
	if (text.length > most) text = text.slice(0, most) + '…';
	while (text.length > 1 && g.measureText(text).width > width) text = text.slice(0, Math.max(1, Math.floor(text.length * 0.85) - 1)) + '…';
	return text;
}
