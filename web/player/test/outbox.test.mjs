import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const [{ Entries, mostEntries }, { Outbox }, { Tokens, bearerOf }] = await Promise.all(["entries.ts", "outbox.ts", "tokens.ts"].map(load));

/** A storage that can be full. */
class Shelf {
  map = new Map();
  full = false;
  get length() { return this.map.size; }
  key(i) { return [...this.map.keys()][i] ?? null; }
  getItem(key) { return this.map.get(key) ?? null; }
  setItem(key, value) { if (this.full) throw new Error("full"); this.map.set(key, value); }
  removeItem(key) { this.map.delete(key); }
}

/** A service that counts each key once, and answers as the test says: a status, "lost" before or "unheard" after it has counted. */
class Service {
  counted = new Map();
  asked = [];
  answers = [];
  reasons = [];
  fetch = async (_, { headers, body, method }) => {
    const key = headers["Idempotency-Key"];
    this.asked.push({ key, token: headers.Authorization, method });
    const answer = this.answers.shift() ?? 201;
    if (answer === "lost") throw new TypeError("no network");
    if (answer === 201 || answer === "unheard") {
      if (this.counted.has(key)) assert.equal(this.counted.get(key), body, "a key comes with another body");
      this.counted.set(key, body);
    }
    if (answer === "unheard") throw new TypeError("no network");
    return new Response(answer === 201 ? null : JSON.stringify({ message: "no", reasons: this.reasons }), { status: answer });
  };
}

let made = 0;

function world(service, { shelf = new Shelf(), own = "page", alive = [own], token = "token", now = () => Date.now() } = {}) {
  const tokens = new Tokens();
  tokens.given = token;
  const refused = [];
  const box = new Outbox({
    entries: new Entries(shelf, "scope"), tokens, bearer: bearerOf(token), addressOf: () => "https://service.example/events",
    pages: { own, gone: async () => (owner) => !alive.includes(owner) },
    refused: (refusal) => refused.push(refusal), fetch: service.fetch, now, newID: () => `id-${made++}`,
  });
  return { box, shelf, tokens, refused };
}

const event = (body = { segmentStartSeconds: 0 }) => ({ id: `id-${made++}`, kind: "playback", body });
const settled = () => new Promise((done) => { setTimeout(done, 20); });

test("an event that was taken is forgotten", async () => {
  const service = new Service();
  const { box, shelf } = world(service);
  box.add(event());
  await settled();
  assert.deepEqual([service.counted.size, shelf.length], [1, 0]);
});

test("an event is sent within the turn in which it is added", () => {
  const service = new Service();
  const { box } = world(service);
  box.add(event());
  assert.equal(service.asked.length, 1);
  box.close();
});

for (const answers of [["lost"], ["unheard"], [503], [429], [408], ["lost", "unheard", 500]]) {
  test(`after ${answers} an event is sent again, and counts once`, async () => {
    const service = new Service();
    service.answers = [...answers];
    const { box, shelf, refused } = world(service);
    box.add(event());
    await settled();
    for (const _ of answers) await box.flush();
    assert.deepEqual([service.counted.size, new Set(service.asked.map(({ key }) => key)).size, shelf.length, refused.length], [1, 1, 0, 0]);
    assert.equal(service.asked.length, answers.length + 1);
    box.close();
  });
}

for (const status of [400, 403, 404, 413, 422]) {
  test(`an event that is answered ${status} is given up, and that is said`, async () => {
    const service = new Service();
    service.answers = [status];
    const { box, shelf, refused } = world(service);
    box.add(event({ segmentStartSeconds: 7 }));
    await settled();
    await box.flush();
    assert.deepEqual([service.asked.length, shelf.length], [1, 0]);
    assert.deepEqual(refused, [{ status, message: "no", body: { segmentStartSeconds: 7 } }]);
  });
}

test("a token that is refused is replaced; without another one the event waits", async () => {
  const service = new Service();
  service.answers = [401, 401];
  const token = (n) => `x.${Buffer.from(JSON.stringify({ sub: "u", iat: n })).toString("base64url")}.x`;
  const { box, tokens, shelf } = world(service, { token: token(0) });
  let n = 0;
  tokens.provider = async () => token(++n);
  box.add(event());
  await settled();
  assert.deepEqual(service.asked.map(({ token: sent }) => sent), [`Bearer ${token(0)}`, `Bearer ${token(1)}`]);
  assert.equal(shelf.length, 1);
  await box.flush();
  assert.deepEqual([service.counted.size, shelf.length], [1, 0]);
  box.close();
});

test("no other bearer's token goes with an event", async () => {
  const service = new Service();
  service.answers = ["lost"];
  const { box, tokens, shelf } = world(service);
  box.add(event());
  await settled();
  tokens.given = "another's";
  await box.flush();
  assert.deepEqual([service.asked.length, shelf.length], [1, 1]);
  box.close();
});

test("a page sends what a page that is gone has left, also what was not over; not what another page sees to", async () => {
  const service = new Service();
  service.answers = ["lost"];
  const shelf = new Shelf();
  const gone = world(service, { shelf, own: "gone" });
  gone.box.add(event({ n: 1 }));
  gone.box.draft(event({ n: 2 }));
  const there = world(service, { shelf, own: "there" });
  there.box.draft(event({ n: 3 }));
  await settled();
  gone.box.close();
  const { box } = world(service, { shelf, own: "page", alive: ["page", "there"] });
  await box.flush();
  assert.deepEqual([...service.counted.values()].map((body) => JSON.parse(body).n), [1, 2]);
  assert.equal(shelf.length, 1);
});

test("a draft that is over is sent once, as it was in the end", async () => {
  const service = new Service();
  const { box, shelf } = world(service);
  const drafted = event({ end: 1 });
  box.draft(drafted);
  box.draft({ ...drafted, body: { end: 2 } });
  await box.flush();
  assert.equal(service.asked.length, 0);
  box.add({ ...drafted, body: { end: 3 } });
  await settled();
  assert.deepEqual([[...service.counted.values()], shelf.length], [['{"end":3}'], 0]);
});

test("where the clock is wrong by days, the service's has to do", async () => {
  const service = new Service();
  service.answers = [400];
  service.reasons = ["captureTime: 2031-01-01T00:00:00Z is more than a day ahead"];
  const { box, shelf, refused } = world(service);
  box.add(event({ n: 1, captureTime: "2031-01-01T00:00:00Z" }));
  await settled();
  assert.deepEqual([[...service.counted.values()], shelf.length, refused.length], [['{"n":1}'], 0, 0]);
  assert.notEqual(service.asked[0].key, service.asked[1].key);
});

test("what may have been counted is not sent after the service has forgotten its key; what cannot have been is", async () => {
  for (const [answer, sent, given] of [["unheard", 1, 1], [429, 2, 0]]) {
    const service = new Service();
    service.answers = [answer];
    let hours = 0;
    const { box, refused } = world(service, { now: () => Date.now() + hours * 3600_000 });
    box.add(event());
    await settled();
    hours = 49;
    await box.flush();
    assert.deepEqual([service.asked.length, refused.length], [sent, given]);
    box.close();
  }
});

test("where nothing can be stored, events live as long as the page", async () => {
  const service = new Service();
  service.answers = ["lost"];
  const shelf = new Shelf();
  shelf.full = true;
  const { box } = world(service, { shelf });
  box.add(event());
  await settled();
  await box.flush();
  assert.equal(service.counted.size, 1);
});

test("there is an end to what is kept: interactions go before playback, the oldest first", async () => {
  const shelf = new Shelf();
  const entries = new Entries(shelf, "scope");
  const entry = (id, kind, at) => ({ id, kind, body: {}, at, owner: "page" });
  const begun = Date.now();
  for (let i = 0; i < mostEntries - 1; i++) assert.deepEqual(entries.put(entry(`p${i}`, "playback", begun + i)), []);
  assert.deepEqual(entries.put(entry("i", "interaction", begun + 5000)), []);
  assert.deepEqual(entries.put(entry("last", "playback", begun + 6000)).map(({ id }) => id), ["i"]);
  assert.deepEqual(entries.put(entry("more", "playback", begun + 7000)).map(({ id }) => id), ["p0"]);
  assert.equal(entries.all(begun + 8000).length, mostEntries);
});
