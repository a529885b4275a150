import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const { expand } = await load("template.ts");

// The examples of RFC 6570, section 3.2, as far as variables are texts or lists.
const values = {
  count: ["one", "two", "three"], dom: ["example", "com"], var: "value", hello: "Hello World!", path: "/foo/bar", x: "1024", y: "768",
  empty: "", half: "50%", base: "http://example.com/home/", list: ["red", "green", "blue"], none: [], undef: undefined,
};

for (const [template, want] of Object.entries({
  "{var}": "value", "{hello}": "Hello%20World%21", "{half}": "50%25", "O{empty}X": "OX", "O{undef}X": "OX", "{x,y}": "1024,768",
  "?{x,empty}": "?1024,", "?{x,undef}": "?1024", "{var:3}": "val", "{list}": "red,green,blue", "{list*}": "red,green,blue",
  "{+hello}": "Hello%20World!", "{+half}": "50%25", "{base}index": "http%3A%2F%2Fexample.com%2Fhome%2Findex",
  "{+base}index": "http://example.com/home/index", "{+path}/here": "/foo/bar/here", "{#path,x}": "#/foo/bar,1024",
  "X{.var}": "X.value", "www{.dom*}": "www.example.com", "{/var,x}/here": "/value/1024/here", "{/list*}": "/red/green/blue",
  "{;x,y}": ";x=1024;y=768", "{?x,y}": "?x=1024&y=768", "{?x,undef}": "?x=1024", "{?none}": "", "{?list}": "?list=red,green,blue",
  "{?list*}": "?list=red&list=green&list=blue", "?fixed=yes{&x}": "?fixed=yes&x=1024",
  "/v1/media/bars/width/{x}/vid_slices/{y}": "/v1/media/bars/width/1024/vid_slices/768",
})) {
  test(template, () => assert.equal(expand(template, values), want));
}
