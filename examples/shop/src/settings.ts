// The settings come from the environment. The defaults are those of Filmstrip's demo (`make run`).
const environment = process.env;

/** The base URL of Filmstrip, which is also the issuer of its tokens. */
export const filmstripURL = new URL(environment["FILMSTRIP_URL"] ?? "http://127.0.0.1:8080");

/** The base URL of this shop. Filmstrip must know SHOP_URL/callback and SHOP_URL/ as redirect URIs of the web client. */
export const shopURL = new URL(environment["SHOP_URL"] ?? "http://127.0.0.1:8765");

/** The client with which the shop itself calls the API. Its secret never leaves this process. */
export const serviceClient = {
  id: environment["FILMSTRIP_CLIENT_ID"] ?? "demo",
  secret: environment["FILMSTRIP_CLIENT_SECRET"] ?? "demo-secret",
};

/** The public client with which teachers sign in. */
export const webClientID = environment["FILMSTRIP_WEB_CLIENT_ID"] ?? "demo-web";
