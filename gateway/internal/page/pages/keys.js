// The keys of every page, and the filter of a listing. The filter hides rows while the user types.
"use strict";

(() => {
	const url = document.getElementById("url"), filter = document.getElementById("filter");
	const inSession = !!document.getElementById("session"); // its keys are for the terminal

	// The keys. Some users speak or bump into keys, so the keys can be turned off (WCAG 2.1.4).

	const items = () => [...document.querySelectorAll("#entries tbody tr, #entries li, ul.menu > li, ul.places > li")].filter((e) => e.checkVisibility() && target(e));
	const target = (item) => item.querySelector("a, input:not([type=hidden])");
	const bookmark = () => document.querySelector("button.bookmark");
	const up = document.querySelector("a.up");

	function step(by) {
		const all = items(), at = all.findIndex((e) => e.contains(document.activeElement));
		const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by];
		if (next) target(next).focus();
	}

	function toField() {
		const field = filter || url;
		field.focus();
		field.select();
	}

	const keys = [
		{key: "/", about: filter ? "filter this listing" : "type a URL", do: toField, works: () => true},
		{key: "j", about: "next entry", do: () => step(1), works: () => !inSession && items().length > 0},
		{key: "k", about: "previous entry", do: () => step(-1), works: () => !inSession && items().length > 0},
		{key: "Enter", about: "open the entry", works: () => !inSession && items().length > 0}, // the browser does it
		{key: "u", about: "up", do: () => up.click(), works: () => !inSession && up},
		{key: "b", about: "bookmark this page, or remove the bookmark", do: () => bookmark().click(), works: () => !inSession && bookmark()},
		{key: "?", about: "show these keys", do: help, works: () => true},
		{key: "Esc", about: "close this", works: () => true}, // the browser does it
	];

	const setting = "locus.keys";
	function areOff() {
		try {
			return localStorage.getItem(setting) === "off";
		} catch {
			return false; // the browser forbids storage
		}
	}
	function turn(on) {
		try {
			if (on) localStorage.removeItem(setting);
			else localStorage.setItem(setting, "off");
		} catch {
			// the browser forbids storage
		}
	}

	const isTyping = (e) => e instanceof HTMLElement && (e.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(e.tagName));
	document.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]") || areOff()) return;
		const known = keys.find((k) => k.key === event.key && k.do && k.works());
		if (!known) return;
		known.do();
		event.preventDefault();
	});

	function make(name, text, ...children) {
		const e = document.createElement(name);
		e.textContent = text;
		e.append(...children);
		return e;
	}

	function help() {
		let dialog = document.getElementById("help");
		if (!dialog) {
			const list = make("dl", ""), form = make("form", ""), title = make("h2", "Keys"), use = make("input", "");
			dialog = make("dialog", "", title, list, make("p", "", make("label", "", use, " Use these keys")), form);
			dialog.id = "help";
			title.id = "help-title";
			dialog.setAttribute("aria-labelledby", title.id);
			use.type = "checkbox";
			use.addEventListener("change", () => turn(use.checked));
			form.method = "dialog";
			form.append(make("button", "Close"));
			document.body.append(dialog);
		}
		dialog.querySelector("input").checked = !areOff();
		dialog.querySelector("dl").replaceChildren(...keys.filter((k) => k.works()).flatMap((k) => [make("dt", "", make("kbd", k.key)), make("dd", k.about)]));
		if (!dialog.open) dialog.showModal();
	}

	const show = make("button", "Keys");
	show.type = "button";
	show.className = "plain";
	show.addEventListener("click", help);
	document.querySelector("footer nav").append(show);

	// The filter.

	const entries = document.getElementById("entries");
	if (!filter || !entries || !("whole" in entries.dataset)) return;
	const summary = document.getElementById("summary"), all = summary.textContent;
	summary.setAttribute("role", "status");
	const rows = [...entries.querySelectorAll("tbody tr, li")].map((row) => {
		const name = row.querySelector(".name > a, .name > span, :scope > a, :scope > span, label"), size = row.querySelector("data");
		return {row, kind: row.classList[0], size: size ? Number(size.value) : -1, name: name && !row.classList.contains("info") ? name.textContent.toLowerCase() : ""};
	});
	const total = rows.filter((r) => r.name).length;

	const counted = (n, one, many) => n === 1 ? "1 " + one : n.toLocaleString("en") + " " + many;

	// The sum has the form that the gateway gives the sum of all rows.
	function sumOf(shown) {
		const parts = [];
		for (const [kind, one, many] of JSON.parse(summary.dataset.nouns)) {
			const n = shown.filter((r) => r.kind === kind).length;
			if (n) parts.push(counted(n, one, many));
		}
		const files = shown.filter((r) => r.kind === "object");
		if (files.length && files.every((r) => r.size >= 0)) parts.push(sizeText(files.reduce((sum, r) => sum + r.size, 0)));
		return parts.join(", ");
	}

	function sizeText(n) {
		if (n < 1000) return counted(n, "byte", "bytes");
		let value = n / 1000, unit = 0;
		for (; value >= 999.5 && unit < 5; unit++) value /= 1000;
		return value.toFixed(value < 9.95 ? 1 : 0) + " " + "kMGTPE"[unit] + "B";
	}

	function apply() {
		const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
		for (const {row, name} of rows) row.hidden = words.length > 0 && (name === "" || !words.every((w) => name.includes(w)));
		const shown = rows.filter(({row, name}) => !row.hidden && name), sum = sumOf(shown);
		summary.textContent = words.length ? shown.length.toLocaleString("en") + " of " + counted(total, "item", "items") + (sum && ": " + sum) : all;
	}

	filter.addEventListener("input", apply);
	filter.form.addEventListener("submit", (event) => {
		event.preventDefault(); // the script has filtered, so the gateway need not
		const first = rows.find(({row, name}) => !row.hidden && name);
		if (first && filter.value) target(first.row)?.focus();
	});
	apply();
})();
