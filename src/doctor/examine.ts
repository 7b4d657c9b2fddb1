/** Everything that `rollcall doctor` looks at, in the order in which it tells. Sends no row. */
import type { Config } from "../config/config.ts";
import { UsageFault } from "../kit/fault.ts";
import { plural } from "../kit/phrases.ts";
import type { World } from "../ports/world.ts";
import { fitInFlight } from "../prepare/descriptors.ts";
import { findInput } from "../prepare/find_input.ts";
import { headConfig } from "../prepare/head_server.ts";
import { outputPaths } from "../prepare/output_paths.ts";
import { type PreparedRun, prepareRun } from "../prepare/prepare_run.ts";
import { judgeClock } from "./clock.ts";
import { type Finding, finding } from "./finding.ts";
import { existingFolder, tryFiles, tryOutput } from "./output.ts";
import { judgeProxy } from "./proxy.ts";
import { askServers } from "./servers.ts";
import { judgeSpace, meanLine } from "./space.ts";

/** How much of earlier rollouts is looked at, in bytes. */
const SAMPLE = 1 << 20;

/** Looks at everything. @throws {UsageFault} when the output is not one */
export async function examine(config: Config, world: World): Promise<Finding[]> {
  const paths = outputPaths(config, world);
  const head = await judging("head server", async () => {
    const servers = Object.keys(await headConfig(config, world)).length;
    return servers === 0 && config.head_server === null
      ? "not needed: --server names the servers"
      : `answered, ${plural(servers, "key")}`;
  });
  // A run that is resumed does not need its input to be there.
  const input = config.resume_from_cache ? [] : [
    await judging(
      "input",
      () => Promise.resolve(findInput(config.input_jsonl_fpath, "input_jsonl_fpath", world)),
    ),
  ];
  const isHeadWell = head.verdict !== "fail";
  let run: PreparedRun | undefined;
  const prepared = isHeadWell
    ? await judging("run", async () => {
      run = await prepareRun(config, world, { stop: () => {} });
      const { plan: { rollouts, routes, resume }, warnings } = run;
      const what = `${plural(rollouts, "rollout")} to ${plural(routes.length, "server")}` +
        (resume ? `, ${run.index.owed} of them to run` : "");
      return warnings.length === 0 ? what : { verdict: "warning", text: `${what}. ${warnings.join(" ")}` };
    })
    : finding("run", "skipped", "the head server has to answer first");
  const client = { proxy: config.proxy, authorities: run?.plan.authorities ?? [] };
  const { findings: servers, date } = await askServers(
    run?.plan.routes ?? [],
    { client, headers: run?.headers ?? {} },
    world,
  );
  const owed = run && run.index.owed;
  const output = await tryOutput(paths, world);
  return [
    head,
    ...input.filter(({ verdict }) => verdict === "ok" || !isHeadWell),
    prepared,
    ...(run ? servers : [finding("servers", "skipped", "the run has to be plannable first")]),
    owed === undefined
      ? finding("open files", "skipped", "the run has to be plannable first")
      : await judging("open files", () => {
        const { note, max } = fitInFlight(config, owed, world);
        return Promise.resolve(
          note === undefined
            ? `enough for ${plural(Math.min(max ?? Infinity, owed), "request")} in flight`
            : { verdict: "warning", text: note },
        );
      }),
    run && owed !== undefined
      ? judgeSpace(world.freeBytes(existingFolder(paths.folder, world.disk)), {
        rollouts: owed,
        inputs: run.plan.resume ? 0 : run.index.columns.length.reduce((sum, length) => sum + length, 0),
        perRollout: meanRollout(paths.rollouts, world),
      })
      : finding("disk", "skipped", "the run has to be plannable first"),
    ...output,
    output.some(({ verdict }) => verdict === "fail")
      ? finding("files", "skipped", "the output has to be writable first")
      : await tryFiles(paths, run !== undefined && run.plan.resume !== null, world),
    judgeClock(world.clock.date(), date),
    judgeProxy(config.proxy, world.ignoredProxies),
  ];
}

/** What `look` finds; what it throws as a usage fault is what would end a run. */
async function judging(
  check: string,
  look: () => Promise<string | Omit<Finding, "check">>,
): Promise<Finding> {
  try {
    const found = await look();
    return typeof found === "string" ? finding(check, "ok", found) : { check, ...found };
  } catch (error) {
    if (!(error instanceof UsageFault)) throw error;
    return finding(check, "fail", error.message);
  }
}

function meanRollout(path: string, { disk }: World): number | undefined {
  const size = disk.files.size(path) ?? 0;
  if (size === 0) return undefined;
  const file = disk.files.read(path);
  try {
    const bytes = new Uint8Array(Math.min(SAMPLE, size));
    return meanLine(bytes.subarray(0, file.readAt(bytes, 0)));
  } finally {
    file.close();
  }
}
