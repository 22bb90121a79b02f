// Each button registers the gateway as the browser's handler for links of a scheme.
"use strict";

(() => {
	const status = document.getElementById("status");
	const handlers = document.getElementById("handlers");
	const at = new URL(handlers.dataset.origin + "/-/open", location.href).href + "?url=%s";
	if (!navigator.registerProtocolHandler) {
		status.textContent = window.isSecureContext
			? "This browser cannot register handlers."
			: "A browser allows this only over https or at an address of this machine.";
		return;
	}
	// If the gateway is still the handler of mailto, the links to mail programs lead back to it.
	try {
		navigator.unregisterProtocolHandler?.("mailto", at);
	} catch {
		// the browser allows it for some addresses only
	}
	for (const button of handlers.querySelectorAll("button")) {
		button.disabled = false;
		button.addEventListener("click", () => {
			const scheme = button.dataset.scheme;
			try {
				navigator.registerProtocolHandler(scheme, at);
				status.textContent = "The browser was asked to open " + scheme + " links here.";
			} catch (e) {
				status.textContent = "The browser refuses " + scheme + ": " + e.message;
			}
		});
	}
})();
