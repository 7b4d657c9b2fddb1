/** Which shard a run is, and what follows from that for the rest of its configuration. */
import type { Config } from "../config/config.ts";
import { UsageFault } from "../kit/fault.ts";
import { parseShard, type Shard, shardText } from "../kit/shard.ts";
import { shardOutput } from "../plan/paths.ts";
import type { Env } from "../ports/env.ts";

/** What of a configuration it is about. */
type Sharded = Pick<Config, "shard" | "score_shard" | "output_jsonl_fpath" | "disable_aggregation">;

/**
 * The configuration of a run that is one shard: the shard by its numbers where it was `auto`, the output under the
 * shard's name, and neither metrics nor health checks unless `score_shard` asks for them. Without a shard nothing changes.
 *
 * @returns the configuration, and a line for the user where the shard was `auto`
 * @throws {UsageFault} when it is `auto` and the environment does not say which, or `score_shard` is of no shard
 */
export function chooseShard<C extends Sharded>(
  config: C,
  env: Env,
): { readonly config: C; readonly note?: string } {
  if (config.shard === null) {
    if (!config.score_shard) return { config };
    throw new UsageFault(
      "score_shard (--score-shard) needs shard (--shard): without shards every run is scored.",
    );
  }
  const named = parseShard(config.shard), found = named ? undefined : autoShard(config.shard, env);
  const shard = named ?? found!.shard;
  return {
    config: {
      ...config,
      shard: shardText(shard),
      output_jsonl_fpath: shardOutput(config.output_jsonl_fpath, shard),
      disable_aggregation: config.disable_aggregation || !config.score_shard,
    },
    ...(found ? { note: `Shard ${shardText(shard)} (numbered from 0), from ${found.by}.` } : {}),
  };
}

/** What the environment says. */
interface Found {
  readonly shard: Shard;
  /** Where it was found, for the user. */
  readonly by: string;
}

/** @param text `auto`, or `auto/64` */
function autoShard(text: string, env: Env): Found {
  const [, given] = text.split("/"), count = given === undefined ? undefined : Number(given);
  const found = ofSlurm(env, count) ?? ofKubernetes(env, count);
  if (found) return found;
  throw new UsageFault(
    `shard (--shard ${text}): there is neither a Slurm array (SLURM_ARRAY_TASK_ID) nor an indexed Kubernetes job ` +
      `(JOB_COMPLETION_INDEX) here. Outside of them name the shard: --shard 0/8.`,
  );
}

function ofSlurm(env: Env, count: number | undefined): Found | undefined {
  if (env("SLURM_ARRAY_TASK_ID") === undefined) return undefined;
  const [id, min, max, step, size] = ["ID", "MIN", "MAX", "STEP", "COUNT"].map((name) => {
    const variable = `SLURM_ARRAY_TASK_${name}`, n = wholeNumber(env(variable));
    if (n !== undefined) return n;
    throw new UsageFault(
      `shard (--shard auto): ${variable} is ${said(env(variable))}; it must be a whole number. ` +
        `Name the shard: --shard 0/8.`,
    );
  }) as [number, number, number, number, number];
  const places = step < 1 ? NaN : (max - min) / step + 1, index = (id - min) / step;
  if (places !== size || !Number.isInteger(index) || index < 0 || index >= size) {
    throw new UsageFault(
      `shard (--shard auto): the Slurm array has a gap: ${size} tasks between ${min} and ${max}` +
        `${step === 1 ? "" : ` in steps of ${step}`}, task ${id} being this one. Submit it without gaps ` +
        `(--array=0-${Math.max(0, size - 1)}), or name the shard: --shard I/N.`,
    );
  }
  if (count !== undefined && count !== size) {
    throw new UsageFault(
      `shard (--shard auto/${count}): the Slurm array has ${size} tasks, not ${count}. ` +
        `To run some of the shards again, name each: --shard I/${count}.`,
    );
  }
  return {
    shard: { index, count: size },
    by: `task ${id} of the Slurm array ${min}-${max}${step === 1 ? "" : `:${step}`}`,
  };
}

function ofKubernetes(env: Env, count: number | undefined): Found | undefined {
  const written = env("JOB_COMPLETION_INDEX");
  if (written === undefined) return undefined;
  if (count === undefined) {
    throw new UsageFault(
      `shard (--shard auto): JOB_COMPLETION_INDEX is ${
        said(written)
      }, and Kubernetes does not say of how many. ` +
        `Give the job's completions: --shard auto/8.`,
    );
  }
  const index = wholeNumber(written);
  if (index === undefined || index >= count) {
    throw new UsageFault(
      `shard (--shard auto/${count}): JOB_COMPLETION_INDEX is ${said(written)}; ` +
        `it must be a whole number less than ${count}.`,
    );
  }
  return { shard: { index, count }, by: `JOB_COMPLETION_INDEX=${index}` };
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function said(text: string | undefined): string {
  return text === undefined ? "not set" : JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
