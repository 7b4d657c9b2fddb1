import assert from "node:assert/strict";
import { startExporting } from "../../src/cli/exporting.ts";
import type { ToExporter } from "../../src/export/messages.ts";
import type { Permissions } from "../../src/ports/sandbox.ts";
import { FakeWorld } from "../fakes/fake_world.ts";

const OPTIONS = {
  mlflow: { uri: "https://m.example", experiment: "e", run: "r", token: "t" },
  paths: { rollouts: "/runs/a.jsonl", metrics: "/runs/a_aggregate_metrics.json" },
  config: {},
  uploadRollouts: true,
  warn: () => {},
};

/** Starts an exporter that is none. */
function started(first?: { at: string; host: string; pid: number }) {
  let permissions: Permissions | undefined;
  const sent: ToExporter[] = [];
  const world = {
    ...new FakeWorld().world,
    startExporter(given: Permissions) {
      permissions = given;
      return { send: (message: unknown) => void sent.push(message as ToExporter), terminate() {} };
    },
  };
  startExporting({ ...OPTIONS, first }, world);
  assert.equal(sent[0]!.kind, "open");
  return { permissions, plan: (sent[0] as ToExporter & { kind: "open" }).plan };
}

Deno.test("an exporter may reach its server and read the run's rollouts and metrics, and nothing else", () => {
  assert.deepEqual(started().permissions, {
    net: ["m.example:443"],
    read: ["/runs/a.jsonl", "/runs/a_aggregate_metrics.json"],
    write: [],
  });
});

Deno.test("a run and its resumes have one id at the tracking server, and another run into the output has another", () => {
  const first = { at: "2026-01-01T00:00:00Z", host: "n1", pid: 7 };
  const id = started(first).plan.names.id;
  assert.match(id, /^[0-9a-f]{32}$/);
  assert.equal(started({ ...first }).plan.names.id, id);
  assert.notEqual(started({ ...first, pid: 8 }).plan.names.id, id);
});
