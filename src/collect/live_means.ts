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
  /** Written results that have none; only there when there are any. */
  readonly unscored?: number;
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

/** What the rollouts file says of one server: this run's rows, and those of earlier ones. */
export interface SoFar extends Pick<LiveMeans, "name" | "means" | "maskedPct" | "rewardUnmasked"> {
  /** Rows. */
  readonly rows: number;
  /** Rollouts in the materialized inputs. */
  readonly expected: number;
  /** Rows whose reward is missing or not a number. */
  readonly unscored: number;
}

/** So many different fields are averaged. */
const MAX_FIELDS = 64;

/** Sums of numeric fields, by the number of the field's name. */
class Fields {
  readonly sums: number[] = [];
  readonly counts: number[] = [];

  count(field: number, value: number): void {
    this.sums[field] = (this.sums[field] ?? 0) + value;
    this.counts[field] = (this.counts[field] ?? 0) + 1;
  }
}

/** Sums over rows that are in the rollouts file. */
class Written extends Fields {
  rows = 0;
  unscored = 0;
  masked = 0;
  unmaskedRewards = 0;
  unmaskedReward = 0;
}

/** Sums of one server. */
class Sums {
  finished = 0;
  failed = 0;
  omitted = 0;
  done = 0;
  /** Everything that was answered in this run. */
  readonly answered = new Fields();
  /** What this run wrote, and what earlier ones did. */
  readonly now = new Written();
  readonly before = new Written();
}

/** Folds what is settled. */
export class Live implements Observer {
  readonly #servers: readonly {
    readonly name: string;
    readonly expected: number;
    owed: number;
    readonly sums: Sums;
  }[];
  readonly #names = new FieldNames(MAX_FIELDS);
  readonly #layout = new Layout(this.#names);
  readonly #reward = this.#names.number(KEYS.reward);
  readonly #mask = this.#names.number(KEYS.mask);

  /** @param servers how each is called and how many rollouts it has; all are owed unless {@link owes} says otherwise */
  constructor(servers: readonly { readonly name: string; readonly owed: number }[]) {
    this.#servers = servers.map(({ name, owed }) => ({ name, expected: owed, owed, sums: new Sums() }));
  }

  /** How many rollouts this run has to run, by server: on a resume fewer than there are. */
  owes(owed: readonly number[]): void {
    this.#servers.forEach((server, k) => server.owed = owed[k]!);
  }

  on(event: RunEvent): void {
    if (event.kind === "settled") this.#settled(event);
    else if (event.kind === "runs_again") this.#runsAgain(event);
  }

  #settled({ route, became, result }: Settled): void {
    const { sums } = this.#servers[route]!;
    sums.finished++;
    sums[became]++;
    if (result) this.#fold(result, became === "done" ? sums.now : null, sums.answered);
  }

  /** A failure without a result is taken back: nothing but counts. */
  #runsAgain({ route }: RunsAgain): void {
    const { sums } = this.#servers[route]!;
    sums.finished--;
    sums.failed--;
  }

  /** Takes a row that an earlier run has written. */
  earlier(route: number, result: JsonObject): void {
    this.#fold(result, this.#servers[route]!.sums.before, null);
  }

  #fold(result: JsonObject, written: Written | null, answered: Fields | null): void {
    const { bytes, members } = result;
    const count = (field: number, value: number) => {
      written?.count(field, value);
      answered?.count(field, value);
    };
    const reward = rewardOf(result);
    if (reward !== undefined) count(this.#reward, reward);
    let masked = false;
    for (let at = 0; at < members.length; at += MEMBER) {
      const value = numberAt(bytes, members[at + 2]!, members[at + 3]!);
      if (value === undefined) continue;
      const field = this.#layout.at(result, at);
      if (field < 0 || field === this.#reward) continue;
      if (field === this.#mask) masked = isTrue(bytes.subarray(members[at + 2]!, members[at + 3]!));
      count(field, value);
    }
    if (!written) return;
    written.rows++;
    if (reward === undefined) written.unscored++;
    if (masked) written.masked++;
    else if (reward !== undefined) {
      written.unmaskedRewards++;
      written.unmaskedReward += reward;
    }
  }

  /** How it looks `elapsedS` seconds after the start. Servers with nothing to run are left out. */
  means(elapsedS: number): LiveMeans[] {
    return this.#servers.filter(({ owed }) => owed > 0).map(({ name, owed, sums }) => {
      const { finished, failed, omitted, done, answered, now } = sums;
      const tells = now.masked + failed + omitted > 0;
      return {
        name,
        owed,
        finished,
        perMinute: elapsedS > 0 ? finished * 60 / elapsedS : 0,
        scored: answered.counts[this.#reward] ?? 0,
        ...(now.unscored > 0 ? { unscored: now.unscored } : {}),
        means: this.#named([answered]),
        ...(now.masked > 0 ? { maskedPct: 100 * now.masked / done } : {}),
        ...(tells && now.unmaskedRewards > 0
          ? { rewardUnmasked: now.unmaskedReward / now.unmaskedRewards }
          : {}),
        ...(failed > 0 ? { failed } : {}),
        ...(omitted > 0 ? { omitted } : {}),
      };
    });
  }

  /** What the rollouts file says so far. Servers without rollouts are left out. */
  soFar(): SoFar[] {
    return this.#servers.filter(({ expected }) => expected > 0).map(({ name, expected, sums }) => {
      const both = [sums.before, sums.now] as const;
      const sum = (of: (written: Written) => number) => of(both[0]) + of(both[1]);
      const rows = sum(({ rows }) => rows), masked = sum(({ masked }) => masked);
      const unmasked = sum(({ unmaskedRewards }) => unmaskedRewards);
      return {
        name,
        rows,
        expected,
        unscored: sum(({ unscored }) => unscored),
        means: this.#named(both),
        ...(masked > 0 ? { maskedPct: 100 * masked / rows } : {}),
        ...(masked > 0 && unmasked > 0
          ? { rewardUnmasked: sum(({ unmaskedReward }) => unmaskedReward) / unmasked }
          : {}),
      };
    });
  }

  /** The means of several sums together, by name; rollcall's own fields are left out. */
  #named(all: readonly Fields[]): Record<string, number> {
    const means: Record<string, number> = {};
    const fields = Math.max(...all.map(({ counts }) => counts.length));
    for (let field = 0; field < fields; field++) {
      const count = all.reduce((sum, { counts }) => sum + (counts[field] ?? 0), 0);
      const name = this.#names.name(field);
      if (count === 0 || isBookkeeping(name)) continue;
      means[name] = all.reduce((sum, { sums }) => sum + (sums[field] ?? 0), 0) / count;
    }
    return means;
  }
}
