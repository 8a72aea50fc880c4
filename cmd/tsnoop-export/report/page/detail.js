// detail.js: all that is known of a call.

const detail = {
	before: null, // what had the focus

	open: () => !$('detail').hidden,

	show(i) {
		if (!detail.open()) detail.before = document.activeElement;
		const box = $('detail'), p = partsOf(i);
		const button = (text, label, act) => {
			const b = element('button', '', text);
			b.type = 'button';
			b.setAttribute('aria-label', label);
			b.addEventListener('click', act);
			return b;
		};
		box.replaceChildren(
			element('div', 'buttons', button('←', 'Previous call', () => move(-1, true)), button('→', 'Next call', () => move(1, true)), button('Close', 'Close the details', detail.close)),
			element('h2', 'mono', functionName(i)),
			detail.facts(i),
		);
		if (p.args.length) box.append(element('h3', '', 'Arguments'), ...p.args.map(detail.value));
		if (p.result || p.results.length) box.append(element('h3', '', 'Return'), ...(p.result ? [p.result] : []).concat(p.results).map(detail.value));
		if (p.faults.length) {
			box.append(element('h3', '', 'Could not be read'), ...p.faults.map((f) => element('div', 'value fault', element('bdi', 'bad', f.name), f.why ? ': ' : '', element('bdi', '', f.why))));
		}
		const stack = D.stacks[D.stack[i]];
		if (stack.length) box.append(element('h3', '', 'Kernel stack, innermost first'), element('ol', 'stack', ...stack.map((f) => element('li', '', element('bdi', '', D.texts[f])))));
		box.hidden = false;
		box.scrollTop = 0;
	},

	// facts returns where and when a call was.
	facts(i) {
		const dl = element('dl'), f = D.flags[i], [trace, pid, tid, comm] = D.tasks[D.task[i]], host = D.hosts[trace];
		const add = (name, value, className) => {
			if (value) dl.append(element('div', '', element('dt', '', name), element('dd', className, element('bdi', '', value))));
		};
		add('At', moment(D.at[i]) + ' s');
		add('Time', wall(i));
		add('Trace clock', String(exact(D.exact.at, i, true) - BigInt(host.shift)) + ' ns');
		add('Duration', f & TIMED ? time(D.duration[i]) + ' (' + comma(exact(D.exact.duration, i, false)) + ' ns)' : '');
		add('Status', f & UNFINISHED ? 'unfinished: its return was not seen' : f & ORPHAN ? 'its entry was not seen; the time is that of the return' : '');
		add('Error', D.texts[D.errno[i]], 'bad');
		add('Task', (D.texts[comm] || 'of unknown name') + ', thread ' + tid + (pid >= 0 ? ', process ' + pid : ''));
		add('CPU', D.cpu[i] + (f & TIMED && D.endCPU[i] !== D.cpu[i] ? ', at the return ' + D.endCPU[i] : ''));
		add('Called from', D.texts[D.caller[i]]);
		add('Host', host.host);
		if (D.hosts.length > 1) add('File', host.file);
		return dl;
	},

	// value returns a value with its name and type.
	value(v) {
		const tree = /^[{[]/.test(v.value), text = tree ? pretty(v.value) : v.value;
		const shown = v.label ? text + '  ' + v.label : text;
		return element('div', 'value', element('span', 'type', element('bdi', '', v.type)), element('bdi', 'name', v.name), element('pre', '', shown, v.errno ? element('span', 'bad', '  ' + v.errno) : ''));
	},

	close() {
		$('detail').hidden = true;
		const back = detail.before && detail.before.isConnected ? detail.before : $('list');
		back.focus({ preventScroll: true });
		save();
	},
};
