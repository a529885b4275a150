// The fields of a template's form, with the types and texts of the OpenAPI document.

import { type Variable, variables } from "./template";

interface Schema {
  type?: string; format?: string; enum?: string[]; items?: Schema; minimum?: number; maximum?: number; default?: unknown; examples?: unknown[];
}

interface Parameter { name: string; $ref?: string; description?: string; deprecated?: boolean; schema?: Schema }

interface Description {
  paths?: Record<string, { get?: { parameters?: Parameter[] } }>;
  components?: { parameters?: Record<string, Parameter> };
}

export interface Field extends Variable {
  label: string;
  help: string;
  /** The values to choose from, if there are any, and whether several can be chosen. */
  choices: string[];
  several: boolean;
  input: "text" | "number" | "date";
  minimum: number | undefined;
  maximum: number | undefined;
  placeholder: string;
}

let description: Promise<Description> | undefined; // of the service, which is read when the first form opens

/** Returns a field for each variable of a template. */
export async function fieldsOf(template: string): Promise<Field[]> {
  const parameters = await parametersOf(template);
  return variables(template).map((variable) => fieldOf(variable, parameters.get(variable.name)));
}

// parametersOf returns the parameters of the operation that a link leads to, by name. There are none if the document does
// not describe it.
async function parametersOf(href: string): Promise<Map<string, Parameter>> {
  description ??= fetch(new URL("openapi.json", document.baseURI)).then((response) => response.json() as Promise<Description>).catch(() => ({}));
  const { paths = {}, components = {} } = await description;
  const path = pathOf(href);
  const found = paths[path] ?? Object.entries(paths).find(([one]) => matches(one, path))?.[1];
  return new Map((found?.get?.parameters ?? []).map((one) => {
    const parameter = one.$ref ? components.parameters?.[one.$ref.split("/").pop() ?? ""] ?? one : one;
    return [parameter.name, parameter];
  }));
}

// pathOf returns the path of a link or template below the address of the service.
function pathOf(href: string): string {
  const [address = ""] = href.split(/\{[?&]|[?#]/);
  return address.startsWith(location.origin) ? address.slice(location.origin.length) : address;
}

// matches reports whether a path has the form of a described path, in which {name} stands for any segment.
function matches(described: string, path: string): boolean {
  const parts = described.split("/"), others = path.split("/");
  return parts.length === others.length && parts.every((part, at) => part === others[at] || part.startsWith("{") && others[at] !== "");
}

function fieldOf(variable: Variable, parameter: Parameter | undefined): Field {
  const schema = parameter?.schema ?? {};
  const several = schema.type === "array";
  const one = several ? schema.items ?? {} : schema;
  const choices = one.type === "boolean" ? ["true", "false"] : (one.enum ?? []).filter((value) => value !== "");
  const [about = ""] = (parameter?.description ?? "").split(" The parameter may be repeated");
  const commas = variable.explode || several && choices.length === 0;
  return {
    ...variable, choices, several,
    label: parameter?.deprecated ? `${variable.name} (deprecated)` : variable.name,
    help: [about.replaceAll("`", ""), commas ? "Separate several values by commas." : ""].filter(Boolean).join(" "),
    input: schema.type === "integer" ? "number" : schema.format === "date" ? "date" : "text",
    minimum: schema.minimum, maximum: schema.maximum,
    placeholder: String(schema.default ?? one.examples?.[0] ?? ""),
  };
}
