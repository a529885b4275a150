// The views of documents, links and traffic.

import { element } from "./element.js";
import { fieldsOf } from "./fields.js";
import { holders } from "./links.js";
import { expand } from "./template.js";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

// showDocument shows a response and its links; it calls send with the request of a link.
export function showDocument(answer, send) {
  document.getElementById("document").textContent = answer.text || "(no body)";
  const outcome = document.getElementById("outcome");
  outcome.textContent = `${answer.method} ${shortened(answer.address)}: ${answer.status} ${answer.statusText}, ${answer.length} bytes in ${answer.milliseconds} ms`;
  outcome.className = answer.status < 400 ? "" : "failed";
  const groups = answer.document ? holders(answer.document) : [];
  document.getElementById("links").replaceChildren(...(groups.length === 0
    ? [element("p", {}, "There are none.")]
    : groups.map((group, at) => groupOf(group, at === 0, send))));
}

// showFailure shows that there was no response.
export function showFailure(request, error) {
  const outcome = document.getElementById("outcome");
  outcome.textContent = `${request.method ?? "GET"} ${shortened(request.address)}: ${error.message}`;
  outcome.className = "failed";
}

function groupOf({ name, links }, open, send) {
  return element("details", { open }, element("summary", {}, `${name} (${links.length})`),
    element("ul", { className: "links" }, ...links.map((link) => itemOf(link, send))));
}

function itemOf(link, send) {
  const item = element("li", {}, actionOf(link, send), " ", element("code", {}, shortened(link.href)));
  return item;
}

function actionOf(link, send) {
  if (link.templated) {
    const button = element("button", { type: "button", className: "secondary", ariaExpanded: "false" }, `${link.rel} …`);
    button.addEventListener("click", () => toggleForm(button, link, send));
    return button;
  }
  if (new URL(link.href, document.baseURI).origin !== location.origin) {
    return element("a", { href: link.href, target: "_blank", rel: "noopener noreferrer" }, link.rel);
  }
  const button = element("button", { type: "button", className: "secondary" }, link.rel);
  button.addEventListener("click", () => send({ address: link.href }));
  const other = element("button", { type: "button", className: "secondary", ariaExpanded: "false", ariaLabel: `${link.rel} with another method` }, "…");
  other.addEventListener("click", () => toggleForm(other, link, send));
  return element("span", {}, button, " ", other);
}

// toggleForm opens the form of a link below it, or closes it.
async function toggleForm(button, link, send) {
  const item = button.closest("li");
  const open = item.querySelector("form");
  if (open) {
    open.remove();
    button.ariaExpanded = "false";
    return;
  }
  const form = formOf(link, await fieldsOf(link.href), send);
  if (item.querySelector("form")) return; // another click was faster
  item.append(form);
  button.ariaExpanded = "true";
  form.querySelector("input, select").focus();
}

function formOf(link, fields, send) {
  const method = element("select", {}, ...methods.map((name) => element("option", {}, name)));
  const body = element("textarea", { rows: 3, spellcheck: false });
  const form = element("form", { className: "fill", ariaLabel: link.rel, autocomplete: "off" },
    ...fields.map(({ view }) => view),
    element("label", {}, "Method", method),
    element("label", { className: "body" }, "Body (JSON)", body),
    element("button", {}, "Send"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const values = Object.fromEntries(fields.map(({ name, value }) => [name, value()]));
    send({ method: method.value, address: expand(link.href, values), body: method.value === "GET" ? "" : body.value });
  });
  return form;
}

// addTraffic adds an exchange at the top of the traffic.
export function addTraffic(exchange) {
  const headers = (list) => Object.entries(list).map(([name, value]) => `${name}: ${value}`).join("\n");
  const path = shortened(exchange.address);
  const block = (title, text) => [element("h3", {}, title), element("pre", { tabIndex: 0 }, text)];
  document.getElementById("traffic").prepend(element("li", {}, element("details", {},
    element("summary", {}, `${exchange.method} ${path} – ${exchange.status} ${exchange.statusText}, ${exchange.milliseconds} ms`),
    ...block("Request", `${exchange.method} ${exchange.address}\n${headers(exchange.requestHeaders)}${exchange.body ? `\n\n${exchange.body}` : ""}`),
    ...block("Answer", `${exchange.status} ${exchange.statusText}\n${headers(exchange.headers)}\n\n${exchange.text}`))));
}

// shortened returns an address without the base address of the service.
function shortened(address) {
  return address.startsWith(`${location.origin}/`) ? address.slice(location.origin.length) : address;
}
