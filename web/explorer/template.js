// URI templates (RFC 6570), level 4 for texts and lists of texts.

const operators = {
  "": { first: "", separator: ",", named: false, reserved: false },
  "+": { first: "", separator: ",", named: false, reserved: true },
  "#": { first: "#", separator: ",", named: false, reserved: true },
  ".": { first: ".", separator: ".", named: false, reserved: false },
  "/": { first: "/", separator: "/", named: false, reserved: false },
  ";": { first: ";", separator: ";", named: true, empty: "", reserved: false },
  "?": { first: "?", separator: "&", named: true, empty: "=", reserved: false },
  "&": { first: "&", separator: "&", named: true, empty: "=", reserved: false },
};

const expression = /\{([+#./;?&]?)([^{}]+)\}/g;

function variablesIn(list) {
  return list.split(",").map((text) => {
    const [, name, modifier] = text.match(/^(.*?)(\*|:\d+)?$/);
    return { name, explode: modifier === "*", length: modifier?.startsWith(":") ? Number(modifier.slice(1)) : undefined };
  });
}

// variables lists the variables of a template: their names, whether a list is exploded, and whether the address
// requires them.
export function variables(template) {
  const found = new Map();
  for (const [, operator, list] of template.matchAll(expression)) {
    for (const { name, explode } of variablesIn(list)) {
      if (!found.has(name)) found.set(name, { name, explode, required: operator === "" || operator === "/" });
    }
  }
  return [...found.values()];
}

// expand expands a template. A value is a text or a list of texts; missing values are left out.
export function expand(template, values) {
  return template.replace(expression, (_, operator, list) => {
    const how = operators[operator];
    const parts = variablesIn(list).flatMap((variable) => partsOf(variable, values[variable.name], how));
    return parts.length === 0 ? "" : how.first + parts.join(how.separator);
  });
}

function partsOf({ name, explode, length }, value, how) {
  if (value === undefined || value === null || Array.isArray(value) && value.length === 0) return [];
  const encoded = [value].flat().map((text) => encode([...String(text)].slice(0, length).join(""), how.reserved));
  const named = (text) => how.named ? name + (text === "" ? how.empty : `=${text}`) : text;
  return explode ? encoded.map(named) : [named(encoded.join(","))];
}

function encode(text, reserved) {
  if (reserved) return encodeURI(text).replace(/%5B/g, "[").replace(/%5D/g, "]").replace(/%25([0-9A-Fa-f]{2})/g, "%$1");
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
