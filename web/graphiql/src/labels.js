// The editors of GraphiQL consist of text areas without a name, and of regions that scroll but cannot have the focus. This code
// corrects what appears.

const names = { ".graphiql-query-editor": "Query", ".graphiql-editor-tool": "Variables and headers", ".result-window": "Response" };

function correct() {
  for (const [pane, name] of Object.entries(names)) {
    for (const area of document.querySelectorAll(`${pane} .CodeMirror textarea:not([aria-label])`)) area.ariaLabel = name;
  }
  for (const scroll of document.querySelectorAll(".CodeMirror-scroll:not([tabindex='0'])")) scroll.tabIndex = 0;
}

export function correctLabels(root) {
  new MutationObserver(correct).observe(root, { childList: true, subtree: true });
}
