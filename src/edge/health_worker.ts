/// <reference lib="deno.worker" />
/** A Worker that examines rollouts. It may touch nothing. */
import { examineBatch } from "../health/batch.ts";
import type { FromExaminer, ToExaminer } from "../health/examiner_pool.ts";

const say = (message: FromExaminer) => self.postMessage(message);

self.onmessage = ({ data: { batch, ignored } }: MessageEvent<ToExaminer>) =>
  say({ kind: "examined", lines: examineBatch(batch, new Set(ignored)) });
say({ kind: "ready" });
