// The client of the service. It keeps the token in memory only.

let token = "";

// setToken sets the token of requests; "" means none.
export function setToken(text) { token = text; }

// fetchToken requests a token for a client.
export async function fetchToken(clientID, secret) {
  const response = await fetch(new URL("v1/token", document.baseURI), {
    method: "POST",
    credentials: "omit", // otherwise the browser itself asks for the credentials that an error demands
    body: new URLSearchParams({ grant_type: "client_credentials", client_id: clientID, client_secret: secret }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer.access_token;
}

// exchange sends a request, and returns it with its response. It throws only if there is
// no response.
export async function exchange({ method = "GET", address, body = "" }) {
  const headers = { Accept: "application/hal+json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers["Content-Type"] = "application/json";
  const begun = performance.now();
  const response = await fetch(address, { method, headers, body: body || undefined, cache: "no-store", credentials: "omit" });
  const bytes = await response.arrayBuffer();
  return {
    method, address, body,
    requestHeaders: { ...headers, ...(token && { Authorization: "Bearer …" }) },
    status: response.status, statusText: response.statusText,
    headers: Object.fromEntries(response.headers),
    milliseconds: Math.round(performance.now() - begun),
    length: bytes.byteLength,
    ...contentOf(response.headers.get("Content-Type") ?? "", bytes),
  };
}

// contentOf returns the content of a response: a document if it is JSON, and a text to show.
function contentOf(type, bytes) {
  if (bytes.byteLength === 0) return { text: "" };
  if (!/json|text|mpegurl/i.test(type)) return { text: `(${bytes.byteLength} bytes of ${type})` };
  const text = new TextDecoder().decode(bytes);
  if (!/json/i.test(type)) return { text };
  try {
    const document = JSON.parse(text);
    return { document, text: JSON.stringify(document, null, 2) };
  } catch {
    return { text };
  }
}
