// Tokens: those of the shop itself (client credentials), and those of teachers, who sign in over OpenID Connect with the
// authorization code flow and PKCE.
import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import * as oidc from "openid-client";
import { Filmstrip } from "./filmstrip.js";
import { filmstripURL, serviceClient, shopURL, webClientID } from "./settings.js";

// Only a Filmstrip on this machine has no TLS.
const options = filmstripURL.protocol === "http:" ? { execute: [oidc.allowInsecureRequests] } : {};
const service = await oidc.discovery(filmstripURL, serviceClient.id, serviceClient.secret, undefined, options);
const web = await oidc.discovery(filmstripURL, webClientID, undefined, oidc.None(), options);

type Tokens = { access: string; refresh: string | undefined; expires: number };
type Session = { name: string; idToken: string; tokens: Tokens };

// This process alone knows the sessions. A platform with several processes keeps them in its database.
const sessions = new Map<string, Session>();

const cookie = { httpOnly: true, sameSite: "Lax", secure: shopURL.protocol === "https:", path: "/" } as const;

function tokensOf(response: oidc.TokenEndpointResponse): Tokens {
  // The token is renewed half a minute early, so that no request arrives with an expired one.
  const expires = Date.now() + ((response.expires_in ?? 60) - 30) * 1000;
  return { access: response.access_token, refresh: response.refresh_token, expires };
}

let ours: Promise<Tokens> | undefined;

/** shop calls the API with the shop's own token. */
export const shop = new Filmstrip(async () => {
  const known = await ours?.catch(() => undefined);
  if (!known || known.expires < Date.now()) ours = oidc.clientCredentialsGrant(service).then(tokensOf);
  return (await ours!).access;
});

function sessionOf(c: Context): Session | undefined {
  return sessions.get(getCookie(c, "session") ?? "");
}

/** teacherOf returns the name of the signed-in teacher. */
export function teacherOf(c: Context): string | undefined {
  return sessionOf(c)?.name;
}

/** callerOf calls the API for the signed-in teacher, so that what the teacher plays counts for that user; else for the shop. */
export function callerOf(c: Context): Filmstrip {
  const session = sessionOf(c);
  if (!session) return shop;
  return new Filmstrip(async () => {
    const { refresh, expires } = session.tokens;
    if (refresh && expires < Date.now()) session.tokens = tokensOf(await oidc.refreshTokenGrant(web, refresh));
    return session.tokens.access;
  });
}

/** signIn sends the browser to Filmstrip. A cookie keeps what proves that the answer belongs to this browser. */
export async function signIn(c: Context) {
  const verifier = oidc.randomPKCECodeVerifier();
  const state = oidc.randomState();
  const nonce = oidc.randomNonce();
  setCookie(c, "signin", JSON.stringify({ verifier, state, nonce }), { ...cookie, maxAge: 600 });
  const url = oidc.buildAuthorizationUrl(web, {
    redirect_uri: new URL("/callback", shopURL).href,
    scope: "openid profile email",
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    nonce,
  });
  return c.redirect(url.href);
}

/** callback exchanges the code for tokens and starts a session. */
export async function callback(c: Context) {
  const pending = JSON.parse(getCookie(c, "signin") ?? "{}") as { verifier?: string; state?: string; nonce?: string };
  if (!pending.verifier || !pending.state || !pending.nonce) throw new oidc.ClientError("this answer belongs to no sign-in of this browser");
  deleteCookie(c, "signin", cookie);
  const response = await oidc.authorizationCodeGrant(web, new URL(`/callback${new URL(c.req.url).search}`, shopURL), {
    pkceCodeVerifier: pending.verifier,
    expectedState: pending.state,
    expectedNonce: pending.nonce,
    idTokenExpected: true,
  });
  const claims = response.claims()!;
  const id = randomBytes(32).toString("base64url");
  sessions.set(id, { name: String(claims["name"] ?? claims.sub), idToken: response.id_token!, tokens: tokensOf(response) });
  setCookie(c, "session", id, cookie);
  return c.redirect("/");
}

/** signOut ends the session here and at Filmstrip. */
export function signOut(c: Context) {
  const session = sessionOf(c);
  sessions.delete(getCookie(c, "session") ?? "");
  deleteCookie(c, "session", cookie);
  if (!session) return c.redirect("/", 303);
  const url = oidc.buildEndSessionUrl(web, { post_logout_redirect_uri: new URL("/", shopURL).href, id_token_hint: session.idToken });
  return c.redirect(url.href, 303);
}
