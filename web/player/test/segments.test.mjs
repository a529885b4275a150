import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const { Tracker, endOf } = await load("segments.ts");

function tracked() {
  const over = [];
  const growing = [];
  const tracker = new Tracker({ grows: ({ start, end }) => growing.push([start, end]), over: ({ start, end }) => over.push([start, end]) });
  return { tracker, over, growing };
}

test("what is played between two pauses is one segment, whatever the steps", () => {
  const { tracker, over, growing } = tracked();
  for (const position of [0.2, 0.45, 1.0004]) tracker.advance(position);
  tracker.cut(1.25);
  assert.deepEqual(over, [[0, 1.25]]);
  assert.deepEqual(growing, [[0, 0.2], [0, 0.45], [0, 1]]);
});

test("a cut while it plays leaves no gap and doubles nothing", () => {
  const { tracker, over } = tracked();
  tracker.advance(2);
  tracker.cut(2.0006);
  tracker.advance(3);
  tracker.cut(4);
  assert.deepEqual(over, [[0, 2.001], [2.001, 4]]);
});

test("what is skipped is in no segment, forward and back", () => {
  const { tracker, over } = tracked();
  tracker.advance(3);
  tracker.cut(3.1);
  tracker.rest(20);
  tracker.advance(21);
  tracker.rest(5); // a seek that nobody announced
  tracker.advance(6);
  tracker.cut(6);
  assert.deepEqual(over, [[0, 3.1], [20, 21], [5, 6]]);
});

test("a pause or a seek without playing tells nothing", () => {
  const { tracker, over, growing } = tracked();
  for (const position of [0, 10, 10.0002, 3]) {
    tracker.rest(position);
    tracker.cut(position);
  }
  assert.deepEqual([over, growing], [[], []]);
});

test("the end of an unannounced seek is that of the range that was just played", () => {
  const ranges = (...list) => ({ length: list.length, start: (i) => list[i][0], end: (i) => list[i][1] });
  assert.equal(endOf(ranges([0, 4.9], [20, 21]), 4.7, 0.6), 4.9);
  assert.equal(endOf(ranges([0, 30]), 4.7, 0.6), 4.7); // played through before
  assert.equal(endOf(ranges([10, 12]), 4.7, 0.6), 4.7);
});
