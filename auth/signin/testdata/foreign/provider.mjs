// Runs an OpenID Provider that is not ours (npm oidc-provider) on a free port of 127.0.0.1. argv[2] is
// JSON: the clients, as oidc-provider takes them. The first line of standard output is the issuer. Each
// line "rotate" on standard input makes the provider forget its keys and make new ones, and is answered
// by the line "rotated"; any other line is the clients anew, and is answered by "taken". The provider
// ends with its standard input.
//
// Anybody signs in on its own pages, with any password; the name typed is the subject.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { generateKeyPairSync, randomUUID } from "node:crypto";
import Provider from "oidc-provider";

let clients = JSON.parse(process.argv[2]);
let keys = newKeys();
let handler;

function newKeys() {
  const pairs = {
    RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }),
    ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
    EdDSA: generateKeyPairSync("ed25519"),
  };
  return Object.entries(pairs).map(([alg, { privateKey }]) => (
    { ...privateKey.export({ format: "jwk" }), alg, use: "sig", kid: randomUUID() }
  ));
}

function start(issuer) {
  const provider = new Provider(issuer, {
    clients,
    jwks: { keys },
    cookies: { keys: [randomUUID()] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["given_name", "family_name", "preferred_username"] },
    enabledJWA: { idTokenSigningAlgValues: ["RS256", "ES256", "EdDSA"] },
    pkce: { required: () => true },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@school.example`, email_verified: true, given_name: "Ann", family_name: id, preferred_username: id }),
    }),
  });
  handler = provider.callback();
}

const server = createServer((request, response) => handler(request, response));
server.listen(0, "127.0.0.1", () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  start(issuer);
  console.log(issuer);
  createInterface({ input: process.stdin })
    .on("line", (line) => {
      if (line === "rotate") keys = newKeys();
      else clients = JSON.parse(line);
      start(issuer);
      console.log(line === "rotate" ? "rotated" : "taken");
    })
    .on("close", () => process.exit());
});
