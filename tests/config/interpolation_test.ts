import assert from "node:assert/strict";
import fc from "fast-check";
import { resolve } from "../../src/config/interpolation.ts";
import { UsageFault } from "../../src/kit/fault.ts";

const ENV: Record<string, string> = { X: "10.0.0.9", EMPTY: "", TRICKY: "${port}" };
const env = (name: string) => ENV[name];
const CONFIG = {
  port: 8000,
  host: "${default_host}",
  default_host: "h",
  list: ["a", { b: "c" }],
  map: "${target}",
  target: { deep: { er: "${port}" } },
  none: null,
  off: false,
  itself: "${itself}",
  one: "${two}",
  two: "x${one}",
  "odd key": "odd",
  name: "target",
};

for (
  const [value, wanted] of [
    ["plain", "plain"],
    ["", ""],
    [8000, 8000],
    [null, null],
    ["$port {port}", "$port {port}"],
    ["${port}", 8000],
    ["${ port }", 8000],
    ["${none}", null],
    ["${off}", false],
    ["${host}", "h"],
    ["http://${host}:${port}/", "http://h:8000/"],
    ["${port}${port}", "80008000"],
    ["${list}", ["a", { b: "c" }]],
    ["${list.1.b}", "c"],
    ["${list[1].b}", "c"],
    ["${map.deep.er}", 8000],
    ["${odd key}", "odd"],
    ["at ${target}", 'at {"deep":{"er":"${port}"}}'],
    ["${${name}.deep.er}", 8000],
    ["${oc.env:X}", "10.0.0.9"],
    ["${oc.env: X }", "10.0.0.9"],
    ["${oc.env:EMPTY,other}", ""],
    ["${oc.env:NO,other}", "other"],
    ["${oc.env:NO, 'in quotes' }", "in quotes"],
    ["${oc.env:NO,a,b}", "a,b"],
    ["${oc.env:NO,}", ""],
    ["${oc.env:NO,null}", null],
    ["${oc.env:NO,${port}}", 8000],
    ["${oc.env:NO,http://${host}}", "http://h"],
    ["${oc.env:NO,${oc.env:NO,deeper}}", "deeper"],
    // What is not needed is not looked at.
    ["${oc.env:X,${nothing}}", "10.0.0.9"],
    // What comes out of the environment is no reference any more.
    ["${oc.env:TRICKY}", "${port}"],
  ] as const
) {
  Deno.test(`resolve() ${JSON.stringify(value)} is ${JSON.stringify(wanted)}`, () => {
    assert.deepEqual(resolve(value, CONFIG, env, "a.key"), wanted);
  });
}

for (
  const [value, why] of [
    ["${nothing}", "there is no nothing in the configuration"],
    ["${port.deeper}", "there is no port.deeper in the configuration"],
    ["${constructor}", "there is no constructor in the configuration"],
    ["${list.length}", "there is no list.length in the configuration"],
    ["${list.7}", "there is no list.7 in the configuration"],
    ["${}", "it has an empty reference"],
    ["${oc.env:NO}", "the environment variable NO is not set"],
    ["${oc.decode:hush}", "${oc.decode:…} uses a resolver that rollcall does not have"],
    ["${.port}", "${.port} is relative: write the whole path"],
    ["${itself}", "its references form a circle"],
    ["${one}", "its references form a circle"],
    ["a ${port", "it has a reference that is not closed"],
    ["${oc.env:NO,${port}", "it has a reference that is not closed"],
  ] as const
) {
  Deno.test(`resolve() ${value} says that ${why}`, () => {
    assert.throws(
      () => resolve(value, CONFIG, env, "a.key"),
      (error: Error) => error instanceof UsageFault && error.message === `Cannot resolve a.key: ${why}.`,
    );
  });
}

Deno.test("resolve() lets what reading the environment throws through", () => {
  const refused = () => {
    throw new UsageFault("not among those that may be read");
  };
  assert.throws(() => resolve("${oc.env:HOME}", {}, refused, "k"), /not among/);
});

Deno.test("resolve() leaves every text without a reference as it is, and never hangs on any other", () => {
  const pieces = fc.array(fc.constantFrom("$", "{", "}", "${", "a", ".", ":", ",", "oc.env:", "[", "]", "'"));
  fc.assert(fc.property(pieces, (parts) => {
    const text = parts.join("");
    try {
      const value = resolve(text, { a: "${b}", b: "${a}${a}" }, env, "k");
      if (!text.includes("${")) assert.equal(value, text);
    } catch (error) {
      assert.ok(error instanceof UsageFault);
    }
  }));
});
