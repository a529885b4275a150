// The scripts of the guides color code samples, copy them, and apply the language that the reader chose in one place to all
// samples, on all pages. The pages work without them.
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import go from "highlight.js/lib/languages/go";
import graphql from "highlight.js/lib/languages/graphql";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import sql from "highlight.js/lib/languages/sql";
import xml from "highlight.js/lib/languages/xml";

for (const [name, language] of Object.entries({ sh: bash, bash, go, graphql, html: xml, js: javascript, json, python, sql })) {
  hljs.registerLanguage(name, language);
  for (const code of document.querySelectorAll<HTMLElement>(`article pre code.language-${name}`)) hljs.highlightElement(code);
}

const key = "filmstrip-language";

function choose(language: string | null) {
  for (const input of document.querySelectorAll<HTMLInputElement>(".tabs input")) if (input.value === language) input.checked = true;
}

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches(".tabs input")) return;
  const before = target.getBoundingClientRect().top;
  localStorage.setItem(key, target.value);
  choose(target.value);
  scrollBy(0, target.getBoundingClientRect().top - before); // samples above may have become longer
});

choose(localStorage.getItem(key));

for (const code of document.querySelectorAll<HTMLElement>("article pre")) {
  code.tabIndex = 0; // it may have to be scrolled
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.innerText);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  const frame = document.createElement("div");
  frame.className = "copyable";
  code.replaceWith(frame);
  frame.append(code, button);
}
