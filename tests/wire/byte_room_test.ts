import assert from "node:assert/strict";
import fc from "fast-check";
import { ByteRoom, type Place } from "../../src/wire/byte_room.ts";
import { ManualClock } from "../fakes/manual_clock.ts";

const KB = 1024, ROOM = 1024 * KB;

/** An answer as a test plays it. */
class Answer {
  readonly place: Place;
  /** Whether it may be read on. */
  mayGoOn = true;
  dropped: string | undefined;

  constructor(room: ByteRoom) {
    this.place = room.enter((why) => this.dropped = why);
  }

  async grow(bytes: number): Promise<void> {
    const ready = this.place.grow(bytes);
    if (!ready) return;
    this.mayGoOn = false;
    await ready;
    this.mayGoOn = true;
  }
}

const turn = () => new Promise((resolve) => setTimeout(resolve));

function answers(count: number): { clock: ManualClock; room: ByteRoom; answers: Answer[] } {
  const clock = new ManualClock(), room = new ByteRoom(ROOM, clock);
  return { clock, room, answers: Array.from({ length: count }, () => new Answer(room)) };
}

Deno.test("ByteRoom charges what has arrived, and lets one answer at a time go beyond the room", async () => {
  const { room, answers: [first, second, third] } = answers(3);
  first!.grow(ROOM);
  assert.equal(first!.mayGoOn, true);
  second!.grow(100 * KB);
  assert.equal(second!.mayGoOn, true, "it is its turn");
  third!.grow(100 * KB);
  first!.grow(1);
  assert.deepEqual([first!.mayGoOn, third!.mayGoOn], [false, false]);
  assert.equal(room.taken, ROOM + 200 * KB + 1);
  second!.place.leave();
  await turn();
  assert.deepEqual([first!.mayGoOn, third!.mayGoOn], [false, true], "who has waited longest is next");
  first!.place.leave();
  third!.place.leave();
  assert.equal(room.taken, 0);
});

Deno.test("ByteRoom never makes a small response wait", () => {
  const { answers: [large, other, ...small] } = answers(12);
  large!.grow(2 * ROOM);
  other!.grow(ROOM);
  for (const answer of small) answer.grow(64 * KB);
  assert.ok(small.every(({ mayGoOn }) => mayGoOn));
});

Deno.test("ByteRoom passes the turn on when an answer falls silent, and forgets none", async () => {
  const { clock, answers: [stalled, second, third] } = answers(3);
  stalled!.grow(ROOM + 1);
  second!.grow(100 * KB);
  third!.grow(100 * KB);
  assert.deepEqual([second!.mayGoOn, third!.mayGoOn], [false, false]);
  await clock.pass(4_000);
  assert.equal(second!.mayGoOn, false);
  stalled!.grow(1); // heard of again: its turn goes on
  await clock.pass(4_000);
  assert.equal(second!.mayGoOn, false);
  await clock.pass(2_000);
  assert.equal(second!.mayGoOn, true);
  second!.place.leave();
  await turn();
  assert.equal(third!.mayGoOn, true);
  assert.equal(stalled!.dropped, undefined);
});

Deno.test("ByteRoom drops the answer that has been silent longest once silent ones fill it twice over", async () => {
  const { clock, room, answers: [one, two, three, next] } = answers(4);
  one!.grow(ROOM + 1);
  await clock.pass(6_000);
  two!.grow(ROOM);
  assert.equal(two!.mayGoOn, true);
  three!.grow(100 * KB);
  next!.grow(100 * KB);
  assert.deepEqual([three!.mayGoOn, next!.mayGoOn], [false, false]);
  await clock.pass(6_000);
  assert.match(one!.dropped!, /silent for 5 s while others waited for max_buffered_bytes=1048576/);
  assert.equal(two!.dropped, undefined);
  one!.place.leave();
  await turn();
  assert.equal(three!.mayGoOn, true);
  for (const answer of [two, three, next]) answer!.place.leave();
  assert.equal(room.taken, 0);
  assert.equal(clock.timers, 0);
});

Deno.test("ByteRoom forgets a response that is abandoned while it waits", async () => {
  const { clock, room, answers: [first, second, third] } = answers(3);
  first!.grow(2 * ROOM);
  second!.grow(ROOM);
  third!.grow(ROOM);
  second!.place.leave();
  first!.place.leave();
  await turn();
  assert.equal(third!.mayGoOn, true);
  third!.place.leave();
  assert.equal(room.taken, 0);
  assert.equal(clock.timers, 0);
});

Deno.test("ByteRoom lets every answer through that is not silent, whatever the others do", async () => {
  const size = fc.record({ kb: fc.nat(3000), stallsAt: fc.option(fc.nat(3000), { freq: 2 }) });
  await fc.assert(
    fc.asyncProperty(fc.array(size, { minLength: 1, maxLength: 12 }), async (sizes) => {
      const clock = new ManualClock(), room = new ByteRoom(ROOM, clock);
      const piece = 64 * KB;
      let ended = 0, most = 0;
      const stalled: Answer[] = [];
      for (const { kb, stallsAt } of sizes) {
        const answer = new Answer(room);
        (async () => {
          for (let got = 0; got < kb * KB; got += piece) {
            if (stallsAt !== null && got > stallsAt * KB) return void stalled.push(answer);
            await answer.grow(piece);
            most = Math.max(most, room.taken);
          }
          answer.place.leave();
          ended++;
        })();
      }
      const toEnd = sizes.filter(({ kb, stallsAt }) =>
        stallsAt === null || Math.floor(stallsAt / 64) + 1 >= Math.ceil(kb / 64)
      ).length;
      for (let again = 0; again < 200 && ended < toEnd; again++) {
        await clock.pass(1_000);
        for (const { dropped, place } of stalled) {
          if (dropped !== undefined) {
            place.leave();
          }
        }
      }
      assert.equal(ended, toEnd, "a response waits forever");
      // Twice the room, or one whose turn passed on since it went silent, the one whose turn it is, and of each the
      // first piece and the one it waits after.
      assert.ok(
        most <= Math.max(2 * ROOM, 3072 * KB) + 3072 * KB + sizes.length * 2 * piece,
        `${most} bytes at once`,
      );
    }),
    { numRuns: 20 },
  );
});
