// The fields of a template's form, with the types and texts of the OpenAPI document.

import { element } from "./element.js";
import { variables } from "./template.js";

let description; // the promise of the OpenAPI document, which is read when the first form opens

// parametersOf returns the parameters of the operation that a link leads to, by name. There are none if the document does
// not describe it.
async function parametersOf(href) {
  description ??= fetch(new URL("openapi.json", document.baseURI)).then((response) => response.json()).catch(() => ({}));
  const { paths = {}, components = {} } = await description;
  const path = pathOf(href);
  const described = Object.keys(paths).find((one) => one === path) ?? Object.keys(paths).find((one) => matches(one, path));
  const parameters = paths[described]?.get?.parameters ?? [];
  return new Map(parameters.map((one) => {
    const parameter = one.$ref ? components.parameters[one.$ref.split("/").pop()] : one;
    return [parameter.name, parameter];
  }));
}

// pathOf returns the path of a link or template below the address of the service.
function pathOf(href) {
  const [address] = href.split(/\{[?&]|[?#]/);
  return address.startsWith(location.origin) ? address.slice(location.origin.length) : address;
}

// matches reports whether a path has the form of a described path, in which {name} stands for any segment.
function matches(described, path) {
  const parts = described.split("/"), others = path.split("/");
  return parts.length === others.length && parts.every((part, at) => part === others[at] || part.startsWith("{") && others[at] !== "");
}

// fieldsOf returns a field for each variable of a template: its name, its view, and its value, which is a
// text, a list of texts, or undefined.
export async function fieldsOf(template) {
  const parameters = await parametersOf(template);
  return variables(template).map((variable) => fieldOf(variable, parameters.get(variable.name)));
}

let count = 0; // of fields, for their ids

function fieldOf({ name, explode, required }, parameter) {
  const schema = parameter?.schema ?? {};
  const control = controlOf(schema), id = `field-${++count}`;
  Object.assign(control, { id, name, required });
  const label = element("label", { htmlFor: id }, parameter?.deprecated ? `${name} (deprecated)` : name);
  const help = element("small", { id: `${id}-help` }, textOf(parameter, schema, explode));
  if (help.textContent) control.setAttribute("aria-describedby", help.id);
  return { name, view: element("div", { className: "field" }, label, control, help), value: () => valueOf(control, explode) };
}

// controlOf returns the control for values of a schema.
function controlOf(schema) {
  const one = schema.type === "array" ? schema.items ?? {} : schema;
  const choices = one.type === "boolean" ? ["true", "false"] : (one.enum ?? []).filter((value) => value !== "");
  const options = choices.map((value) => element("option", { value }, value));
  if (options.length > 0 && schema.type === "array") return element("select", { multiple: true, size: Math.min(4, options.length) }, ...options);
  if (options.length > 0) return element("select", {}, element("option", { value: "" }, ""), ...options);
  const input = element("input", { autocomplete: "off", spellcheck: false, placeholder: String(schema.default ?? one.examples?.[0] ?? "") });
  if (schema.type === "integer") Object.assign(input, { type: "number", min: schema.minimum ?? "", max: schema.maximum ?? "" });
  if (schema.format === "date") input.type = "date";
  return input;
}

function textOf(parameter, schema, explode) {
  const [about] = (parameter?.description ?? "").split(" The parameter may be repeated");
  const free = schema.type === "array" && !schema.items?.enum;
  return [about.replaceAll("`", ""), free || explode ? "Separate several values by commas." : ""].filter(Boolean).join(" ");
}

function valueOf(control, explode) {
  if (control.multiple) return control.selectedOptions.length > 0 ? [...control.selectedOptions].map((option) => option.value) : undefined;
  if (control.value === "") return undefined;
  return explode ? control.value.split(",").map((one) => one.trim()) : control.value;
}
