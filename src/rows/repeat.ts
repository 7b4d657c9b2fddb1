/** How many rollouts a row gets with an agent. */
import type { Repeats as RepeatsConfig } from "../config/config.ts";
import { type Kind, RowFault } from "./problems.ts";

const NO_ENTRY: Kind = {
  heading: "num_repeats has no entry for these agents or routing keys, and no _default",
  advice: "Add them, or _default for the rest.",
};

/** Far above any use; a typo must not fill memory and disk. */
const MAX_REPEATS = 1_000_000;

/** The repeats of a run's configuration. */
export class Repeats {
  /** What is wrong with the configuration; if anything, {@link of} may not be called. */
  readonly problems: readonly string[];
  readonly #fixed: number | undefined;
  readonly #byName: ReadonlyMap<string, number>;
  readonly #default: number | undefined;
  readonly #unused: Set<string>;

  /** `null` counts as 1, alone and inside a map. */
  constructor(config: RepeatsConfig) {
    const problems: string[] = [];
    const checked = (value: number | null, key: string) => {
      const times = value ?? 1;
      if (times > MAX_REPEATS) {
        problems.push(`${key} must be at most ${MAX_REPEATS}, got ${times}.`);
      }
      if (!Number.isInteger(times) || times < 1) {
        problems.push(`${key} must be a whole number, 1 or more, got ${JSON.stringify(times)}.`);
      }
      return times;
    };
    if (typeof config === "object" && config !== null) {
      const byName = new Map(
        Object.entries(config).map(([name, times]) => [name, checked(times, `num_repeats.${name}`)]),
      );
      this.#default = byName.get("_default");
      byName.delete("_default");
      this.#byName = byName;
    } else {
      this.#fixed = checked(config, "num_repeats");
      this.#byName = new Map();
    }
    this.#unused = new Set(this.#byName.keys());
    this.problems = problems;
  }

  /**
   * How often a row is run: the number, or the map's entry for the agent, else for the routing key, else
   * `_default`.
   *
   * @throws {RowFault} when the map has none of them.
   */
  of(target: string | undefined, key: string | undefined): number {
    if (this.#fixed !== undefined) return this.#fixed;
    const keys = [target, key].filter((name) => name !== undefined);
    let times: number | undefined;
    for (const name of keys) {
      this.#unused.delete(name);
      times ??= this.#byName.get(name);
    }
    times ??= this.#default;
    if (times !== undefined) return times;
    const names = [...new Set(keys)].join(" / ");
    throw new RowFault(NO_ENTRY, JSON.stringify(names), names);
  }

  /** A warning that names unused entries. */
  warnings(): string[] {
    if (this.#unused.size === 0) return [];
    const names = [...this.#unused].map((name) => JSON.stringify(name)).join(", ");
    return [
      `num_repeats has entries that match no row's agent or routing key: ${names}. Are they misspelt?`,
    ];
  }
}
