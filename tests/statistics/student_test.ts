import assert from "node:assert/strict";
import { t95 } from "../../src/statistics/student.ts";
import { close } from "./_plainly.ts";

Deno.test("t95() is Student's 0.975-quantile", () => {
  // As scipy and the printed tables have it.
  const known: [number, number][] = [
    [1, 12.706204736174694],
    [2, 4.302652729749462],
    [3, 3.182446305283708],
    [4, 2.776445105197794],
    [7, 2.3646242515927858],
    [10, 2.2281388519862744],
    [30, 2.0422724563012378],
    [99, 1.9842169515864172],
    [1000, 1.9623390808264083],
    [100_000, 1.9599877075346093],
  ];
  for (const [degrees, t] of known) close(t95(degrees), t, 1e-3);
  assert.ok(t95(1e9) > 1.95996398 && t95(1e9) < 1.95996399);
  for (let degrees = 1; degrees < 1100; degrees++) assert.ok(t95(degrees) > t95(degrees + 1), `${degrees}`);
});
