/**
 * Any run at all: rows, servers, limits and outcomes are made up, a plain model keeps accounts next to the scheduler,
 * and whatever it does must agree with them.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Action, type Event, type Limits, Scheduler } from "../../src/schedule/scheduler.ts";

const ATTEMPTS = 3;

interface Run {
  readonly routes: readonly number[];
  /** How many rows are offered together, one after the other; the rest when that is used up. */
  readonly batches: readonly number[];
  readonly limits: Omit<Limits, "marginMs"> & { readonly marginMs: number };
  /** Decides one step after another; numbers mean nothing by themselves. */
  readonly script: readonly (readonly [number, number])[];
}

const limit = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(Infinity));

const runs: fc.Arbitrary<Run> = fc.record({
  routes: fc.array(fc.nat(2), { maxLength: 10 }),
  batches: fc.array(fc.nat(4), { maxLength: 6 }),
  limits: fc.record({
    inFlight: limit,
    perServer: limit,
    resident: limit,
    retryWindowMs: fc.constantFrom(0, 300, 3000, 600_000),
    graceMs: fc.constantFrom(0, 1000, 30_000),
    budgetMs: fc.constantFrom(null, null, null, 0, 2000, 20_000),
    marginMs: fc.constantFrom(0, 500),
    outage: fc.record({ inARow: fc.integer({ min: 1, max: 3 }), maxAttempts: fc.constant(ATTEMPTS) }),
  }, { requiredKeys: ["inFlight", "resident", "retryWindowMs", "graceMs", "budgetMs", "marginMs"] }),
  script: fc.array(fc.tuple(fc.nat(999), fc.nat(999)), { maxLength: 80 }),
});

/** How a server comes back. */
interface Returning {
  readonly width: number;
  readonly rows: Set<number>;
  /** When the first of its rows was sent. */
  since: number;
  answers: number;
}

/** The accounts: where each row is, from the scheduler's events and actions. */
class Model {
  readonly scheduler: Scheduler;
  readonly inFlight = new Set<number>();
  readonly writing = new Set<number>();
  readonly finished = new Set<number>();
  readonly attempts: number[];
  /** Rows whose failure is being written. */
  readonly failing = new Set<number>();
  readonly paused = new Set<number>();
  /** Servers that are, or were, paused and are not as wide as before: what was sent since, and what came back. */
  readonly returning = new Map<number, Returning>();
  /** How many rows of a server were turned away in a row. */
  readonly turnedAway = [0, 0, 0];
  readonly abandoned = new Set<number>();
  /** No row of a server may start before. */
  readonly floors = new Map<number, number>();
  readonly started: number[] = [];
  offered = 0;
  closed = false;
  now = 0;
  wake = Infinity;
  over = 0;
  /** Times at which it asked to be woken, and was, without anything else happening. */
  idle = 0;
  stopped: "drain" | "abort" | undefined;
  #aborted = false;
  #chance = 0;
  #batches = 0;

  /** @param isGood whether every answer is good, so that the order of starts is known */
  constructor(readonly run: Run, readonly isGood = false) {
    this.attempts = run.routes.map(() => 0);
    this.scheduler = new Scheduler({
      routes: 3,
      route: (row) => run.routes[row]!,
      attempts: (row) => this.attempts[row]!,
    }, { ...run.limits, marginMs: () => run.limits.marginMs });
  }

  tell(event: Event): void {
    this.#chance = (this.#chance + 0.37) % 1;
    this.#expect(event, () => {
      this.#note(event);
      const actions = this.scheduler.on(event, { now: this.now, chance: this.#chance });
      for (const action of actions) this.#check(action);
      return actions;
    });
    this.#audit();
    this.idle = event.kind === "tick" ? this.idle + 1 : 0;
    // Cancelled requests come back at once, as they do from the wire.
    const [row] = this.inFlight;
    if (this.#aborted && row !== undefined) this.tell({ kind: "aborted", row });
  }

  /** Offers the next batch, as one of the things that rows can come as; none after the last. */
  offer(by: number): void {
    const size = this.run.batches[this.#batches++] ?? Infinity;
    if (this.offered === this.run.routes.length) {
      this.closed = true;
      return this.tell({ kind: "closed" });
    }
    const rows = [...this.run.routes.keys()].slice(this.offered, this.offered + size);
    this.offered += rows.length;
    this.tell({ kind: "offered", rows: [rows, rows.values(), Uint32Array.from(rows)][by % 3]! });
  }

  /** Time goes to the next wake. */
  sleep(): void {
    assert.ok(
      this.wake < Infinity,
      "nothing is in flight, nothing is written, and there is no wake: it is stuck",
    );
    this.now = this.wake;
    this.wake = Infinity;
    this.tell({ kind: "tick" });
  }

  /** What has to become of a row that is turned away. */
  #expect(event: Event, tell: () => readonly Action[]): void {
    if (event.kind !== "turned_away") return void tell();
    const { row } = event, route = this.run.routes[row]!, { outage, retryWindowMs } = this.run.limits;
    const isKnown = outage && this.paused.has(route) && !this.abandoned.has(route);
    const isStopped = this.stopped !== undefined;
    const said = tell();
    const hasFailed = said.some((action) => action.kind === "fail" && action.row === row);
    if (!isKnown) assert.ok(hasFailed, `row ${row} was turned away once, and has not failed`);
    else if (hasFailed) assert.ok(this.now >= retryWindowMs, `row ${row} fails in a known outage`);
    if (!outage || isKnown || isStopped || this.abandoned.has(route)) return;
    if (++this.turnedAway[route]! < outage.inARow) return;
    assert.ok(this.paused.has(route), "so many turned away in a row, and no outage");
    this.turnedAway[route] = 0;
  }

  #note(event: Event): void {
    switch (event.kind) {
      case "answered":
        this.turnedAway[this.run.routes[event.row]!] = 0;
        this.#left(event.row, true);
        this.writing.add(event.row);
        break;
      case "written":
        this.writing.delete(event.row);
        assert.ok(!this.finished.has(event.row), `row ${event.row} finishes twice`);
        this.finished.add(event.row);
        if (this.failing.delete(event.row)) this.attempts[event.row]!++;
        break;
      case "lost":
        this.#left(event.row, true);
        this.attempts[event.row]!++;
        break;
      case "aborted":
        this.#left(event.row);
        break;
      case "unsent": {
        this.#refused(event.row);
        const route = this.run.routes[event.row]!;
        if (event.floorMs === undefined) break;
        this.turnedAway[route] = 0;
        this.floors.set(route, Math.max(this.now + event.floorMs, this.floors.get(route) ?? 0));
        break;
      }
      case "turned_away":
        if (!this.run.limits.outage) this.#left(event.row, true);
        else if (this.paused.has(this.run.routes[event.row]!)) this.#refused(event.row);
        else this.#left(event.row);
        break;
      case "stop":
        this.stopped = event.level;
    }
  }

  #left(row: number, isAnswer = false): void {
    this.inFlight.delete(row);
    const route = this.run.routes[row]!, returning = this.returning.get(route);
    if (!returning) return;
    returning.rows.delete(row);
    if (isAnswer) returning.answers++;
    const silences = Math.floor((this.now - returning.since) / 5000);
    if (2 ** (returning.answers + silences) >= returning.width && returning.answers > 0) {
      this.returning.delete(route);
    }
  }

  /** A probe that fails begins the way back anew. */
  #refused(row: number): void {
    const route = this.run.routes[row]!, returning = this.returning.get(route);
    if (returning?.rows.has(row)) {
      this.returning.set(route, { width: returning.width, rows: new Set(), since: 0, answers: 0 });
    }
    this.inFlight.delete(row);
  }

  #inFlightAt(route: number): number {
    return [...this.inFlight].filter((row) => this.run.routes[row] === route).length;
  }

  #check(action: Action): void {
    assert.equal(this.over, 0, `${action.kind} after the end`);
    const { inFlight, resident } = this.run.limits;
    switch (action.kind) {
      case "start": {
        const { row, attempt } = action, route = this.run.routes[row]!;
        assert.ok(!this.inFlight.has(row), `row ${row} is in flight twice`);
        assert.ok(!this.writing.has(row) && !this.finished.has(row), `row ${row} starts after its end`);
        assert.equal(attempt, this.attempts[row]);
        assert.equal(this.stopped, undefined, `row ${row} starts after a stop`);
        assert.ok(!this.abandoned.has(route), `row ${row} goes to a server that was abandoned`);
        assert.ok(this.now >= (this.floors.get(route) ?? 0), `row ${row} starts before the server's time`);
        this.#return(route, row);
        if (this.isGood) this.#inTurn(route, row);
        assert.ok(
          this.#inFlightAt(route) < (this.run.limits.perServer ?? Infinity),
          "too many at one server",
        );
        this.inFlight.add(row);
        this.started.push(row);
        assert.ok(this.inFlight.size <= inFlight, "too many are in flight");
        assert.ok(this.inFlight.size + this.writing.size <= resident, "too many are resident");
        break;
      }
      case "fail":
        assert.ok(!this.inFlight.has(action.row) && !this.writing.has(action.row));
        this.writing.add(action.row);
        this.failing.add(action.row);
        break;
      case "again":
        assert.ok(this.finished.delete(action.row), `row ${action.row} runs again, and has not failed`);
        assert.ok(this.attempts[action.row]! < ATTEMPTS && this.stopped === undefined);
        assert.ok(!this.abandoned.has(this.run.routes[action.row]!));
        break;
      case "paused":
        assert.ok(!this.paused.has(action.route), "paused twice");
        assert.ok(this.run.limits.retryWindowMs > 0, "pauses, and there is no time to wait");
        this.paused.add(action.route);
        this.#pause(action.route);
        break;
      case "resumed":
        assert.ok(this.paused.delete(action.route), "resumed without a pause");
        break;
      case "abandoned":
        assert.ok(!this.abandoned.has(action.route), "abandoned twice");
        this.abandoned.add(action.route);
        break;
      case "wake":
        assert.ok(action.at > this.now, "asks for a time that has passed");
        this.wake = action.at;
        break;
      case "abort":
        assert.ok(!this.#aborted, "aborts twice");
        this.#aborted = true;
        // By itself, at the end of the grace.
        this.stopped = "abort";
        break;
      case "over":
        this.over++;
        assert.equal(this.inFlight.size + this.writing.size, 0, "over, with rows in flight or being written");
        assert.ok(
          this.closed || this.stopped || this.abandoned.size === 3,
          "over, and more rows may be offered",
        );
    }
  }

  #pause(route: number): void {
    const width = this.returning.get(route)?.width ?? this.#inFlightAt(route) + 1;
    this.returning.set(route, { width, rows: new Set(), since: 0, answers: 0 });
  }

  /** After a pause one row starts, and twice as many with each answer and for each five seconds without a refusal. */
  #return(route: number, row: number): void {
    const returning = this.returning.get(route);
    if (!returning) return;
    const { rows, answers } = returning;
    if (rows.size === 0 && answers === 0) returning.since = this.now;
    const silences = Math.floor((this.now - returning.since) / 5000);
    assert.ok(rows.size < 2 ** (answers + silences), `row ${row} is one too many after a pause`);
    rows.add(row);
  }

  /** Where nothing keeps a server from being open, rows go first only where those before them have their share. */
  #inTurn(route: number, row: number): void {
    const { inFlight, resident, perServer = Infinity } = this.run.limits;
    const left = [...this.run.routes.keys()].slice(0, this.offered).filter((row) =>
      !this.started.includes(row)
    );
    const servers = new Set(left.map((row) => this.run.routes[row]!));
    const share = servers.size < 2 ? Infinity : Math.ceil(Math.min(inFlight, resident) / servers.size);
    const isLent = this.#inFlightAt(route) >= share;
    for (const other of left) {
      const at = this.run.routes[other]!, held = this.#inFlightAt(at);
      if (held >= perServer || other === row) continue;
      if (isLent) {
        assert.ok(held >= share, `row ${row} has more than its share, and ${other} has not its own`);
      }
      if (other < row) assert.ok(!isLent && held >= share, `row ${row} starts before ${other}`);
    }
  }

  #audit(): void {
    const { scheduler } = this;
    assert.equal(scheduler.inFlight, this.inFlight.size);
    assert.ok(scheduler.waiting >= 0 && scheduler.drained >= 0);
    assert.equal(
      this.finished.size + this.writing.size + scheduler.drained + scheduler.waiting + this.inFlight.size,
      this.offered,
      "the rows do not add up",
    );
    if (this.closed || this.over) assert.equal(scheduler.wanted, 0);
  }
}

function pick<T>(items: Iterable<T>, by: number): T {
  const all = [...items];
  return all[by % all.length]!;
}

/** What becomes of a request, by the second number of a step. */
function outcome(model: Model, row: number, by: number): Event {
  const mayBeLost = model.attempts[row]! + 1 < ATTEMPTS;
  switch (by % 6) {
    case 0:
    case 1:
      return { kind: "unsent", row, reason: "refused", ...(by % 7 === 0 ? { floorMs: by * 10 } : {}) };
    case 2:
      if (mayBeLost) return { kind: "lost", row };
      break;
    case 3:
      return { kind: "turned_away", row, reason: "502" };
  }
  return { kind: "answered", row };
}

/** What makes every outcome an answer, whatever else is decided by it. */
const good = fc.nat(99).map((n) => n * 6 + 4);

/** One step of the script. Most steps let something happen to a row; some let time pass; few stop the run. */
function step(model: Model, [what, by]: readonly [number, number]): void {
  if (what < 20) return model.tell({ kind: "stop", level: what < 12 ? "drain" : "abort" });
  if (what < 100) {
    // Events may come between wakes, but none comes after a wake that is due.
    model.now = Math.min(model.now + by, Math.max(model.now, model.wake - 1));
    return;
  }
  if (what < 200 && !model.closed) return model.offer(by);
  if (what < 500 && model.inFlight.size) return model.tell(outcome(model, pick(model.inFlight, by), by));
  if (what < 900 && model.writing.size) {
    return model.tell({ kind: "written", row: pick(model.writing, by) });
  }
  if (model.wake < Infinity) model.sleep();
}

/** Lets everything come to its end: what is in flight is answered as `by` says, what is written gets written. */
function finish(model: Model, by: () => number): void {
  for (let steps = 0; model.over === 0; steps++) {
    assert.ok(steps < 5000, "it does not end");
    const [row] = model.inFlight, [writing] = model.writing;
    const isIdle = row === undefined && writing === undefined && model.wake === Infinity;
    if (!model.closed && (isIdle || by() % 4 === 0)) model.offer(by());
    else if (writing !== undefined) model.tell({ kind: "written", row: writing });
    else if (row !== undefined) model.tell(outcome(model, row, by()));
    else model.sleep();
    assert.ok(model.idle < 10, "it is woken again and again for nothing");
  }
}

function play(run: Run, by: () => number, isGood = false): Model {
  const model = new Model(run, isGood);
  for (const choice of run.script) if (model.over === 0) step(model, choice);
  if (model.over === 0) finish(model, by);
  assert.equal(model.over, 1);
  return model;
}

Deno.test("Scheduler accounts for every row and ends, whatever happens", () => {
  fc.assert(
    fc.property(runs, fc.infiniteStream(fc.nat(999)), (run, stream) => {
      const model = play(run, () => stream.next().value);
      if (model.stopped) return;
      // It ended by itself: only rows of servers that were abandoned are left.
      const left = run.routes.filter((route, row) => !model.finished.has(row) && model.abandoned.has(route));
      assert.equal(model.scheduler.waiting <= left.length, true, "rows are left for no reason");
    }),
    { numRuns: 1000 },
  );
});

Deno.test("Scheduler runs every row exactly once, each server's in order, and none out of turn, when every answer is good", () => {
  fc.assert(
    fc.property(runs, fc.infiniteStream(good), (run, stream) => {
      const limits = { ...run.limits, budgetMs: null };
      const model = play({ ...run, script: [], limits }, () => stream.next().value, true);
      for (let route = 0; route < 3; route++) {
        const started = model.started.filter((row) => run.routes[row] === route);
        assert.deepEqual(started, [...run.routes.keys()].filter((row) => run.routes[row] === route));
      }
      assert.equal(model.finished.size, run.routes.length);
    }),
    { numRuns: 200 },
  );
});

Deno.test("Scheduler fails what it tried and leaves the rest when no server can be reached", () => {
  fc.assert(
    fc.property(runs, (run) => {
      const model = play({ ...run, script: [], limits: { ...run.limits, budgetMs: null } }, () => 1);
      assert.deepEqual([...model.finished].sort(), [...new Set(model.started)].sort());
      assert.ok(run.routes.slice(0, model.offered).every((route) => model.abandoned.has(route)));
    }),
    { numRuns: 200 },
  );
});

Deno.test("Scheduler ends, and leaves only rows of abandoned servers, when everything is turned away", () => {
  fc.assert(
    fc.property(runs, (run) => {
      const model = play({ ...run, script: [], limits: { ...run.limits, budgetMs: null } }, () => 3);
      for (let row = 0; row < model.offered; row++) {
        if (!model.finished.has(row)) assert.ok(model.abandoned.has(run.routes[row]!), `row ${row} is left`);
        assert.ok(model.attempts[row]! <= ATTEMPTS);
      }
    }),
    { numRuns: 200 },
  );
});
