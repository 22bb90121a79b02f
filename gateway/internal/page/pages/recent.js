// The recent places and the bookmarks of the front page. The field suggests them on every page. The
// browser stores them without passwords, and does not send them to the gateway.
"use strict";

(() => {
	const most = {"locus.recent": 20, "locus.bookmarks": 200};

	function places(name) {
		try {
			const list = JSON.parse(localStorage.getItem(name));
			return Array.isArray(list) ? list.filter((p) => p && typeof p.url === "string" && typeof p.title === "string") : [];
		} catch {
			return []; // the browser forbids storage, or the storage has other data
		}
	}

	function store(name, list) {
		try {
			localStorage.setItem(name, JSON.stringify(list.slice(0, most[name])));
		} catch {
			// the browser forbids storage
		}
	}

	function show(section, name) {
		const at = section.dataset.origin, list = section.querySelector("ul");
		for (const place of places(name)) {
			const item = document.createElement("li"), link = document.createElement("a"), shown = document.createElement("code");
			link.href = at + "/-/open?url=" + encodeURIComponent(place.url); // without a ticket: the gateway asks as for any link
			link.textContent = place.title;
			shown.textContent = place.url;
			item.append(link, " ", shown);
			list.append(item);
		}
		section.hidden = list.children.length === 0;
		section.querySelector("button").addEventListener("click", () => {
			store(name, []);
			section.hidden = true;
		});
	}

	const page = document.getElementById("main"), url = page.dataset.recent, place = {url, title: document.title};
	for (const id of ["recent", "bookmarks"]) {
		const section = document.getElementById(id);
		if (section) show(section, "locus." + id);
	}
	if (url) {
		store("locus.recent", [place, ...places("locus.recent").filter((p) => p.url !== url)]);
		bookmark();
	}
	suggest();

	// bookmark adds a button that adds the page to the bookmarks, or removes it.
	function bookmark() {
		const name = "locus.bookmarks", button = document.createElement("button"), has = () => places(name).some((p) => p.url === url);
		const label = () => {
			button.textContent = has() ? "★ Bookmarked" : "☆ Bookmark";
			button.setAttribute("aria-pressed", String(has()));
		};
		button.type = "button";
		button.className = "bookmark";
		button.addEventListener("click", () => {
			const others = places(name).filter((p) => p.url !== url);
			store(name, has() ? others : [place, ...others]);
			label();
		});
		label();
		const tools = document.querySelector("nav.tools");
		if (tools) tools.append(button);
		else document.querySelector("h1").after(button);
	}

	// suggest lets the field suggest the places.
	function suggest() {
		const field = document.getElementById("url"), list = document.createElement("datalist"), seen = new Set();
		list.id = "places";
		for (const p of [...places("locus.bookmarks"), ...places("locus.recent")]) {
			if (seen.has(p.url)) continue;
			seen.add(p.url);
			const option = document.createElement("option");
			option.value = p.url;
			option.label = p.title;
			list.append(option);
		}
		if (seen.size === 0) return;
		field.after(list);
		field.setAttribute("list", list.id);
	}
})();
