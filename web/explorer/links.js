// The links of a document and of the documents within it.

// holders lists the parts that have links, in the order of the document: a readable name, and the links.
export function holders(document) {
  const found = [];
  const visit = (value, path) => {
    if (value === null || typeof value !== "object") return;
    if (value._links) found.push({ name: nameOf(value, path), links: linksOf(value._links) });
    for (const [key, inner] of Object.entries(value)) {
      if (key !== "_links") visit(inner, Array.isArray(value) ? `${path}[${key}]` : path ? `${path}.${key}` : key);
    }
  };
  visit(document, "");
  return found;
}

function nameOf(value, path) {
  const called = value.title ?? value.name ?? value.label;
  if (!path) return called ? `This document: ${called}` : "This document";
  return called ? `${path}: ${called}` : path;
}

function linksOf(links) {
  return Object.entries(links).flatMap(([rel, link]) => [link].flat().map((one) => ({ rel, ...one })));
}
