/**
 * Zstandard, unpacked and verified. fzstd unpacks but ignores the checksums that frames end in, so the frames are walked
 * here (RFC 8878, 3.1.1): each is unpacked block by block, and its content hashed.
 */

const MAGIC = 0xfd2fb528, SKIPPABLE = 0x184d2a5;
/** Bytes of the fields of a frame's header, by what its descriptor says. */
const DICTIONARY = [0, 1, 2, 4], CONTENT_SIZE = [0, 2, 4, 8];
const RLE = 1, RESERVED = 3;

/** The content of frames, in chunks. @throws {Error} when the bytes are not zstd, break off, or were altered */
export async function* unpackZstd(raw: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const [{ Decompress }, { default: xxhash }] = await Promise.all([import("fzstd"), import("xxhash-wasm")]);
  const { create64 } = await xxhash();
  const bytes = new ByteReader(raw);
  try {
    while (!await bytes.isAtEnd()) {
      const magic = await bytes.take(4), kind = littleEndian(magic);
      if (kind >>> 4 === SKIPPABLE) {
        for (let left = littleEndian(await bytes.take(4)); left > 0;) {
          left -= (await bytes.take(Math.min(left, 1 << 16))).length;
        }
        continue;
      }
      if (kind !== MAGIC) throw new Error("it is not zstd");
      const unpacked: Uint8Array[] = [], hash = create64();
      const frame = new Decompress((chunk) => unpacked.push(chunk.slice()));
      let checksum: number | undefined;
      for await (const part of partsOf(magic, bytes)) {
        frame.push(part.bytes, part.isLast);
        for (const chunk of unpacked.splice(0)) {
          hash.update(chunk);
          yield chunk;
        }
        if (part.isLast && part.bytes.length > 0) checksum = littleEndian(part.bytes);
      }
      if (checksum !== undefined && checksum !== Number(hash.digest() & 0xffffffffn)) {
        throw new Error("its content is not what its checksum says: the file is damaged");
      }
    }
  } finally {
    await bytes.close();
  }
}

/** The parts of a frame: its header, its blocks, and last its checksum, empty where it has none. */
async function* partsOf(
  magic: Uint8Array,
  bytes: ByteReader,
): AsyncGenerator<{ readonly bytes: Uint8Array; readonly isLast: boolean }> {
  const descriptor = await bytes.take(1), flags = descriptor[0]!;
  const isSingle = (flags & 0x20) !== 0, hasChecksum = (flags & 4) !== 0, size = flags >> 6;
  const fields = (isSingle ? 0 : 1) + DICTIONARY[flags & 3]! +
    (size === 0 && isSingle ? 1 : CONTENT_SIZE[size]!);
  yield { bytes: join(magic, descriptor, await bytes.take(fields)), isLast: false };
  for (let isLast = false; !isLast;) {
    const head = await bytes.take(3), block = littleEndian(head), type = (block >> 1) & 3;
    if (type === RESERVED) throw new Error("it has a block of an unknown type");
    isLast = (block & 1) === 1;
    yield { bytes: join(head, await bytes.take(type === RLE ? 1 : block >> 3)), isLast: false };
  }
  yield { bytes: await bytes.take(hasChecksum ? 4 : 0), isLast: true };
}

/** A stream of chunks, read by numbers of bytes. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #left: Uint8Array = new Uint8Array();

  constructor(raw: AsyncIterable<Uint8Array>) {
    this.#chunks = raw[Symbol.asyncIterator]();
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#left.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return true;
      this.#left = value;
    }
    return false;
  }

  /** The next `count` bytes. @throws {Error} when there are fewer */
  async take(count: number): Promise<Uint8Array> {
    const taken = new Uint8Array(count);
    for (let filled = 0; filled < count;) {
      if (await this.isAtEnd()) throw new Error("unexpected end of file");
      const part = this.#left.subarray(0, count - filled);
      taken.set(part, filled);
      filled += part.length;
      this.#left = this.#left.subarray(part.length);
    }
    return taken;
  }

  /** Nothing more is read. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

function littleEndian(bytes: Uint8Array): number {
  return bytes.reduceRight((number, byte) => number * 256 + byte, 0);
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
