import assert from "node:assert/strict";
import fc from "fast-check";
import { ByteRoom, type Place } from "../../src/wire/byte_room.ts";

Deno.test("ByteRoom lets answers in as long as they fit, and then the one that has waited longest", () => {
  const room = new ByteRoom(100);
  const first = room.enter(60), second = room.enter(40), third = room.enter(30), fourth = room.enter(10);
  assert.deepEqual([first.ready, second.ready], [undefined, undefined]);
  assert.ok(third.ready && fourth.ready); // the fourth would fit before the third, and would then always do so
  room.leave(second);
  assert.equal(third.ready, undefined);
  assert.equal(fourth.ready, undefined);
  assert.equal(room.taken, 100);
});

Deno.test("ByteRoom reads an answer that is larger than the room alone", () => {
  const room = new ByteRoom(100);
  const small = room.enter(1), huge = room.enter(5000), next = room.enter(1);
  assert.ok(huge.ready);
  room.leave(small);
  assert.equal(huge.ready, undefined);
  assert.ok(next.ready);
  room.leave(huge);
  assert.equal(next.ready, undefined);
});

Deno.test("ByteRoom resolves what an answer waits for", async () => {
  const room = new ByteRoom(10);
  const first = room.enter(10), second = room.enter(10);
  const waits = second.ready;
  room.leave(first);
  await waits;
});

Deno.test("ByteRoom lets an answer of unknown length grow until the room is full, and the first one on", () => {
  const room = new ByteRoom(100);
  const first = room.enter(0), second = room.enter(0);
  room.grow(second, 90);
  assert.equal(second.ready, undefined);
  room.grow(second, 20);
  assert.ok(second.ready);
  room.grow(first, 500); // its end is what the other waits for
  assert.equal(first.ready, undefined);
  room.leave(first);
  assert.equal(second.ready, undefined);
  room.leave(second);
  assert.equal(room.taken, 0);
});

Deno.test("ByteRoom forgets an answer that goes while it waits", () => {
  const room = new ByteRoom(10);
  const first = room.enter(10), second = room.enter(10), third = room.enter(10);
  room.leave(second);
  room.leave(first);
  assert.equal(third.ready, undefined);
  assert.equal(room.taken, 10);
});

Deno.test("ByteRoom keeps its bound and lets everybody through, whoever comes with whatever", () => {
  const length = fc.oneof(fc.integer({ min: 0, max: 150 }), fc.constant(undefined));
  fc.assert(
    fc.property(fc.array(length, { maxLength: 40 }), fc.infiniteStream(fc.nat(99)), (lengths, stream) => {
      const most = 100, piece = 10, room = new ByteRoom(most);
      const coming = [...lengths], reading = new Map<Place, number | undefined>();
      for (let steps = 0; coming.length > 0 || reading.size > 0; steps++) {
        assert.ok(steps < 5000, "somebody waits for ever");
        const ready = [...reading.keys()].filter((place) => !place.ready);
        if (coming.length > 0 && (ready.length === 0 || stream.next().value < 40)) {
          const length = coming.shift();
          reading.set(room.enter(length ?? 0), length);
        } else {
          const place = ready[stream.next().value % ready.length]!;
          if (reading.get(place) === undefined && stream.next().value < 80 && place.bytes < 150) {
            room.grow(place, piece);
          } else {
            room.leave(place);
            reading.delete(place);
          }
        }
        const known = [...reading].filter(([place, length]) => length !== undefined && !place.ready);
        const sum = known.reduce((sum, [place]) => sum + place.bytes, 0);
        assert.ok(sum <= most || known.length === 1, `${sum} bytes of known length at once`);
      }
      assert.equal(room.taken, 0);
    }),
  );
});
