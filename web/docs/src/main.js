import SwaggerUI from "swagger-ui-dist/swagger-ui-bundle.js";
import "swagger-ui-dist/swagger-ui.css";
import "./page.css";

// The viewer lacks some names for screen readers, headings and
// landmarks. This code adds them whenever new content appears.
const names = {
  "#servers": "Server",
  ".opblock-section-header select, select.content-type": "Content type",
  ".close-modal": "Close",
  ".information-container": "About",
  ".schemes-server-container": "Server and access",
  ".modal-ux": "Authorize",
};
const roles = { ".information-container, .schemes-server-container": "region", ".modal-ux": "dialog" };

function complete() {
  for (const [selector, label] of Object.entries(names)) each(selector, (found) => { found.ariaLabel ??= label; });
  for (const [selector, role] of Object.entries(roles)) each(selector, (found) => { found.role ??= role; });
  each(".modal-btn[aria-label]", (found) => found.removeAttribute("aria-label")); // it says something else than the button
  each("pre", (found) => { found.tabIndex = 0; }); // it may have to be scrolled
  each("h3, h4, h5, h6", (found) => { found.ariaLevel ??= String(Number(found.tagName[1]) - 1); }); // there is no h2
}

function each(selector, visit) {
  for (const found of document.querySelectorAll(selector)) visit(found);
}

// Responses link to the operation whose deprecated feature was used: #/Videos/searchVideos. The viewer's own
// deep links are links within buttons, which screen readers cannot distinguish.
let wanted = location.hash.replace(/^#\//, "operations-").replace("/", "-");

function openWanted() {
  const found = wanted && document.getElementById(wanted);
  if (!found) return;
  wanted = "";
  found.querySelector(".opblock-summary-control")?.click();
  found.scrollIntoView();
}

const app = document.getElementById("app");
new MutationObserver(() => { complete(); openWanted(); }).observe(app, { childList: true, subtree: true });

SwaggerUI({
  url: new URL("openapi.json", document.baseURI).href,
  domNode: app,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  syntaxHighlight: false,
  validatorUrl: null,
});
