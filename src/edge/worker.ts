/// <reference lib="deno.worker" />
/**
 * The Worker that the collector runs in. It is started with permissions for exactly the run's servers and files, so
 * that no answer, redirect or row can make it reach anything else.
 */
import type { FromCollector, ToCollector } from "../collect/messages.ts";
import { collector } from "./collector.ts";

const say = (message: FromCollector) => self.postMessage(message);
const hear = collector(say);
self.onmessage = ({ data }: MessageEvent<ToCollector>) => hear(data);
say({ kind: "ready" });
