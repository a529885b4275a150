/** A function that returns a new bearer token at each call. */
export type TokenProvider = () => Promise<string>;

/** Tokens keeps the current token and requests new ones from the provider, if there is one. */
export class Tokens {
  #given: string | undefined;
  #provided: string | undefined;
  #asked: Promise<string | undefined> | undefined;
  #provider: TokenProvider | undefined;
  /** Called when there is a new token. */
  changed: () => void = () => {};
  /** Called before the token of another bearer becomes the current one. */
  leaving: () => void = () => {};

  /** The token that the page set, if any. */
  set given(token: string | undefined) {
    if (token === this.#given) return;
    this.#replace(() => { this.#given = token; }, this.#provided ?? token);
  }

  get provider(): TokenProvider | undefined {
    return this.#provider;
  }

  set provider(provider: TokenProvider | undefined) {
    this.#asked = undefined;
    this.#provider = provider;
    this.#replace(() => { this.#provided = undefined; }, this.current);
  }

  /** The current token, for callers that cannot wait. */
  get current(): string | undefined {
    return this.#provided ?? this.#given;
  }

  /** Returns the current token, or one from the provider if there is none or it has expired. */
  async get(): Promise<string | undefined> {
    const token = this.current;
    return this.#provider && (token === undefined || isOver(token)) ? this.renew(token) : token;
  }

  /** Returns a token other than a refused one, or undefined. */
  async renew(refused: string | undefined): Promise<string | undefined> {
    if (this.current !== refused) return this.current;
    const provider = this.#provider;
    if (!provider) return undefined;
    this.#asked ??= provider().finally(() => { this.#asked = undefined; });
    const token = await this.#asked;
    if (provider === this.#provider && token !== this.#provided) {
      this.#replace(() => { this.#provided = token; }, token);
    }
    return token === refused ? undefined : token;
  }

  #replace(write: () => void, next: string | undefined): void {
    if (this.current !== undefined && bearerOf(this.current) !== bearerOf(next)) this.leaving();
    write();
    this.changed();
  }
}

/** A token is renewed this long before it expires. */
const early = 10_000;

function isOver(token: string): boolean {
  const { exp } = claimsOf(token) ?? {};
  return typeof exp === "number" && exp * 1000 < Date.now() + early;
}

/** Returns the claims of a JWT. They are hints only: the service alone decides what a token permits. */
export function claimsOf(token: string): Record<string, unknown> | undefined {
  try {
    const payload = token.split(".")[1]!.replace(/-/g, "+").replace(/_/g, "/");
    const claims: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(payload), (sign) => sign.charCodeAt(0))));
    return typeof claims === "object" && claims ? claims as Record<string, unknown> : undefined;
  } catch {
    return undefined;
  }
}

/** The claims that differ between two tokens of one bearer. */
const passing = new Set(["exp", "iat", "nbf", "jti", "iat_us", "auth_time", "sid", "family", "nonce", "at_hash"]);

/**
 * bearerOf returns a short text that identifies the bearer of a token: equal for all tokens of one client, user and
 * restriction, and different for any other. A token that is no JWT identifies itself.
 */
export function bearerOf(token: string | undefined): string {
  if (!token) return "anonymous";
  const claims = claimsOf(token);
  if (!claims) return digest(token);
  const lasting = Object.keys(claims).filter((name) => !passing.has(name)).sort();
  return digest(JSON.stringify(lasting.map((name) => [name, claims[name]])));
}

/** digest returns 53 bits of a text (cyrb53), which distinguish the users of a browser. It is not secret. */
function digest(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}
