/**
 * Everything that happens to a row of the input before it is sent: {@link Preparation} takes lines one by one and
 * returns the rollouts they become, each as the bytes of its materialized row. Every step is a module of its own in
 * this folder; `#materialize` lists them. It is long because it says what each step is given and what each result means.
 *
 * Rows stay bytes. Steps set members, nothing is reserialized, so every other member and every number leaves as
 * it came.
 */
import type { JsonObject } from "../json/object.ts";
import type { RowsConfig } from "../config/config.ts";
import type { Route, Topology } from "../config/topology.ts";
import { toJson } from "../json/edit.ts";
import { list, UsageFault } from "../kit/fault.ts";
import { checkRolloutId, Destinations } from "./destinations.ts";
import { Environments, refuseForTaskRow, tasksetOf } from "./environment.ts";
import { asOverrides, layOver } from "./params.ts";
import { type Kind, Problems, RowFault } from "./problems.ts";
import { applyPrompt, type Templates } from "./prompt.ts";
import { type Line, readRow } from "./read.ts";
import { Repeats } from "./repeat.ts";
import { namesOf, Router, serverRoute } from "./route.ts";
import { agentRef, Row, wholeNumber } from "./row.ts";
import { KEYS } from "../record/keys.ts";
import { seeding } from "./seed.ts";
import type { SkillsRef } from "./skills.ts";
import { Selection } from "./selection.ts";
import { Sources } from "./task_sources.ts";
import { Tasks } from "./task_index.ts";

export type { Line } from "./read.ts";

/** One planned rollout. */
export interface Rollout {
  /** Its materialized row: pieces to be written one after the other, without a line break. */
  readonly pieces: readonly Uint8Array[];
  /** Its `_ng_task_index`. */
  readonly task: number;
  /** Its `_ng_rollout_index`. */
  readonly rollout: number;
  /** Where it goes, as an index into {@link Prepared.routes}. */
  readonly route: number;
}

/** What is known after the last line. */
export interface Prepared {
  /** The servers that rollouts go to. */
  readonly routes: readonly Route[];
  /** Warnings for the user. */
  readonly warnings: readonly string[];
  /** Rows read, blank lines not counted, selected or not. */
  readonly rows: number;
  /** Distinct tasks among them. */
  readonly tasks: number;
  /** Planned rollouts. */
  readonly rollouts: number;
}

/** The rollouts that an earlier preparation of the same input has made. */
export interface Earlier {
  /** Rows of the input that it has seen. */
  readonly rows: number;
  /** The `num_repeats` it had. */
  readonly repeats: RowsConfig["num_repeats"];
  /** The first rollout index of a task that is free. */
  readonly next: (task: number) => number;
}

const FEWER: Kind = {
  heading: "Rows that would have fewer rollouts than they have now",
  advice: "--extend only adds rollouts: num_repeats may be larger, not smaller.",
};

/** What a preparation needs. */
export interface PrepareOptions {
  /** The keys of the configuration that concern rows. */
  readonly config: RowsConfig;
  /** The servers. */
  readonly topology: Topology;
  /** The input, as shown in errors. */
  readonly file: string;
  /** The templates of `prompt_config`. */
  readonly prompt?: Templates;
  /** The stamp of `skills.path`. */
  readonly skills?: SkillsRef;
  /** What a run that is extended has already: only what comes on top of it is made. */
  readonly earlier?: Earlier;
  /** What the file of `task_ids` names. */
  readonly ids?: ReadonlySet<string>;
  /** Whether NEMO_GYM_ALLOW_UNSUPPORTED_PAIRING is set to anything but empty, 0 or false. */
  readonly pairingWaived?: boolean;
}

/** Push the lines in order, then finish. */
export class Preparation {
  readonly #limit: number;
  readonly #prompt: Templates | undefined;
  readonly #overrides: ReadonlyMap<string, Uint8Array>;
  readonly #skills: Uint8Array | undefined;
  readonly #addSeed: boolean;
  /** Settings that would have to change a row: not for materialized task rows. */
  readonly #changing: readonly string[];
  readonly #environments: Environments;
  readonly #router: Router;
  readonly #tasks = new Tasks();
  readonly #repeats: Repeats;
  readonly #sources: Sources;
  readonly #destinations: Destinations;
  readonly #problems: Problems;
  readonly #selection: Selection;
  readonly #earlier: (Omit<Earlier, "repeats"> & { readonly repeats: Repeats }) | undefined;
  #rows = 0;
  #rollouts = 0;
  /** Rollouts that share their name with another one of their row. */
  #namesakes = 0;

  /** @throws {UsageFault} that lists contradictions in the configuration. */
  constructor(
    { config, topology, file, prompt, skills, ids, earlier, pairingWaived = false }: PrepareOptions,
  ) {
    this.#limit = config.limit || Infinity;
    this.#prompt = prompt;
    this.#overrides = asOverrides(config.responses_create_params);
    this.#skills = skills && toJson(skills);
    this.#addSeed = config.num_repeats_add_seed;
    this.#changing = [
      ...(this.#overrides.size > 0 ? [KEYS.params] : []),
      ...(skills ? ["skills"] : []),
      ...(config.num_repeats_add_seed ? ["num_repeats_add_seed"] : []),
    ];
    this.#environments = new Environments(config, topology);
    this.#router = new Router(config);
    this.#repeats = new Repeats(config.num_repeats);
    this.#sources = new Sources(topology);
    this.#destinations = new Destinations(
      topology,
      pairingWaived || config.allow_unsupported_pairing,
      config.agent_name,
    );
    this.#problems = new Problems(file);
    this.#earlier = earlier && { ...earlier, repeats: new Repeats(earlier.repeats) };
    this.#selection = new Selection({ config, ids });
    const problems = [...this.#environments.problems, ...this.#router.problems, ...this.#repeats.problems];
    if (problems.length > 0) throw new UsageFault(`Cannot use this configuration:${list(problems)}`);
  }

  /** Whether the `limit` is reached: no further line is needed. */
  get full(): boolean {
    return this.#rows >= this.#limit;
  }

  /**
   * The rollouts of the next line, a target's repeats together: none for a blank line, nor where something is
   * wrong with the row, which {@link finish} tells. They are made one by one, as there may be a million, and have to be
   * taken before the next line comes.
   */
  push(line: Line): Iterable<Rollout> {
    const object = this.#read(line);
    if (!object) return [];
    this.#rows++;
    const row = new Row(object, line.line);
    return this.#keepingFaults(row, () => {
      // Gym numbers tasks after routing. The number depends only on the line, and here messages can name it.
      row.task = this.#tasks.indexOf(object);
      return this.#selection.takes(row.task, object) ? this.#materialize(row) : [];
    });
  }

  /** After the last row: whether a task is selected. Of those that are not, some rollouts may have been made. */
  isSelected(task: number): boolean {
    return this.#selection.has(task);
  }

  /** The object of a line; none where it is blank, broken, or beyond the limit. */
  #read(line: Line): JsonObject | undefined {
    if (this.full) return undefined;
    try {
      return readRow(line);
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      this.#rows++;
      this.#problems.add(error, line);
      return undefined;
    }
  }

  /** The result. @throws {UsageFault} that lists everything that is wrong with the rows. */
  finish(): Prepared {
    const message = this.#problems.message();
    if (message !== undefined) throw new UsageFault(message);
    this.#selection.finish();
    return {
      routes: this.#destinations.routes,
      warnings: [
        ...this.#router.warnings(),
        ...this.#repeats.warnings(),
        ...namesakesWarning(this.#namesakes),
      ],
      rows: this.#rows,
      tasks: this.#tasks.size,
      rollouts: this.#rollouts,
    };
  }

  #materialize(row: Row): Iterable<Rollout> {
    const taskset = tasksetOf(row.object);
    if (this.#prompt) applyPrompt(row, this.#prompt);
    const names = namesOf(row);
    const server = this.#environments.stamp(row, taskset);
    const routed = server === undefined
      ? this.#router.route(row, names)
      : serverRoute(server, taskset, names);
    if (taskset !== undefined) {
      refuseForTaskRow(this.#changing);
    } else {
      layOver(row, this.#overrides);
      if (this.#skills) row.set(KEYS.skills, this.#skills);
    }
    checkRolloutId(row);
    if (!row.object.has(KEYS.task)) row.set(KEYS.task, wholeNumber(row.task!));
    const seeded = this.#addSeed ? seeding(row.raw(KEYS.params)!) : undefined;
    return chained(routed.targets.map((target) =>
      this.#keepingFaults(row, () => {
        const times = this.#repeats.of(target, routed.key) - this.#timesBefore(target, routed.key);
        if (times < 0) throw new RowFault(FEWER, "");
        const agent = target ?? routed.agent ?? this.#agentBehind(server, taskset, names.source);
        const route = server === undefined
          ? this.#destinations.ofAgent(agent!, names.source)
          : this.#destinations.ofServer(server, { agent, source: names.source });
        return this.#repeat(row, times, agent === routed.agent ? undefined : agent, route, seeded);
      })
    ));
  }

  /** How often the current row was made with a target already. */
  #timesBefore(target: string | undefined, key: string | undefined): number {
    const earlier = this.#earlier;
    return earlier && this.#rows <= earlier.rows ? earlier.repeats.of(target, key) : 0;
  }

  /** The agent of a row that names none: its server's, or its task source's. Materialized task rows need none. */
  #agentBehind(server?: string, taskset?: string, source?: string): string | undefined {
    if (server === undefined) return this.#sources.agentOf(source!);
    return taskset === undefined ? this.#destinations.agentOf(server) : undefined;
  }

  /**
   * The row, once per repeat.
   *
   * @param agent the agent to write into it, unless it says so already
   * @param seeded its parameters with a seed, if there is to be one
   */
  #repeat(
    row: Row,
    times: number,
    agent: string | undefined,
    route: number,
    seeded: ((seed: number) => Uint8Array[]) | undefined,
  ): Iterable<Rollout> {
    if (times > 1 && row.object.value(KEYS.rolloutId) != null) this.#namesakes += times;
    const set: [string, Uint8Array][] = [[KEYS.rollout, ROLLOUT]];
    if (agent !== undefined) set.push([KEYS.agent, agentRef(agent)]);
    if (seeded) set.push([KEYS.params, PARAMS]);
    return this.#made(row.pieces(set), row.task!, { times, route, seeded });
  }

  *#made(
    template: readonly Uint8Array[],
    task: number,
    { times, route, seeded }: {
      readonly times: number;
      readonly route: number;
      readonly seeded: ((seed: number) => Uint8Array[]) | undefined;
    },
  ): Generator<Rollout> {
    const first = this.#earlier?.next(task) ?? 0;
    for (let i = 0; i < times; i++) {
      const rollout = first + this.#tasks.nextRollout(task);
      const pieces: Uint8Array[] = [];
      for (const piece of template) {
        if (piece === ROLLOUT) pieces.push(wholeNumber(rollout));
        else if (piece === PARAMS) pieces.push(...seeded!(rollout));
        else pieces.push(piece);
      }
      this.#rollouts++;
      yield { pieces, task, rollout, route };
    }
  }

  #keepingFaults(row: Row, prepare: () => Iterable<Rollout>): Iterable<Rollout> {
    try {
      return prepare();
    } catch (error) {
      if (!(error instanceof RowFault)) throw error;
      this.#problems.add(error, row);
      return [];
    }
  }
}

/** Whoever goes by the name of a rollout cannot tell these apart. */
function namesakesWarning(count: number): string[] {
  if (count === 0) return [];
  return [
    `${count} rollouts share their ${KEYS.rolloutId} with another repeat of their row: with observability on, each gets ` +
    "the model calls that were captured for all of that name.",
  ];
}

function* chained<T>(parts: readonly Iterable<T>[]): Generator<T> {
  for (const part of parts) yield* part;
}

/** Places in the pieces of a row that differ between its rollouts, told by their identity. */
const ROLLOUT = new Uint8Array(0), PARAMS = new Uint8Array(0);
