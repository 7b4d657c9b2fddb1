/** How `--concurrency auto` finds a server's capacity: a simulated one, with time as values. */
import assert from "node:assert/strict";
import { seeded } from "../../src/kit/seeded.ts";
import { AutoWidth } from "../../src/schedule/auto_width.ts";
import { StartRate } from "../../src/schedule/start_rate.ts";

/** A server that works on so many requests at once; others wait, or are refused at once. */
class Server {
  readonly auto = new AutoWidth();
  now = 0;
  capacity = 100;
  /** Milliseconds of a request. */
  takes = 1000;
  /** How much of that is chance: 0.2 for ±20 %. */
  chance = 0.2;
  refuses = false;
  /** Requests that nobody sends more of. */
  demand = Infinity;
  #rows = 0;
  #queue: number[] = [];
  #ends: { readonly at: number; readonly row: number; readonly how: "answered" | "refused" }[] = [];

  get #working(): number {
    return this.#ends.filter(({ how }) => how === "answered").length;
  }

  /** Runs for so long, and returns the mean of the width, by time, over the last third. */
  run(seconds: number): number {
    const from = this.now, until = from + seconds * 1000;
    let area = 0, counted = 0;
    while (this.now < until) {
      while (this.#queue.length + this.#ends.length < Math.min(this.auto.width, this.demand)) this.#start();
      this.#ends.sort((a, b) => a.at - b.at);
      const next = this.#ends.shift()!;
      if (next.at > from + (until - from) * 2 / 3) {
        area += this.auto.width * (next.at - this.now);
        counted += next.at - this.now;
      }
      this.now = next.at;
      this.auto.ends(next.row, this.now, next.how);
      while (this.#queue.length > 0 && this.#working < this.capacity) this.#work(this.#queue.shift()!);
    }
    return area / counted;
  }

  #start(): void {
    const row = this.#rows++;
    this.auto.starts(row, this.now);
    if (this.#working < this.capacity) this.#work(row);
    else if (this.refuses) this.#ends.push({ at: this.now + 100, row, how: "refused" });
    else this.#queue.push(row);
  }

  #work(row: number): void {
    const random = seeded(1, row) / 2 ** 53;
    const at = this.now + this.takes * (1 + this.chance * (2 * random - 1));
    this.#ends.push({ at, row, how: "answered" });
  }
}

const isNear = (width: number, capacity: number) =>
  assert.ok(Math.abs(width - capacity) <= 0.2 * capacity, `${width.toFixed(1)} at a capacity of ${capacity}`);

for (const chance of [0, 0.1, 0.2, 0.3, 0.5]) {
  for (const refuses of [false, true]) {
    Deno.test(`a server that ${refuses ? "refuses" : "lets wait"} what is too much, with durations of ±${100 * chance} %: the width settles at its capacity, and again when that falls`, () => {
      const server = new Server();
      Object.assign(server, { chance, refuses });
      isNear(server.run(300), 100);
      server.capacity = 20;
      isNear(server.run(300), 20);
      server.capacity = 60;
      isNear(server.run(600), 60);
      const { refused, slower } = server.auto.found;
      assert.ok(refuses ? refused > 0 : slower > 0);
      if (!refuses) assert.equal(refused, 0);
    });
  }
}

Deno.test("it starts at 8, doubles while the rate grows, and is never below 1", () => {
  const server = new Server();
  assert.equal(server.auto.width, 8);
  Object.assign(server, { capacity: 1e6, chance: 0 });
  server.run(20);
  assert.ok(server.auto.width >= 256, String(server.auto.width));
  Object.assign(server, { capacity: 0, refuses: true });
  server.run(200);
  assert.equal(server.auto.width, 1);
});

Deno.test("requests that become longer by themselves do not make it narrower for long", () => {
  const server = new Server();
  Object.assign(server, { capacity: 50, chance: 0 });
  isNear(server.run(300), 50);
  server.takes = 4000;
  isNear(server.run(1200), 50);
});

Deno.test("places that nobody needs are no reason to grow", () => {
  const server = new Server();
  server.demand = 5;
  server.run(100);
  assert.equal(server.auto.width, 8);
});

Deno.test("a start rate lets start evenly, and makes up for timers that are late by no more than 50 ms", () => {
  for (
    const [perSecond, everyMs, forMs] of [[1, 1, 60_000], [10, 1, 10_000], [1000, 7, 10_000], [
      1000,
      400,
      10_000,
    ]] as const
  ) {
    const rate = new StartRate(perSecond);
    let starts = 0;
    for (let now = 0; now < forMs; now += everyMs) {
      while (rate.opensAt <= now) {
        rate.starts(now);
        starts++;
      }
    }
    const most = perSecond * forMs / 1000;
    assert.ok(starts <= most + perSecond * 0.05 + 1, `${starts} of ${most}`);
    if (everyMs <= 50) assert.ok(starts >= 0.98 * most, `${starts} of ${most}`);
  }
});
