"use strict";
const body = document.querySelector("tbody"), rows = [...body.rows];
const form = document.querySelector("form");
form.hidden = false;
form.addEventListener("submit", event => event.preventDefault());
form.filter.addEventListener("input", () => {
	const wanted = form.filter.value.toLowerCase();
	for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
});
document.querySelectorAll("th").forEach((head, column) => {
	const button = document.createElement("button");
	button.append(...head.childNodes);
	head.append(button);
	button.addEventListener("click", () => {
		const down = head.ariaSort === "ascending";
		document.querySelectorAll("th").forEach(other => other.ariaSort = null);
		head.ariaSort = down ? "descending" : "ascending";
		rows.sort((a, b) => a.cells[column].textContent.localeCompare(b.cells[column].textContent) * (down ? -1 : 1));
		body.append(...rows);
	});
});
