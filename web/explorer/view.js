// The views of documents, links and traffic.

import { holders } from "./links.js";
import { expand, variables } from "./template.js";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

// element creates an element with properties and children.
function element(name, properties = {}, ...content) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...content);
  return made;
}

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
function toggleForm(button, link, send) {
  const item = button.closest("li");
  const open = item.querySelector("form");
  if (open) {
    open.remove();
    button.ariaExpanded = "false";
    return;
  }
  const form = formOf(link, send);
  item.append(form);
  button.ariaExpanded = "true";
  form.querySelector("input, select").focus();
}

function formOf(link, send) {
  const fields = variables(link.href).map((variable) => ({
    ...variable, input: element("input", { name: variable.name, required: variable.required, autocomplete: "off", spellcheck: false }),
  }));
  const method = element("select", {}, ...methods.map((name) => element("option", {}, name)));
  const body = element("textarea", { rows: 3, spellcheck: false });
  const form = element("form", { className: "fill", ariaLabel: link.rel, autocomplete: "off" },
    ...fields.map(({ name, explode, input }) => element("label", {}, explode ? `${name} (a list with commas)` : name, input)),
    element("label", {}, "Method", method),
    element("label", { className: "body" }, "Body (JSON)", body),
    element("button", {}, "Send"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send({ method: method.value, address: expand(link.href, valuesOf(fields)), body: method.value === "GET" ? "" : body.value });
  });
  return form;
}

function valuesOf(fields) {
  const values = {};
  for (const { name, explode, input } of fields) {
    if (input.value !== "") values[name] = explode ? input.value.split(",").map((one) => one.trim()) : input.value;
  }
  return values;
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
