// The client of the service.

export interface Request { address: string; method?: string; body?: string }

export interface Exchange {
  method: string;
  address: string;
  body: string;
  requestHeaders: Record<string, string>;
  status: number;
  statusText: string;
  headers: Record<string, string>;
  milliseconds: number;
  /** The number of bytes of the response. */
  length: number;
  text: string;
  /** The response, if it is JSON. */
  document?: unknown;
}

/** Requests a token for a client. */
export async function fetchToken(clientID: string, secret: string): Promise<string> {
  const response = await fetch(new URL("v1/token", document.baseURI), {
    method: "POST",
    credentials: "omit", // otherwise the browser itself asks for the credentials that an error demands
    body: new URLSearchParams({ grant_type: "client_credentials", client_id: clientID, client_secret: secret }),
  });
  const answer = await response.json() as { message: string; access_token: string };
  if (!response.ok) throw new Error(answer.message);
  return answer.access_token;
}

/** Sends a request, and returns it with its response. It throws only if there is no response. */
export async function exchange({ address, method = "GET", body = "" }: Request, token: string): Promise<Exchange> {
  const headers: Record<string, string> = { Accept: "application/hal+json" };
  if (body) headers["Content-Type"] = "application/json";
  const begun = performance.now();
  const response = await fetch(address, {
    method, body: body || null, cache: "no-store", credentials: "omit",
    headers: token ? { ...headers, Authorization: `Bearer ${token}` } : headers,
  });
  const bytes = await response.arrayBuffer();
  return {
    method, address, body,
    requestHeaders: token ? { ...headers, Authorization: "Bearer …" } : headers,
    status: response.status, statusText: response.statusText,
    headers: Object.fromEntries(response.headers),
    milliseconds: Math.round(performance.now() - begun),
    length: bytes.byteLength,
    ...contentOf(response.headers.get("Content-Type") ?? "", bytes),
  };
}

function contentOf(type: string, bytes: ArrayBuffer): Pick<Exchange, "text" | "document"> {
  if (bytes.byteLength === 0) return { text: "" };
  if (!/json|text|mpegurl/i.test(type)) return { text: `(${bytes.byteLength} bytes of ${type})` };
  const text = new TextDecoder().decode(bytes);
  if (!/json/i.test(type)) return { text };
  try {
    const document: unknown = JSON.parse(text);
    return { document, text: JSON.stringify(document, null, 2) };
  } catch {
    return { text };
  }
}

/** Returns an address without the base address of the service. */
export function shortened(address: string): string {
  return address.startsWith(`${location.origin}/`) ? address.slice(location.origin.length) : address;
}
