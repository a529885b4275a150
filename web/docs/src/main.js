// The viewer lacks names of some controls and uses some roles wrongly. This code corrects what appears.
function correct() {
  each("button[aria-selected]:not([role])", (button) => {
    button.ariaCurrent = button.ariaSelected === "true" ? "true" : null;
    button.removeAttribute("aria-selected");
  });
  each("button[role=search]", (button) => { button.removeAttribute("role"); });
  each("button:is([class*=copy-button], .code-copy):not([aria-label])", (button) => { button.ariaLabel = "Copy"; });
  each("button.client-libraries__select:not([aria-label])", (button) => { button.ariaLabel = "More languages"; });
  each("button:not([aria-label], [aria-labelledby])", (button) => { if (!button.textContent.trim()) button.ariaLabel = button.title || "Options"; });
  each("button.show-more[aria-label^='Show all']", (button) => { button.ariaLabel = button.ariaLabel.replace("Show all", "Show More:"); });
  each(".client-libraries-list[role], .client-libraries-list [role=tab]", (found) => {
    found.removeAttribute("role");
    found.removeAttribute("aria-orientation");
  });
  each("button .selected-content-type[tabindex]", (found) => { found.removeAttribute("tabindex"); }); // the button around it works
  each(".cm-content:not([aria-label])", (editor) => { editor.ariaLabel = "Value"; });
  each("pre:not([tabindex]), .scalar-virtual-text:not([tabindex]), ul.endpoints:not([tabindex])", (region) => { region.tabIndex = 0; }); // it may have to be scrolled
}

function each(selector, visit) {
  for (const found of document.querySelectorAll(selector)) visit(found);
}

const app = document.getElementById("app");
new MutationObserver(correct).observe(document.body, { childList: true, subtree: true, attributeFilter: ["aria-selected"] });

window.Scalar.createApiReference(app, {
  url: new URL("../openapi.json", location.href).href,
  authentication: {
    preferredSecurityScheme: "oauth2",
    securitySchemes: { oauth2: { flows: { authorizationCode: { "x-usePkce": "SHA-256", "x-scalar-redirect-uri": location.origin + location.pathname } } } },
  },
  // Links from elsewhere name an operation by its id: #tag/videos/searchVideos.
  generateOperationSlug: ({ operationId }) => operationId,
  documentDownloadType: "json",
  orderSchemaPropertiesBy: "preserve",
  // The page talks to this server alone.
  agent: { disabled: true }, mcp: { disabled: true }, proxyUrl: "", telemetry: false, withDefaultFonts: false,
  hideClientButton: true, hideDarkModeToggle: true, showDeveloperTools: "never",
});
