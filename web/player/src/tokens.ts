/** A function that gives a bearer token, a new one each time it is asked. */
export type TokenProvider = () => Promise<string>;

/** Tokens keeps the token at hand and gets new ones where there is a provider. */
export class Tokens {
  #given: string | undefined;
  #provided: string | undefined;
  #asked: Promise<string | undefined> | undefined;
  #provider: TokenProvider | undefined;
  /** Called when there is a token that was not there before. */
  changed: () => void = () => {};
  /** Called before the token at hand stands for somebody else. */
  leaving: () => void = () => {};

  /** The token of the page, if it gave one. */
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

  /** The token at hand, for those who cannot wait. */
  get current(): string | undefined {
    return this.#provided ?? this.#given;
  }

  /** The token at hand, or one from the provider where there is none or its time is over. */
  async get(): Promise<string | undefined> {
    const token = this.current;
    return this.#provider && (token === undefined || isOver(token)) ? this.renew(token) : token;
  }

  /** A token other than one that was refused; undefined where there is none. */
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

/** A token is renewed this long before its end. */
const early = 10_000;

function isOver(token: string): boolean {
  const { exp } = claimsOf(token) ?? {};
  return typeof exp === "number" && exp * 1000 < Date.now() + early;
}

/** The claims of a token that is a JWT. Nobody relies on them: the service alone says what a token is good for. */
export function claimsOf(token: string): Record<string, unknown> | undefined {
  try {
    const payload = token.split(".")[1]!.replace(/-/g, "+").replace(/_/g, "/");
    const claims: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(payload), (sign) => sign.charCodeAt(0))));
    return typeof claims === "object" && claims ? claims as Record<string, unknown> : undefined;
  } catch {
    return undefined;
  }
}

/** Claims that differ between two tokens of one bearer. */
const passing = new Set(["exp", "iat", "nbf", "jti", "iat_us", "auth_time", "sid", "family", "nonce", "at_hash"]);

/**
 * bearerOf is a short text for whom a token stands for: the same for all tokens of one client, user and
 * restriction, another for any other. What is no JWT stands for itself.
 */
export function bearerOf(token: string | undefined): string {
  if (!token) return "anonymous";
  const claims = claimsOf(token);
  if (!claims) return digest(token);
  const lasting = Object.keys(claims).filter((name) => !passing.has(name)).sort();
  return digest(JSON.stringify(lasting.map((name) => [name, claims[name]])));
}

/** digest is 53 bits of a text (cyrb53): enough to tell the users of a browser apart, and no secret. */
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
