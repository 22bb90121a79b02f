// The recent places on the front page. They are stored in the browser, without
// passwords, and never sent to the gateway.
"use strict";

(() => {
	const name = "locus.recent", most = 20;

	function places() {
		try {
			const list = JSON.parse(localStorage.getItem(name));
			return Array.isArray(list) ? list.filter((p) => p && typeof p.url === "string" && typeof p.title === "string") : [];
		} catch {
			return []; // storage is not allowed, or has something else
		}
	}

	function store(list) {
		try {
			localStorage.setItem(name, JSON.stringify(list.slice(0, most)));
		} catch {
			// storage is not allowed
		}
	}

	function show(section) {
		const at = section.dataset.origin, list = section.querySelector("ul");
		for (const place of places()) {
			const item = document.createElement("li"), link = document.createElement("a"), shown = document.createElement("code");
			link.href = at + "/-/open?url=" + encodeURIComponent(place.url);
			link.textContent = place.title;
			shown.textContent = place.url;
			item.append(link, " ", shown);
			list.append(item);
		}
		section.hidden = list.children.length === 0;
		section.querySelector("button").addEventListener("click", () => {
			store([]);
			section.hidden = true;
		});
	}

	const section = document.getElementById("recent"), page = document.getElementById("main");
	if (section) show(section);
	const url = page.dataset.recent;
	if (url) store([{url, title: document.title}, ...places().filter((p) => p.url !== url)]);
})();
