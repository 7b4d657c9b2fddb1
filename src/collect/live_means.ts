/**
 * How a run is doing while it goes on, for each server: how far it is and the means of what its results say, folded
 * result by result in constant memory. The final numbers are the metrics, which are computed from the files.
 */
import type { Observer, RunEvent, RunsAgain, Settled } from "../events/run_event.ts";
import { KEYS } from "../record/keys.ts";
import { rewardOf } from "../record/reward.ts";
import { type JsonObject, MEMBER } from "../json/object.ts";
import { isTrue } from "../json/truth.ts";
import { FieldNames, isBookkeeping, Layout } from "../json/field_names.ts";
import { numberAt } from "../json/number.ts";

/** How it looks for one server. */
export interface LiveMeans {
  /** The agent's name where it has one server only, else the server's. */
  readonly name: string;
  /** Rollouts this run has to run there. */
  readonly owed: number;
  /** Of these, over: with a result, or failed for this run. */
  readonly finished: number;
  /** Finished ones a minute, since the start. */
  readonly perMinute: number;
  /** Results that have a reward. */
  readonly scored: number;
  /**
   * Means of the numeric top-level fields, booleans as 0 and 1, each over the results that have it. Results that are
   * masked or declare a failure are among them; a request without a result is neither a sample nor a zero.
   */
  readonly means: Readonly<Record<string, number>>;
  /** Percent of the written results that are masked (`mask_sample`); only there when some are. */
  readonly maskedPct?: number;
  /** The mean reward of those that are not; only there when something is masked, failed or omitted. */
  readonly rewardUnmasked?: number;
  /** Rollouts that failed; only there when there are any. */
  readonly failed?: number;
  /** Answers that asked not to be kept; only there when there are any. */
  readonly omitted?: number;
}

/** So many different fields are averaged. */
const MAX_FIELDS = 64;

/** Sums of one server. */
class Sums {
  finished = 0;
  failed = 0;
  omitted = 0;
  done = 0;
  masked = 0;
  unmaskedRewards = 0;
  unmaskedReward = 0;
  /** By the number of the field's name. */
  readonly sums: number[] = [];
  readonly counts: number[] = [];
}

/** Folds what is settled. */
export class Live implements Observer {
  readonly #servers: readonly { readonly name: string; readonly owed: number; readonly sums: Sums }[];
  readonly #names = new FieldNames(MAX_FIELDS);
  readonly #layout = new Layout(this.#names);
  readonly #reward = this.#names.number(KEYS.reward);
  readonly #mask = this.#names.number(KEYS.mask);

  /** @param servers how each is called and how many rollouts it has to run */
  constructor(servers: readonly { readonly name: string; readonly owed: number }[]) {
    this.#servers = servers.map((server) => ({ ...server, sums: new Sums() }));
  }

  on(event: RunEvent): void {
    if (event.kind === "settled") this.#settled(event);
    else if (event.kind === "runs_again") this.#runsAgain(event);
  }

  #settled({ route, became, result }: Settled): void {
    const { sums } = this.#servers[route]!;
    sums.finished++;
    sums[became]++;
    if (result) this.#fold(sums, became, result);
  }

  /** A failure without a result is taken back: nothing but counts. */
  #runsAgain({ route }: RunsAgain): void {
    const { sums } = this.#servers[route]!;
    sums.finished--;
    sums.failed--;
  }

  #fold(sums: Sums, became: Settled["became"], result: JsonObject): void {
    const { bytes, members } = result;
    const reward = rewardOf(result);
    if (reward !== undefined) count(sums, this.#reward, reward);
    let masked = false;
    for (let at = 0; at < members.length; at += MEMBER) {
      const value = numberAt(bytes, members[at + 2]!, members[at + 3]!);
      if (value === undefined) continue;
      const field = this.#layout.at(result, at);
      if (field < 0 || field === this.#reward) continue;
      if (field === this.#mask) masked = isTrue(bytes.subarray(members[at + 2]!, members[at + 3]!));
      count(sums, field, value);
    }
    if (became !== "done") return;
    if (masked) sums.masked++;
    else if (reward !== undefined) {
      sums.unmaskedRewards++;
      sums.unmaskedReward += reward;
    }
  }

  /** How it looks `elapsedS` seconds after the start. Servers with nothing to run are left out. */
  means(elapsedS: number): LiveMeans[] {
    return this.#servers.filter(({ owed }) => owed > 0).map(({ name, owed, sums }) => {
      const { finished, failed, omitted, done, masked, unmaskedRewards, unmaskedReward } = sums;
      const means: Record<string, number> = {};
      sums.counts.forEach((count, field) => {
        const name = this.#names.name(field);
        if (!isBookkeeping(name)) means[name] = sums.sums[field]! / count;
      });
      const tells = masked + failed + omitted > 0;
      return {
        name,
        owed,
        finished,
        perMinute: elapsedS > 0 ? finished * 60 / elapsedS : 0,
        scored: sums.counts[this.#reward] ?? 0,
        means,
        ...(masked > 0 ? { maskedPct: 100 * masked / done } : {}),
        ...(tells && unmaskedRewards > 0 ? { rewardUnmasked: unmaskedReward / unmaskedRewards } : {}),
        ...(failed > 0 ? { failed } : {}),
        ...(omitted > 0 ? { omitted } : {}),
      };
    });
  }
}

function count(sums: Sums, field: number, value: number): void {
  sums.sums[field] = (sums.sums[field] ?? 0) + value;
  sums.counts[field] = (sums.counts[field] ?? 0) + 1;
}
