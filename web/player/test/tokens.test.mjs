import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const { Tokens, bearerOf } = await load("tokens.ts");

const jwt = (claims) => `x.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;
const soon = () => Math.floor(Date.now() / 1000);

test("two tokens of one bearer are of one bearer, whatever passes", () => {
  const bearer = { sub: "ü", client_id: "c", scope: "openid" };
  assert.equal(bearerOf(jwt({ ...bearer, exp: 1, jti: "a", iat_us: 5 })), bearerOf(jwt({ jti: "b", exp: 2, ...bearer })));
  for (const other of [{ sub: "other" }, { client_id: "other" }, { embed: "5c54d6cdd8eafeecae2063b5" }, { service_user_id: "u" }]) {
    assert.notEqual(bearerOf(jwt(bearer)), bearerOf(jwt({ ...bearer, ...other })));
  }
  assert.notEqual(bearerOf("opaque"), bearerOf("other"));
  assert.equal(bearerOf(undefined), "anonymous");
});

test("a provider is asked once for those who ask at a time, and again after a refusal or the end", async () => {
  const tokens = new Tokens();
  let asked = 0;
  tokens.provider = async () => jwt({ sub: "u", n: ++asked, exp: soon() + 3600 });
  const [one, other] = await Promise.all([tokens.get(), tokens.get()]);
  assert.equal(one, other);
  assert.equal(await tokens.get(), one);
  assert.equal(asked, 1);
  assert.notEqual(await tokens.renew(one), one);
  assert.equal(await tokens.renew(one), tokens.current); // it is refused no more: there is another by now
  assert.equal(asked, 2);
  tokens.provider = async () => jwt({ n: ++asked, exp: soon() + (asked < 4 ? 1 : 3600) });
  await tokens.get();
  await tokens.get(); // the third has nearly ended
  assert.equal(asked, 4);
});

test("whoever leaves is told before another comes", async () => {
  const tokens = new Tokens();
  const seen = [];
  tokens.leaving = () => seen.push(tokens.current);
  tokens.given = jwt({ sub: "a", exp: 1 });
  tokens.given = jwt({ sub: "a", exp: 2 });
  tokens.given = jwt({ sub: "b" });
  assert.deepEqual(seen, [jwt({ sub: "a", exp: 2 })]);
  assert.equal(await tokens.renew(tokens.current), undefined);
});
