// The buttons by which a browser opens links of a scheme with this gateway.
"use strict";

(() => {
	const told = document.getElementById("told");
	const handlers = document.getElementById("handlers");
	const at = new URL(handlers.dataset.at + "/-/open", location.href).href + "?url=%s";
	if (!navigator.registerProtocolHandler) {
		told.textContent = window.isSecureContext
			? "This browser has no handlers of this kind."
			: "A browser allows this at https and at this machine's own addresses only.";
		return;
	}
	for (const button of handlers.querySelectorAll("button")) {
		button.disabled = false;
		button.addEventListener("click", () => {
			const scheme = button.dataset.scheme;
			try {
				navigator.registerProtocolHandler(scheme, at);
				told.textContent = "The browser was asked to open " + scheme + " links here.";
			} catch (e) {
				told.textContent = "The browser refuses " + scheme + ": " + e.message;
			}
		});
	}
})();
