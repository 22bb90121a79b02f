// The keys of every page, and the filter of a listing. The filter hides rows while the user types.
"use strict";

(() => {
	const url = document.getElementById("url"), filter = document.getElementById("filter");

	// "/" leads to the filter, or to the field for a URL; "?" shows the keys.
	const isTyping = (e) => e instanceof HTMLElement && (e.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(e.tagName));
	document.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
		if (event.key === "/") {
			const field = filter || url;
			field.focus();
			field.select();
			event.preventDefault();
		} else if (event.key === "?") {
			help();
			event.preventDefault();
		}
	});

	function help() {
		let dialog = document.getElementById("help");
		if (!dialog) {
			dialog = document.createElement("dialog");
			dialog.id = "help";
			dialog.setAttribute("aria-labelledby", "help-title");
			const title = document.createElement("h2"), list = document.createElement("dl"), form = document.createElement("form"), close = document.createElement("button");
			title.id = "help-title";
			title.textContent = "Keys";
			for (const [key, what] of [["/", filter ? "filter this listing" : "type a URL"], ["?", "show these keys"], ["Esc", "close this"]]) {
				const term = document.createElement("dt"), meaning = document.createElement("dd"), kbd = document.createElement("kbd");
				kbd.textContent = key;
				term.append(kbd);
				meaning.textContent = what;
				list.append(term, meaning);
			}
			form.method = "dialog";
			close.textContent = "Close";
			form.append(close);
			dialog.append(title, list, form);
			document.body.append(dialog);
		}
		if (!dialog.open) dialog.showModal();
	}

	const entries = document.getElementById("entries");
	if (!filter || !entries || !("whole" in entries.dataset)) return;
	const summary = document.getElementById("summary"), all = summary.textContent;
	summary.setAttribute("role", "status");
	const rows = [...entries.querySelectorAll("tbody tr, li")].map((row) => {
		const name = row.querySelector(".name > a, .name > span, :scope > a, :scope > span, label");
		return {row, name: name && !row.classList.contains("info") ? name.textContent.toLowerCase() : ""};
	});

	function apply() {
		const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
		let shown = 0;
		for (const {row, name} of rows) {
			row.hidden = words.length > 0 && (name === "" || !words.every((w) => name.includes(w)));
			if (!row.hidden && name) shown++;
		}
		summary.textContent = words.length ? shown + " of " + all : all;
	}

	filter.addEventListener("input", apply);
	filter.form.addEventListener("submit", (event) => {
		event.preventDefault(); // the script has filtered, so the gateway need not
		const first = rows.find(({row, name}) => !row.hidden && name);
		if (first && filter.value) first.row.querySelector("a, input:not([type=hidden])")?.focus();
	});
	apply();
})();
