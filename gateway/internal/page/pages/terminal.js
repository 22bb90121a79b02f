// A terminal in a page. The gateway keeps the screen and sends the changes. This script draws the
// screen, and sends keys as xterm does. It writes text of servers only as textContent, so that the
// text is never markup.
"use strict";

(() => {
	const part = (id) => document.getElementById(id);
	const session = part("session"), terminal = part("terminal"), screen = part("screen"), keys = part("keys");
	const status = part("status"), line = part("line"), text = part("text"), buttons = part("buttons");
	const end = part("end"), again = part("again"), advice = part("advice"), leave = part("leave");
	const history = part("history"), newest = part("newest"), earlier = part("earlier");
	const display = terminal.parentElement, title = document.querySelector("h1"), main = part("main"), header = document.querySelector("header");

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
	let lastCursor = ""; // the position of the cursor at the last draw
	let sentSize = ""; // the size that was sent last
	let columns = 0; // of the screen
	let isFixed = false; // the server decides on the size of the screen

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
		noticeScroll();
		const wasBack = !newest.hidden;
		if (frame.scrolled) remember(frame.scrolled);
		if (frame.size) {
			columns = frame.size[0];
			rows = Array.from({length: frame.size[1]}, () => document.createElement("div"));
			screen.replaceChildren(cursor, ...rows);
			scale();
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
		if ((frame.scrolled || frame.size) && !wasBack) toNewest();
		placeCursor();
	}

	// Earlier lines, which have left the screen at its top. The oldest are dropped. A line that the
	// screen had wrapped into several is one line here, and the browser wraps it.

	const maxLines = 5000, maxWeight = 1 << 20, maxLineWeight = 1 << 16;
	let weight = 0; // of history: its letters, and 32 for each span
	let lineWeight = 0; // of the last line

	function weightOf(row) { return row.textContent.length + 32 * row.childElementCount; }

	function remember({erased, lost, lines}) {
		if (erased) forget();
		if (lost) addEarlier([{t: lost === 1 ? "… 1 line is missing here" : "… " + lost + " lines are missing here"}]).className = "lost";
		for (const {runs, continues} of lines) addEarlier(runs, continues);
		const before = history.offsetHeight;
		while (history.childElementCount > maxLines || weight > maxWeight) {
			weight -= weightOf(history.firstChild);
			history.firstChild.remove();
		}
		terminal.scrollTop -= before - history.offsetHeight; // the visible lines keep their position
	}

	// addEarlier adds a line, or adds to the last line if it continues that line. It returns the line.
	function addEarlier(runs, continues) {
		let row = history.lastChild;
		if (!continues || !row || row.className === "lost" || lineWeight > maxLineWeight) {
			row = document.createElement("div");
			history.append(row);
			lineWeight = 0;
		}
		const spans = runs.map(span);
		row.append(...spans);
		const added = spans.reduce((sum, e) => sum + e.textContent.length + 32, 0);
		weight += added;
		lineWeight += added;
		return row;
	}

	function forget() {
		history.replaceChildren();
		weight = 0;
	}

	// isBack reports whether the terminal shows earlier lines.
	function isBack() {
		const last = Math.min(screen.offsetTop - 4, terminal.scrollHeight - terminal.clientHeight);
		return terminal.scrollTop < last - cell.height / 2;
	}

	function toNewest() {
		terminal.scrollTop = Math.min(screen.offsetTop - 4, terminal.scrollHeight - terminal.clientHeight);
		newest.hidden = true;
		layout = layoutNow();
	}

	let layout = ""; // the layout for which the position was right
	function layoutNow() { return [terminal.clientWidth, terminal.clientHeight, terminal.scrollHeight, screen.offsetTop].join(); }

	// noticeScroll finds out whether the reader has scrolled back. If the page was laid out anew, it
	// keeps the newest lines in view instead.
	function noticeScroll() {
		if (newest.hidden && layoutNow() !== layout) toNewest();
		else newest.hidden = !isBack();
	}

	terminal.addEventListener("scroll", noticeScroll);
	newest.addEventListener("click", () => { toNewest(); focus(); });

	// scrollBack scrolls by a key with Shift. It returns false if the key is another one.
	function scrollBack(e) {
		const page = terminal.clientHeight - 2 * cell.height, whole = terminal.scrollHeight;
		const by = {PageUp: -page, PageDown: page, Home: -whole, End: whole}[e.key];
		if (!by || !e.shiftKey || e.ctrlKey || e.altKey || e.metaKey || isFixed) return false;
		noticeScroll();
		terminal.scrollTop += by;
		noticeScroll();
		return true;
	}

	session.addEventListener("keydown", (e) => {
		if (e.target !== text && e.target !== keys && !terminal.contains(e.target)) return;
		if (e.target === text && (e.key === "Home" || e.key === "End")) return; // they select
		if (!scrollBack(e)) return;
		e.preventDefault();
		e.stopPropagation();
	}, {capture: true});

	// placeCursor moves the cursor, and the field for keys, to the cursor's position.
	function placeCursor() {
		cursor.hidden = !!state.hidden || !socket;
		const inLine = state.column * cell.width, left = screen.offsetLeft - 4 + inLine, inScreen = state.row * cell.height, top = screen.offsetTop - 4 + inScreen;
		cursor.style.left = inLine + "px";
		cursor.style.top = inScreen + "px";
		if (isBack()) return;
		keys.style.left = left + "px";
		keys.style.top = top + "px";
		if (String([left, top]) === lastCursor) return;
		lastCursor = String([left, top]);
		follow("scrollLeft", left, cell.width, terminal.clientWidth);
		follow("scrollTop", top, cell.height, terminal.clientHeight);
	}

	// follow scrolls the terminal so that the cursor is visible.
	function follow(scroll, at, size, room) {
		const end = at + size + 8;
		if (at < terminal[scroll]) terminal[scroll] = at;
		else if (end > terminal[scroll] + room) terminal[scroll] = end - room;
	}

	// Size.

	// room measures a cell, and returns how many columns and rows fit into the terminal. It returns
	// null before the layout.
	function room() {
		if (!measure.isConnected) terminal.append(measure);
		const box = measure.getBoundingClientRect();
		if (!box.width) return null;
		cell = {width: box.width / 100, height: parseFloat(getComputedStyle(screen).lineHeight) || box.height};
		const columns = Math.floor((terminal.clientWidth - 8) / cell.width);
		const high = Math.floor((terminal.clientHeight - 8) / cell.height);
		return [Math.max(20, columns), Math.max(5, high)];
	}

	// scale sets the size of the font so that a screen of a fixed size fits into the display, and is as
	// large as it.
	function scale() {
		if (!isFixed || !columns) return;
		const usual = 15, most = 22, least = 5, lineHeight = 1.25, around = 8;
		const now = parseFloat(getComputedStyle(screen).fontSize) || usual;
		const wide = now * (display.clientWidth - around) / (columns * cell.width);
		const high = isShrunk ? (display.clientHeight - around) / (rows.length * lineHeight) : most;
		const font = Math.floor(10 * Math.min(most, Math.max(least, Math.min(wide, high)))) / 10;
		if (font === now) return;
		terminal.style.setProperty("--font", font + "px");
		room();
	}

	// shrink gives the window to the terminal: the header becomes one line with the title. Without a
	// session, the page gets its header back.
	let isShrunk = false;
	function shrink(on) {
		isShrunk = on;
		document.documentElement.classList.toggle("in-session", on);
		const mark = document.querySelector("button.bookmark"); // of another script
		if (on) {
			header.append(title);
			scrollTo(0, 0);
		} else {
			main.prepend(title);
		}
		if (mark) title.after(mark);
	}

	// The keyboard of a phone covers the window without changing its size.
	const visible = window.visualViewport;
	if (visible) visible.addEventListener("resize", () => {
		if (visible.scale === 1) document.documentElement.style.setProperty("--window", visible.height + "px");
	});

	function fit() {
		const size = room();
		if (!size) return;
		scale();
		noticeScroll();
		placeCursor();
		if (isFixed || String(size) === sentSize) return;
		if (send({size})) sentSize = String(size);
	}

	// Sending.

	// send sends a message. It returns false if the connection is not open.
	function send(message) {
		if (!socket || socket.readyState !== WebSocket.OPEN) return false;
		socket.send(JSON.stringify(message));
		return true;
	}

	// type sends keys, in messages that are not too large for the gateway.
	function type(typed) {
		toNewest();
		const most = 4096;
		const letters = Array.from(typed);
		for (let i = 0; i < letters.length; i += most) send({keys: letters.slice(i, i + most).join("")});
	}

	// paste sends a text as a terminal pastes it. It removes ESC, which could end a
	// bracketed paste early.
	function paste(pasted) {
		const clean = pasted.replace(/\r\n|\n/g, "\r");
		type(state.paste ? "\x1b[200~" + clean.replaceAll("\x1b", "") + "\x1b[201~" : clean);
	}

	// Keys.

	const finals = {ArrowUp: "A", ArrowDown: "B", ArrowRight: "C", ArrowLeft: "D", End: "F", Home: "H"};
	const numbers = {Insert: 2, Delete: 3, PageUp: 5, PageDown: 6};
	const functions = [0, 0, 0, 0, 15, 17, 18, 19, 20, 21, 23, 24];
	const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

	// special returns the bytes that xterm sends for a special key, or "" for a character.
	function special(name, shift, alt, ctrl) {
		const modifier = 1 + (shift ? 1 : 0) + (alt ? 2 : 0) + (ctrl ? 4 : 0);
		const suffix = modifier > 1 ? ";" + modifier : "";
		const meta = alt ? "\x1b" : "";
		switch (name) {
		case "Enter": return meta + "\r";
		case "Tab": return shift ? "\x1b[Z" : meta + "\t";
		case "Backspace": return meta + (ctrl ? "\b" : "\x7f");
		case "Escape": return meta + "\x1b";
		}
		if (finals[name]) {
			if (suffix) return "\x1b[1" + suffix + finals[name];
			return (state.app ? "\x1bO" : "\x1b[") + finals[name];
		}
		if (numbers[name]) return "\x1b[" + numbers[name] + suffix + "~";
		const f = /^F([1-9]|1[0-9]|2[0-4])$/.exec(name);
		if (!f) return "";
		let n = Number(f[1]), m = suffix;
		if (n > 12) { n -= 12; m = ";2"; } // they are the upper row with Shift
		if (n <= 4) return (m ? "\x1b[1" + m : "\x1bO") + "PQRS"[n - 1];
		return "\x1b[" + functions[n - 1] + m + "~";
	}

	// withCtrl returns the control character of Ctrl and c, or "".
	function withCtrl(c) {
		const code = c.toUpperCase().charCodeAt(0);
		if (c === " ") return "\0";
		if (c === "?") return "\x7f";
		if (c === "/") return "\x1f";
		return code >= 64 && code < 96 ? String.fromCharCode(code & 31) : "";
	}

	// textOfKey returns the text that a key sends, or "" if the key is for the browser.
	function textOfKey(e) {
		if (e.isComposing || e.metaKey || e.getModifierState("AltGraph")) return "";
		const ctrl = e.ctrlKey, alt = e.altKey;
		if (ctrl && e.shiftKey && /^[cv]$/i.test(e.key)) return "";
		if (e.shiftKey && e.key === "Insert") return ""; // pastes
		if (ctrl && e.key.toLowerCase() === "c" && !getSelection().isCollapsed) return ""; // copies
		const known = special(e.key, e.shiftKey, alt, ctrl);
		if (known || e.key.length !== 1) return known;
		if (ctrl) {
			const c = withCtrl(e.key);
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
		const typed = textOfKey(e);
		if (!typed) return;
		e.preventDefault();
		type(typed);
	});

	// Characters come as input of the field: from a keyboard, an input method, or a phone.
	keys.addEventListener("input", (e) => { if (!e.isComposing) sendCharacters(); });
	keys.addEventListener("compositionend", sendCharacters);

	function sendCharacters() {
		const typed = keys.value.replace(/\n/g, "\r");
		keys.value = "";
		if (!typed) return;
		const c = control && control.getAttribute("aria-pressed") === "true" ? withCtrl(typed) : "";
		if (control) control.setAttribute("aria-pressed", "false");
		type(c || typed);
	}

	keys.addEventListener("paste", (e) => {
		e.preventDefault();
		paste(e.clipboardData.getData("text/plain"));
	});

	terminal.addEventListener("mouseup", () => { if (getSelection().isCollapsed) focus(); });

	function focus() { (state.lines ? text : keys).focus({preventScroll: true}); }

	// Whole lines, for a server that does not echo keys.

	line.addEventListener("submit", (e) => {
		e.preventDefault();
		type(text.value + "\r");
		text.value = "";
	});
	text.addEventListener("keydown", (e) => {
		const c = e.ctrlKey && !e.altKey && !e.shiftKey && /^[cdz\\]$/.test(e.key) && getSelection().isCollapsed ? withCtrl(e.key) : "";
		if (!c) return;
		e.preventDefault();
		type(c);
	});

	// Buttons, for keys that a keyboard lacks.

	function addButton(name, onClick) {
		const b = document.createElement("button");
		b.type = "button";
		b.textContent = name;
		b.addEventListener("mousedown", (e) => e.preventDefault()); // the focus stays, and with it a phone's keyboard
		b.addEventListener("click", () => { onClick(b); if (!matchMedia("(pointer: coarse)").matches) focus(); });
		buttons.append(b);
		return b;
	}

	const arrows = [["ArrowUp", "↑"], ["ArrowDown", "↓"], ["ArrowLeft", "←"], ["ArrowRight", "→"]];

	function addKey(name, label) {
		const b = addButton(label, () => type(special(name, false, false, false)));
		if (name.startsWith("Arrow")) b.setAttribute("aria-label", name);
	}

	// copy copies the selected text, or the whole screen without a selection. Over http to another
	// machine, browsers offer only execCommand.
	function copy() {
		const chosen = getSelection();
		if (chosen.isCollapsed) chosen.selectAllChildren(screen);
		const copied = chosen.toString().replace(/[ \t]+$/gm, "");
		const fallback = () => document.execCommand("copy");
		if (navigator.clipboard) navigator.clipboard.writeText(copied).catch(fallback);
		else fallback();
	}

	function pasteClipboard() {
		navigator.clipboard.readText().then(paste, () => { status.textContent = "the browser does not allow pasting: press Ctrl+V in the terminal"; });
	}

	function addButtons(ownKeys) {
		buttons.replaceChildren();
		control = null;
		for (const key of ownKeys || []) addButton(key.name, () => type(key.text));
		if (ownKeys) for (const [name, label] of arrows) addKey(name, label);
		if (!ownKeys) {
			control = addButton("Ctrl", (b) => b.setAttribute("aria-pressed", String(b.getAttribute("aria-pressed") !== "true")));
			control.setAttribute("aria-pressed", "false");
			for (const [name, label] of [["Enter", "Enter"], ["Escape", "Esc"], ["Tab", "Tab"], ...arrows, ["PageUp", "PgUp"], ["PageDown", "PgDn"]]) {
				addKey(name, label);
			}
		}
		addButton("Copy", copy).setAttribute("aria-label", "Copy the selection, or the screen");
		if (navigator.clipboard && navigator.clipboard.readText) addButton("Paste", pasteClipboard);
		buttons.hidden = leave.hidden = false;
	}

	// The session.

	function connect() {
		const at = new URL(session.dataset.origin + "/-/session", location.href);
		at.protocol = at.protocol === "https:" ? "wss:" : "ws:";
		at.searchParams.set("url", session.dataset.session);
		shrink(true);
		addButtons(); // they are part of the layout
		terminal.hidden = false; // only to measure it
		const size = room();
		if (size) {
			at.searchParams.set("columns", size[0]);
			at.searchParams.set("rows", size[1]);
		}
		terminal.hidden = !rows.length;
		const opened = new WebSocket(at);
		socket = opened;
		sentSize = size ? String(size) : "";
		state = {row: 0, column: 0};
		keys.disabled = false;
		end.hidden = again.hidden = true;
		status.textContent = "connecting …";
		const slow = setTimeout(() => { status.textContent = "connecting … the server has not answered yet"; }, 3000);
		let why = "";
		opened.addEventListener("message", (e) => {
			const frame = JSON.parse(e.data);
			clearTimeout(slow);
			if (frame.start) {
				status.textContent = "";
				terminal.hidden = false;
				advice.textContent = frame.start.advice || "";
				advice.hidden = !frame.start.advice;
				addButtons(frame.start.keys);
				isFixed = !!frame.start.keys;
				earlier.hidden = isFixed;
				forget();
				terminal.classList.toggle("fixed", isFixed);
				fit();
				focus();
			}
			if (frame.end) why = frame.end.text + (frame.end.hint ? ": " + frame.end.hint : "");
			draw(frame);
		});
		opened.addEventListener("close", () => {
			clearTimeout(slow);
			if (socket !== opened) return;
			socket = null;
			status.textContent = "";
			end.textContent = why || "the gateway does not answer";
			end.hidden = again.hidden = false;
			shrink(false);
			buttons.hidden = line.hidden = leave.hidden = true;
			placeCursor();
			again.focus();
		});
	}

	again.addEventListener("click", connect);
	const sizes = new ResizeObserver(fit);
	sizes.observe(terminal);
	sizes.observe(display);
	connect();
})();
