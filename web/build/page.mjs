// The document of a page that consists of one script and one style sheet.

// pageOf returns the document of the page at /name. style has the attributes of the link to the style sheet: its href, below
// the page's path, and others.
export function pageOf({ name, title, script, style }) {
  const attributes = Object.entries({ rel: "stylesheet", ...style, href: `${name}/${style.href}` }).map(([key, value]) => ` ${key}="${value}"`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - Filmstrip</title>
<!--design.Head-->
<link${attributes.join("")}>
</head>
<body>
<!--design.Header-->
<div id="app"><noscript>This page needs JavaScript.</noscript></div>
<script type="module" src="${name}/${script}"></script>
</body>
</html>
`;
}
