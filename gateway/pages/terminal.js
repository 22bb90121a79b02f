// A terminal in a page. The screen is kept by the gateway, which sends what has
// changed; this draws it, and sends keys back as xterm does. What servers say is
// only ever text here: textContent, never markup.
"use strict";

(() => {
	const part = (id) => document.getElementById(id);
	const session = part("session"), terminal = part("terminal"), screen = part("screen"), keys = part("keys");
	const status = part("status"), line = part("line"), text = part("text"), buttons = part("buttons");
	const end = part("end"), again = part("again"), advice = part("advice"), leave = part("leave");

	const cursor = document.createElement("span");
	cursor.className = "cursor";
	cursor.setAttribute("aria-hidden", "true");
	const measure = document.createElement("span");
	measure.className = "measure";
	measure.setAttribute("aria-hidden", "true");
	measure.textContent = "0".repeat(100);

	let socket = null;
	let rows = []; // the elements of the rows
	let state = {row: 0, column: 0};
	let cell = {width: 8, height: 16};
	let control = null; // the button of the key Ctrl
	let seen = ""; // where the cursor was
	let told = ""; // the size that the gateway was told

	// Drawing.

	function span(run) {
		const e = document.createElement("span");
		for (const [kind, colour] of [["f", run.f], ["b", run.b]]) {
			if (!colour) continue;
			if (colour[0] === "#") e.style[kind === "f" ? "color" : "backgroundColor"] = colour;
			else e.classList.add(kind + "-" + colour);
		}
		for (const look of run.a || "") e.classList.add("a-" + look);
		if (run.c) e.classList.add("cell", "cell" + run.c);
		e.textContent = run.t;
		return e;
	}

	function draw(frame) {
		if (frame.size) {
			rows = Array.from({length: frame.size[1]}, () => document.createElement("div"));
			screen.replaceChildren(cursor, ...rows);
		}
		for (const {row, runs} of frame.rows || []) {
			if (rows[row]) rows[row].replaceChildren(...runs.map(span));
		}
		if (frame.state) {
			state = frame.state;
			status.textContent = state.status || "";
			if (line.hidden === !!state.lines) {
				line.hidden = !state.lines;
				leave.hidden = !!state.lines;
				keys.disabled = !!state.lines;
				focus();
			}
		}
		place();
	}

	// place puts the cursor, and the field that keys come from, where they belong.
	function place() {
		cursor.hidden = !!state.hidden || !socket;
		const left = state.column * cell.width, top = state.row * cell.height;
		cursor.style.left = left + "px";
		cursor.style.top = top + "px";
		keys.style.left = left + "px";
		keys.style.top = top + "px";
		if (String([left, top]) === seen) return;
		seen = String([left, top]);
		follow("scrollLeft", left, cell.width, terminal.clientWidth);
		follow("scrollTop", top, cell.height, terminal.clientHeight);
	}

	// follow scrolls a screen that is larger than its window to where the cursor went.
	function follow(scroll, at, size, room) {
		const end = at + size + 8;
		if (at < terminal[scroll]) terminal[scroll] = at;
		else if (end > terminal[scroll] + room) terminal[scroll] = end - room;
	}

	// Size.

	function fit() {
		if (!measure.isConnected) terminal.append(measure);
		const box = measure.getBoundingClientRect();
		if (!box.width) return;
		cell = {width: box.width / 100, height: parseFloat(getComputedStyle(screen).lineHeight) || box.height};
		const columns = Math.floor((terminal.clientWidth - 8) / cell.width);
		const high = Math.floor((terminal.clientHeight - 8) / cell.height);
		const size = [Math.max(20, columns), Math.max(5, high)];
		place();
		if (String(size) === told) return;
		if (say({size})) told = String(size);
	}

	// Sending.

	function say(message) {
		if (!socket || socket.readyState !== WebSocket.OPEN) return false;
		socket.send(JSON.stringify(message));
		return true;
	}

	// type sends keys, in pieces that are small enough.
	function type(typed) {
		const most = 4096;
		const letters = Array.from(typed);
		for (let i = 0; i < letters.length; i += most) say({keys: letters.slice(i, i + most).join("")});
	}

	// paste sends a text as if it were typed; what would end it early is left out.
	function paste(pasted) {
		const clean = pasted.replace(/\r\n|\n/g, "\r");
		type(state.paste ? "\x1b[200~" + clean.replaceAll("\x1b", "") + "\x1b[201~" : clean);
	}

	// Keys.

	const finals = {ArrowUp: "A", ArrowDown: "B", ArrowRight: "C", ArrowLeft: "D", End: "F", Home: "H"};
	const numbers = {Insert: 2, Delete: 3, PageUp: 5, PageDown: 6};
	const functions = [0, 0, 0, 0, 15, 17, 18, 19, 20, 21, 23, 24];
	const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

	// special returns what xterm sends for a key that is no character; "" for
	// none.
	function special(name, shift, alt, ctrl) {
		const modifier = 1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0);
		const with_ = modifier > 1 ? ";" + modifier : "";
		const meta = alt ? "\x1b" : "";
		switch (name) {
		case "Enter": return meta + "\r";
		case "Tab": return shift ? "\x1b[Z" : meta + "\t";
		case "Backspace": return meta + (ctrl ? "\b" : "\x7f");
		case "Escape": return meta + "\x1b";
		}
		if (finals[name]) {
			if (with_) return "\x1b[1" + with_ + finals[name];
			return (state.app ? "\x1bO" : "\x1b[") + finals[name];
		}
		if (numbers[name]) return "\x1b[" + numbers[name] + with_ + "~";
		const f = /^F([1-9]|1[0-9]|2[0-4])$/.exec(name);
		if (!f) return "";
		let n = Number(f[1]), m = with_;
		if (n > 12) { n -= 12; m = ";2"; } // they are the upper row with Shift
		if (n <= 4) return (m ? "\x1b[1" + m : "\x1bO") + "PQRS"[n - 1];
		return "\x1b[" + functions[n - 1] + m + "~";
	}

	// controlled returns what a character is with the key Ctrl; "" for nothing.
	function controlled(c) {
		const code = c.toUpperCase().charCodeAt(0);
		if (c === " ") return "\0";
		if (c === "?") return "\x7f";
		if (c === "/") return "\x1f";
		return code >= 64 && code < 96 ? String.fromCharCode(code & 31) : "";
	}

	// keyed returns what a key sends; "" leaves it to the browser.
	function keyed(e) {
		if (e.isComposing || e.metaKey || e.getModifierState("AltGraph")) return "";
		const ctrl = e.ctrlKey, alt = e.altKey;
		if (ctrl && e.shiftKey && /^[cv]$/i.test(e.key)) return "";
		if (e.shiftKey && e.key === "Insert") return ""; // pastes
		if (ctrl && e.key.toLowerCase() === "c" && !getSelection().isCollapsed) return ""; // copies
		const known = special(e.key, e.shiftKey, alt, ctrl);
		if (known || e.key.length !== 1) return known;
		if (ctrl) {
			const c = controlled(e.key);
			return c && alt ? "\x1b" + c : c;
		}
		return alt && !isMac ? "\x1b" + e.key : "";
	}

	keys.addEventListener("keydown", (e) => {
		if (e.ctrlKey && e.shiftKey && e.key === "Enter") {
			e.preventDefault();
			(buttons.querySelector("button") || part("url")).focus();
			return;
		}
		const sent = keyed(e);
		if (!sent) return;
		e.preventDefault();
		type(sent);
	});

	// Characters come as the field's input, however they were made: by a keyboard,
	// an input method, or a telephone.
	keys.addEventListener("input", (e) => { if (!e.isComposing) characters(); });
	keys.addEventListener("compositionend", characters);

	function characters() {
		const typed = keys.value.replace(/\n/g, "\r");
		keys.value = "";
		if (!typed) return;
		const c = control && control.getAttribute("aria-pressed") === "true" ? controlled(typed) : "";
		if (control) control.setAttribute("aria-pressed", "false");
		type(c || typed);
	}

	keys.addEventListener("paste", (e) => {
		e.preventDefault();
		paste(e.clipboardData.getData("text/plain"));
	});

	terminal.addEventListener("mouseup", () => { if (getSelection().isCollapsed) focus(); });

	function focus() { (state.lines ? text : keys).focus({preventScroll: true}); }

	// Lines, for a server that leaves it to this side to show what is typed.

	line.addEventListener("submit", (e) => {
		e.preventDefault();
		type(text.value + "\r");
		text.value = "";
	});
	text.addEventListener("keydown", (e) => {
		const c = e.ctrlKey && !e.altKey && !e.shiftKey && /^[cdz\\]$/.test(e.key) && getSelection().isCollapsed ? controlled(e.key) : "";
		if (!c) return;
		e.preventDefault();
		type(c);
	});

	// Buttons, for keys that a keyboard lacks.

	function press(name, send) {
		const b = document.createElement("button");
		b.type = "button";
		b.textContent = name;
		b.addEventListener("click", () => { send(b); focus(); });
		buttons.append(b);
		return b;
	}

	function addButtons(special_) {
		buttons.replaceChildren();
		control = null;
		for (const key of special_ || []) press(key.name, () => type(key.text));
		if (!special_) {
			control = press("Ctrl", (b) => b.setAttribute("aria-pressed", String(b.getAttribute("aria-pressed") !== "true")));
			control.setAttribute("aria-pressed", "false");
			for (const [name, label] of [["Enter", "Enter"], ["Escape", "Esc"], ["Tab", "Tab"], ["ArrowUp", "↑"], ["ArrowDown", "↓"], ["ArrowLeft", "←"], ["ArrowRight", "→"], ["PageUp", "PgUp"], ["PageDown", "PgDn"]]) {
				press(label, () => type(special(name, false, false, false))).setAttribute("aria-label", name);
			}
		}
		buttons.hidden = leave.hidden = false;
	}

	// The session.

	function connect() {
		const at = new URL(session.dataset.at + "/-/session", location.href);
		at.protocol = at.protocol === "https:" ? "wss:" : "ws:";
		at.searchParams.set("url", session.dataset.session);
		const mine = new WebSocket(at);
		socket = mine;
		told = "";
		state = {row: 0, column: 0};
		keys.disabled = false;
		end.hidden = again.hidden = true;
		status.textContent = "connecting …";
		let why = "";
		mine.addEventListener("message", (e) => {
			const frame = JSON.parse(e.data);
			if (frame.welcome) {
				status.textContent = "";
				terminal.hidden = false;
				advice.textContent = frame.welcome.advice || "";
				advice.hidden = !frame.welcome.advice;
				addButtons(frame.welcome.keys);
				fit();
				focus();
			}
			if (frame.end) why = frame.end.text + (frame.end.hint ? ": " + frame.end.hint : "");
			draw(frame);
		});
		mine.addEventListener("close", () => {
			if (socket !== mine) return;
			socket = null;
			status.textContent = "";
			end.textContent = why || "the gateway does not answer";
			end.hidden = again.hidden = false;
			buttons.hidden = line.hidden = leave.hidden = true;
			place();
			again.focus();
		});
	}

	again.addEventListener("click", connect);
	new ResizeObserver(fit).observe(terminal);
	connect();
})();
