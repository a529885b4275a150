// The links of a document and of the documents within it.

export interface Link { rel: string; href: string; templated?: boolean }

export interface Group { name: string; links: Link[] }

type JSONObject = Record<string, unknown>;

/** Lists the parts of a document that have links, in its order: a readable name, and the links. */
export function groupsOf(document: unknown): Group[] {
  const found: Group[] = [];
  const visit = (value: unknown, path: string) => {
    if (value === null || typeof value !== "object") return;
    const object = value as JSONObject;
    if (object._links) found.push({ name: nameOf(object, path), links: linksOf(object._links as JSONObject) });
    for (const [key, inner] of Object.entries(object)) {
      if (key !== "_links") visit(inner, Array.isArray(value) ? `${path}[${key}]` : path ? `${path}.${key}` : key);
    }
  };
  visit(document, "");
  return found;
}

function nameOf(object: JSONObject, path: string): string {
  const title = object.title ?? object.name ?? object.label;
  if (!path) return title ? `This document: ${title}` : "This document";
  return title ? `${path}: ${title}` : path;
}

function linksOf(links: JSONObject): Link[] {
  return Object.entries(links).flatMap(([rel, link]) => [link].flat().map((one) => ({ rel, ...(one as Omit<Link, "rel">) })));
}
