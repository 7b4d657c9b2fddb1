import assert from "node:assert/strict";
import { join } from "node:path";

const HERE = import.meta.dirname!;
const read = (path: string) => Deno.readTextFile(join(HERE, "../..", path));

for (
  const [signal, heard] of [["SIGINT", ["SIGINT"]], ["SIGTERM", ["SIGTERM"]], ["SIGUSR1", ["SIGUSR1"]], [
    "SIGHUP",
    [],
  ]] as const
) {
  Deno.test(`earlySignals() keeps a ${signal} until somebody asks, and lets the next one end the process after that`, async () => {
    const { stdout, stderr, signal: by } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-q", "--no-prompt", "--allow-run", join(HERE, "_early_signal.ts"), signal],
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert.equal(out, `${JSON.stringify({ came: heard.length > 0, heard })}\n`, err);
    assert.equal(by, signal);
  });
}

Deno.test("main.ts loads nothing before it listens to signals", async () => {
  const imports = (source: string) =>
    [...source.matchAll(/^(?:import\b|export\b.*\bfrom\b).*"(.*)"/gm)].map(([, what]) => what);
  assert.deepEqual(imports(await read("main.ts")), ["./src/edge/early_signals.ts"]);
  assert.deepEqual(imports(await read("src/edge/early_signals.ts")), []);
});
