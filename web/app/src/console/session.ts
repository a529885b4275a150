// Signing in: the authorization code flow with PKCE (RFC 7636). Tokens stay in the memory of the page; after a reload, the
// browser's session at the server gives new ones without a question.

const setting = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="filmstrip-${name}"]`)?.content ?? "";
export const client = setting("client");
const redirect = new URL("console", location.href).href;
const endpoint = (name: string) => new URL(`${setting("auth")}/v1/${name}`, location.href);
/** Returns the beginning of the redirect URIs of an account's identity providers. */
export const callbackOf = (account: string) => `${endpoint("authorize/callback").href}/${account}/`;
const kept = "filmstrip-console";
// The tabs of the console.
const tabs = new BroadcastChannel(kept);

interface Tokens { access_token: string; refresh_token: string; id_token?: string; expires_in: number }
let tokens: Tokens | undefined;
let freshUntil = 0;
let renewal: Promise<void> | undefined;

/** The error when the server refuses to renew the session: the user has to sign in again. */
export class SignedOut extends Error {}

/**
 * Signs the user in, or goes on after the sign-in page sent the browser back. It returns LEAVES if the browser leaves, and
 * ELSEWHERE if another tab asked for the sign-in.
 */
export async function start(): Promise<"HERE" | "ELSEWHERE" | "LEAVES"> {
  const answer = new URL(location.href).searchParams;
  if (!answer.has("state")) {
    await leave();
    return "LEAVES";
  }
  const begun = JSON.parse(sessionStorage.getItem(kept) ?? "null") as { verifier: string; state: string; place: string } | null;
  sessionStorage.removeItem(kept);
  history.replaceState(null, "", redirect + (begun?.place ?? ""));
  if (!begun || answer.get("state") !== begun.state) {
    if (!begun && answer.has("code") && await handOver({ state: answer.get("state") ?? "", code: answer.get("code") ?? "" })) return "ELSEWHERE";
    await leave();
    return "LEAVES";
  }
  if (answer.has("error")) throw new Error(answer.get("error_description") ?? "You were not signed in.");
  await exchange({ grant_type: "authorization_code", code: answer.get("code") ?? "", redirect_uri: redirect, code_verifier: begun.verifier });
  return "HERE";
}

/** Sends the browser to the sign-in page, to come back to this place. */
export async function leave(): Promise<void> {
  const { verifier, state, address } = await begin();
  sessionStorage.setItem(kept, JSON.stringify({ verifier, state, place: location.hash }));
  location.replace(address);
}

let awaited: ReturnType<typeof begin> | undefined;

/** Returns the address at which the user signs in again in another tab, which hands its authorization code to this page. */
export async function signInElsewhere(): Promise<string> {
  awaited ??= begin();
  return (await awaited).address;
}

interface Handed { state: string; code: string }

tabs.addEventListener("message", ({ data }: MessageEvent<Handed>) => {
  void awaited?.then(async ({ state, verifier }) => {
    if (data.state !== state || !data.code) return;
    await exchange({ grant_type: "authorization_code", code: data.code, redirect_uri: redirect, code_verifier: verifier });
    awaited = undefined;
    tabs.postMessage({ state, code: "" });
  });
});

// Offers an authorization code to the other tabs, and reports whether one took it. The browser may slow down tabs in the background.
function handOver(offered: Handed): Promise<boolean> {
  return new Promise((resolve) => {
    tabs.addEventListener("message", ({ data }: MessageEvent<Handed>) => { if (data.state === offered.state && !data.code) resolve(true); });
    tabs.postMessage(offered);
    setTimeout(() => resolve(false), 5_000);
  });
}

// Returns a new request of the code flow: its secrets, and the address of the sign-in page.
async function begin(): Promise<{ verifier: string; state: string; address: string }> {
  if (!window.isSecureContext) throw new Error("Signing in needs https, or a server on this machine.");
  const verifier = randomText(), state = randomText();
  const address = endpoint("authorize");
  address.search = new URLSearchParams({
    response_type: "code", client_id: client, redirect_uri: redirect, scope: "openid", state,
    code_challenge: await challengeOf(verifier), code_challenge_method: "S256",
  }).toString();
  return { verifier, state, address: address.href };
}

/** Returns an access token that is valid for at least half a minute. The error is SignedOut if the server gives none. */
export async function accessToken(): Promise<string> {
  if (Date.now() > freshUntil) {
    renewal ??= exchange({ grant_type: "refresh_token", refresh_token: tokens?.refresh_token ?? "" }).finally(() => { renewal = undefined; });
    await renewal;
  }
  return tokens?.access_token ?? "";
}

/** Ends the session of the browser, and returns to the sign-in page. */
export function signOut(): void {
  const form = document.createElement("form");
  form.method = "post";
  form.action = endpoint("logout").href;
  for (const [name, value] of Object.entries({ id_token_hint: tokens?.id_token ?? "", client_id: client, post_logout_redirect_uri: redirect })) {
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name, value });
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}

async function exchange(request: Record<string, string>): Promise<void> {
  const response = await fetch(endpoint("token"), {
    method: "POST", cache: "no-store", credentials: "omit", body: new URLSearchParams({ client_id: client, ...request }),
  });
  const answer = await response.json() as Tokens & { error_description?: string; message?: string };
  if (!response.ok) throw new ([400, 401].includes(response.status) ? SignedOut : Error)(answer.error_description ?? answer.message ?? "You are no longer signed in.");
  tokens = { ...tokens, ...answer };
  freshUntil = Date.now() + (answer.expires_in - 30) * 1000;
}

const base64url = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)));
const challengeOf = async (verifier: string) => base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
