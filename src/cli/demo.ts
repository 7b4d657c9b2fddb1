/** `rollcall demo`: a run against a built-in server, through the very same code as any other, over real HTTP. */
import { collectCommand } from "./collect.ts";
import { join } from "node:path";
import type { Signals } from "./signals.ts";
import type { World } from "./world.ts";
import { configure } from "../config/layers.ts";
import { demoHandler } from "../demo/server.ts";
import { demoTasks } from "../demo/tasks.ts";

/** Runs the demo in a fresh folder `rollcall-demo` of the working folder and returns its exit code. */
export async function demoCommand(
  options: { readonly count: number; readonly quiet: boolean; readonly json: boolean },
  world: World,
  signals: Signals,
): Promise<number> {
  signals.check();
  const { disk, clock, dice, terminal } = world;
  const folder = "rollcall-demo";
  disk.makeFolder(folder);
  const input = join(folder, "tasks.jsonl");
  const tasks = disk.create(input);
  tasks.write(new TextEncoder().encode(demoTasks(options.count)));
  tasks.finish();

  let base = "";
  const delay = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  const server = world.serve(demoHandler({ base: () => base, dice, delay }));
  base = `http://127.0.0.1:${server.port}`;
  try {
    const { config, notes } = configure({
      files: [{
        path: "demo",
        value: {
          input_jsonl_fpath: input,
          output_jsonl_fpath: join(folder, "rollouts.jsonl"),
          head_server: { host: "127.0.0.1", port: server.port },
          num_samples_in_parallel: 24,
          route_failures_to_sidecar: true,
          quiet: options.quiet,
          json: options.json,
        },
      }],
      flags: [],
      words: [],
    });
    if (!options.quiet) {
      terminal.err(`A Gym-like server on ${base}, ${options.count} tasks in ${input}. The same by hand:\n`);
      terminal.err(`  rollcall collect --head 127.0.0.1:${server.port} -i ${input} -o out.jsonl -c 24\n\n`);
    }
    return await collectCommand(config, notes, world, signals);
  } finally {
    await server.stop();
  }
}
