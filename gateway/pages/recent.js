// The places that were opened last. They stay in the browser, which shows them on
// the front page; the gateway never learns them. Pages give their URL without its
// password.
"use strict";

(() => {
	const name = "locus.recent", most = 20;

	function places() {
		try {
			const list = JSON.parse(localStorage.getItem(name));
			return Array.isArray(list) ? list.filter((p) => p && typeof p.url === "string" && typeof p.title === "string") : [];
		} catch {
			return []; // nothing may be stored here, or something else was
		}
	}

	function keep(list) {
		try {
			localStorage.setItem(name, JSON.stringify(list.slice(0, most)));
		} catch {
			// nothing may be stored here
		}
	}

	function show(section) {
		const at = section.dataset.at, list = section.querySelector("ul");
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
			keep([]);
			section.hidden = true;
		});
	}

	const section = document.getElementById("recent"), page = document.getElementById("main");
	if (section) show(section);
	const url = page.dataset.recent;
	if (url) keep([{url, title: document.title}, ...places().filter((p) => p.url !== url)]);
})();
