// The search of the pages. Its index is a script, which is loaded when the reader begins to type.
"use strict";

let searchIndex;

(() => {
	const input = document.getElementById("search");
	const results = document.getElementById("results");
	const root = new URL(".", document.querySelector(".brand").href);
	const most = 12; // results
	let loading = false;

	function load() {
		if (loading) return;
		loading = true;
		const script = document.createElement("script");
		script.src = new URL("search-index.js", root);
		script.onload = () => {
			for (const page of searchIndex) {
				page.lower = { title: page.title.toLowerCase(), text: page.text.toLowerCase() };
				for (const heading of page.headings) heading.lower = heading.title.toLowerCase();
			}
			show();
		};
		script.onerror = () => { loading = false; };
		document.head.append(script);
	}

	// patternOf returns a pattern for a word. A number matches whole numbers only, and a flag, such as
	// "--name", whole flags; other words match parts of words.
	function patternOf(word) {
		const escaped = word.replace(/[.*+?^${}()|[\]\\\/-]/g, "\\$&");
		if (/^\d+$/.test(word)) return `(?<!\\d)${escaped}(?!\\d)`;
		return /^--?\w/.test(word) ? `(?<![\\w-])${escaped}(?![\\w-])` : escaped;
	}

	// scoreOf says how well a page matches the words; 0 if it lacks one. A page of a verb is best for a
	// flag, and the text of a file, which is not in the menu, comes after the documents.
	function scoreOf(page, words) {
		let score = 0;
		for (const word of words) {
			const pattern = new RegExp(patternOf(word), "g");
			const count = text => (text.match(pattern) || []).length;
			let points = 0;
			if (count(page.lower.title) > 0) points += page.lower.title.split(/\W+/).includes(word) ? 60 : 20;
			if (page.headings.some(heading => count(heading.lower) > 0)) points += 10;
			const times = count(page.lower.text);
			if (times > 0) points += 1 + Math.min(times, 8) + Math.min(10, 4000 * times / page.lower.text.length);
			if (points === 0) return 0;
			if (page.group === "Verbs" && word.startsWith("-")) points += 30;
			score += points;
		}
		return page.group ? score : score / 10;
	}

	// excerpt returns the text around the first word that the page has, with the words marked.
	function excerpt(page, words) {
		const found = words.map(word => page.lower.text.search(new RegExp(patternOf(word)))).filter(at => at >= 0);
		const start = Math.max(0, Math.min(...found, page.text.length) - 40);
		const part = document.createElement("small");
		const text = (start > 0 ? "…" : "") + page.text.slice(start, start + 140).replace(/\s+/g, " ") + "…";
		for (const piece of text.split(new RegExp(`(${words.map(patternOf).join("|")})`, "i"))) {
			const isWord = words.includes(piece.toLowerCase());
			part.append(isWord ? Object.assign(document.createElement("mark"), { textContent: piece }) : piece);
		}
		return part;
	}

	function show() {
		const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
		results.hidden = words.length === 0;
		if (words.length === 0 || !searchIndex) return;
		const found = searchIndex.map(page => [scoreOf(page, words), page]).filter(([score]) => score > 0);
		found.sort((a, b) => b[0] - a[0]);
		results.replaceChildren(...found.slice(0, most).map(([, page]) => {
			const link = document.createElement("a");
			const heading = page.headings.find(heading => heading.title !== page.title && words.every(word => heading.lower.includes(word)));
			link.href = new URL(page.url.replace(/^\//, "") + (heading ? "#" + heading.id : ""), root);
			const title = document.createElement("strong");
			title.textContent = page.title + (heading ? " › " + heading.title : "");
			link.append(title, excerpt(page, words));
			return link;
		}));
		if (found.length === 0) results.textContent = "No page has these words.";
	}

	input.addEventListener("focus", load);
	input.addEventListener("input", () => { load(); show(); });
	input.form.addEventListener("submit", event => {
		event.preventDefault();
		const first = results.querySelector("a");
		if (first && !results.hidden) location.href = first.href;
	});
	document.addEventListener("keydown", event => {
		const links = [...results.querySelectorAll("a")];
		const at = links.indexOf(document.activeElement);
		if (event.key === "/" && !/input|textarea/i.test(document.activeElement.tagName)) {
			event.preventDefault();
			input.focus();
		} else if (event.key === "Escape" && !results.hidden) {
			results.hidden = true;
			input.focus();
		} else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !results.hidden && (at >= 0 || document.activeElement === input)) {
			event.preventDefault();
			const next = event.key === "ArrowDown" ? at + 1 : at - 1;
			(links[next] || (next < 0 ? input : links[at]) || input).focus();
		}
	});
	document.addEventListener("click", event => {
		if (!input.form.contains(event.target)) results.hidden = true;
	});

	// On a wide screen the menu is open.
	const wide = matchMedia("(min-width: 60rem)");
	const menu = document.querySelector(".menu .all");
	const fit = () => { menu.open = wide.matches; };
	wide.addEventListener("change", fit);
	fit();
	document.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
})();
