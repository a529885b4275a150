// URI templates (RFC 6570), level 4 for texts and lists of texts.

export type Value = string | string[] | undefined;

export interface Variable {
  name: string;
  /** Whether a list has a part of the address for each of its texts. */
  explode: boolean;
  /** Whether the address requires the variable. */
  required: boolean;
}

interface Operator { first: string; separator: string; named: boolean; empty: string; reserved: boolean }

const plain: Operator = { first: "", separator: ",", named: false, empty: "", reserved: false };
const operators: Record<string, Operator> = {
  "": plain,
  "+": { ...plain, reserved: true },
  "#": { ...plain, first: "#", reserved: true },
  ".": { ...plain, first: ".", separator: "." },
  "/": { ...plain, first: "/", separator: "/" },
  ";": { ...plain, first: ";", separator: ";", named: true },
  "?": { ...plain, first: "?", separator: "&", named: true, empty: "=" },
  "&": { ...plain, first: "&", separator: "&", named: true, empty: "=" },
};

const expression = /\{([+#./;?&]?)([^{}]+)\}/g;

interface Use { name: string; explode: boolean; length: number | undefined }

function usesIn(list: string): Use[] {
  return list.split(",").map((text) => {
    const [, name = "", modifier] = text.match(/^(.*?)(\*|:\d+)?$/) ?? [];
    return { name, explode: modifier === "*", length: modifier?.startsWith(":") ? Number(modifier.slice(1)) : undefined };
  });
}

/** Lists the variables of a template, each once. */
export function variables(template: string): Variable[] {
  const found = new Map<string, Variable>();
  for (const [, operator = "", list = ""] of template.matchAll(expression)) {
    for (const { name, explode } of usesIn(list)) {
      if (!found.has(name)) found.set(name, { name, explode, required: operator === "" || operator === "/" });
    }
  }
  return [...found.values()];
}

/** Expands a template. Missing values are left out. */
export function expand(template: string, values: Record<string, Value>): string {
  return template.replace(expression, (_, operator: string, list: string) => {
    const how = operators[operator] ?? plain;
    const parts = usesIn(list).flatMap((use) => partsOf(use, values[use.name], how));
    return parts.length === 0 ? "" : how.first + parts.join(how.separator);
  });
}

function partsOf({ name, explode, length }: Use, value: Value, how: Operator): string[] {
  if (value === undefined || value.length === 0 && Array.isArray(value)) return [];
  const encoded = [value].flat().map((text) => encode([...text].slice(0, length).join(""), how.reserved));
  const named = (text: string) => how.named ? name + (text === "" ? how.empty : `=${text}`) : text;
  return explode ? encoded.map(named) : [named(encoded.join(","))];
}

function encode(text: string, reserved: boolean): string {
  if (reserved) return encodeURI(text).replace(/%5B/g, "[").replace(/%5D/g, "]").replace(/%25([0-9A-Fa-f]{2})/g, "%$1");
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
